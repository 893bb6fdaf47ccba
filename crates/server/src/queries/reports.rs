//! The JSON of queries, shared with TypeScript.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// `GET api/sql`: what there is to ask.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS)]
#[ts(export)]
pub(crate) struct SqlSchemaReport {
    /// Whether queries can be answered here.
    #[serde(default)]
    pub(crate) is_available: bool,
    /// Why not; empty otherwise.
    #[serde(default)]
    pub(crate) message: String,
    /// What to do about it; may be empty.
    #[serde(default)]
    pub(crate) hint: String,
    /// Tables, by name.
    pub(crate) tables: Vec<SqlTableEntry>,
    /// Views, by name.
    pub(crate) views: Vec<SqlViewEntry>,
    /// Functions, by topic.
    pub(crate) functions: Vec<SqlFunctionEntry>,
}

/// A table.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub(crate) struct SqlTableEntry {
    /// Its name.
    pub(crate) name: String,
    /// What a row is.
    pub(crate) meaning: String,
    /// Its columns, `session` first.
    pub(crate) columns: Vec<SqlColumnEntry>,
}

/// A view: a question that people ask often.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub(crate) struct SqlViewEntry {
    /// Its name.
    pub(crate) name: String,
    /// What a row is, and where its figures are defined.
    pub(crate) meaning: String,
    /// The query that it stands for.
    pub(crate) query: String,
    /// Its columns.
    pub(crate) columns: Vec<SqlColumnEntry>,
}

/// A column of a table or view.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub(crate) struct SqlColumnEntry {
    /// Its name in queries.
    pub(crate) key: String,
    /// `text`, `flag`, `count`, `ps`, `bytes`, `ratio`, `FLOP`, `FLOP/s` or `bytes/s`.
    pub(crate) unit: String,
    /// What it means; empty for a column that a view computes.
    pub(crate) meaning: String,
}

/// A function.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub(crate) struct SqlFunctionEntry {
    /// How it is called.
    pub(crate) signature: String,
    /// What it answers.
    pub(crate) meaning: String,
}

/// The body of `POST api/sql`.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(deny_unknown_fields)]
pub(crate) struct SqlRequest {
    /// The query. It only reads.
    pub(crate) query: String,
    /// Keys of the sessions to ask; without them, every session.
    #[serde(default)]
    pub(crate) sessions: Option<Vec<String>>,
    /// Most rows; 10,000 in JSON and all in other forms if it is not given.
    #[serde(default)]
    pub(crate) limit: Option<u32>,
    /// `json`, `csv` or `arrow`.
    #[serde(default)]
    pub(crate) format: Option<String>,
}

/// The answer to a query, as JSON.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub(crate) struct SqlReport {
    /// The sessions that the column `session` names, with their keys.
    #[serde(default)]
    pub(crate) sessions: Vec<SqlSession>,
    /// The columns.
    pub(crate) columns: Vec<SqlResultColumn>,
    /// The rows, cell by cell.
    #[ts(type = "(string | number | boolean | null)[][]")]
    pub(crate) rows: Vec<Vec<Value>>,
    /// How many rows there are, also those that are not in `rows`.
    pub(crate) row_count: usize,
    /// What a reader has to know, such as sessions that could not be opened.
    pub(crate) remarks: Vec<String>,
}

/// A session of an answer.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub(crate) struct SqlSession {
    /// Its name, as in the column `session`.
    pub(crate) name: String,
    /// Its key in routes.
    pub(crate) key: String,
}

/// A column of an answer.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub(crate) struct SqlResultColumn {
    /// Its name.
    pub(crate) key: String,
    /// Its unit, as in [`SqlColumnEntry`].
    pub(crate) unit: String,
    /// Whether its numbers have fractions.
    pub(crate) is_fractional: bool,
}
