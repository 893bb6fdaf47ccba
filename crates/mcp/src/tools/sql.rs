//! `sql`: every table of every analysis, of many sessions, in one query.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use stepscope_analysis::{Cell, Column, Table, Unit};

use super::Within;
use crate::page::{Block, Next, TablePart, Whole, plain};
use crate::roots::{Refusal, Root};
use crate::tables::{self, Columns, rounded};

/// Arguments of `sql`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The query, such as `select session, name, self_ps from ops order by self_ps desc limit 10`.
    /// Without: the tables.
    query: Option<String>,
    /// Handles of the sessions to ask; without, all.
    sessions: Vec<String>,
    /// Where an earlier answer to the same call ended.
    pub(crate) cursor: Option<String>,
}

/// Most rows of an answer; pages show them in turn.
const ROWS: u32 = 1_000;
/// Longest cell.
const LONGEST: usize = 120;

/// Answers a query, or lists the tables.
pub(crate) async fn run(within: &Within<'_>, asked: &Arguments) -> Result<Whole, Refusal> {
    let schema = Next::new("sql", &[], "the tables, and their columns");
    let Some(query) = asked
        .query
        .as_deref()
        .filter(|query| !query.trim().is_empty())
    else {
        return tables(&within.roots.0[0]).await;
    };
    let (root, keys) = chosen(within, &asked.sessions)?;
    let keys = (!keys.is_empty()).then_some(keys);
    let answer = root
        .library
        .query(query.to_owned(), keys.as_deref(), ROWS)
        .await;
    let answer = answer.map_err(|error| {
        let is_missing = !root.library.answers_queries();
        let refusal = Refusal::from(error);
        if is_missing {
            refusal.next(Next::new(
                "report",
                &[],
                "what the latest session says, without SQL",
            ))
        } else {
            refusal.next(schema.clone())
        }
    })?;
    let mut whole = Whole::new(format!("sql: {query}"), "");
    let columns: Vec<String> = answer
        .columns
        .iter()
        .map(|(key, _)| plain(key, 60))
        .collect();
    whole.tables.push(TablePart {
        key: "rows".to_owned(),
        title: "Rows".to_owned(),
        headers: columns.clone(),
        columns,
        rows: Vec::new(),
        row_count: answer.row_count,
        more_columns: Vec::new(),
    });
    let longest = (900 / answer.columns.len().max(1)).clamp(8, LONGEST);
    for row in &answer.rows {
        let cells: Vec<Value> = row.iter().map(|cell| short(cell, longest)).collect();
        let texts = cells.iter().map(|cell| match cell {
            Value::String(text) => text.replace('|', "¦"),
            Value::Null => "-".to_owned(),
            other => other.to_string(),
        });
        let texts = texts.collect();
        whole.blocks.push(Block::Row(0, cells, texts));
    }
    if answer.rows.is_empty() {
        whole.line("The query has no rows.");
    }
    if answer.row_count > answer.rows.len() {
        whole.note(&format!(
            "only the first {ROWS} rows; add `limit` or a condition"
        ));
    }
    answer.remarks.iter().for_each(|remark| whole.note(remark));
    whole.next.push(schema);
    Ok(whole)
}

fn short(cell: &Value, longest: usize) -> Value {
    match cell {
        Value::String(text) => Value::from(plain(text, longest)),
        Value::Number(number) if number.is_f64() => number.as_f64().map_or(Value::Null, rounded),
        Value::Array(_) | Value::Object(_) => Value::from(plain(&cell.to_string(), longest)),
        other => other.clone(),
    }
}

/// The folder of the sessions, and their keys.
fn chosen<'a>(
    within: &'a Within<'_>,
    handles: &[String],
) -> Result<(&'a Root, Vec<String>), Refusal> {
    let mut keys = Vec::new();
    let mut of: Option<&Root> = None;
    for handle in handles {
        let chosen = within.roots.choose(Some(handle))?;
        if of.is_some_and(|root| root.name != chosen.root.name) {
            let error = "A query asks sessions of one folder.";
            return Err(Refusal::new(error).next(Next::new(
                "sessions",
                &[],
                "the handles, which begin with the folder",
            )));
        }
        of = Some(chosen.root);
        keys.push(chosen.summary.key);
    }
    Ok((of.unwrap_or(&within.roots.0[0]), keys))
}

const COLUMNS: [Column; 3] = [
    Column::new("table", "Table", Unit::Text),
    Column::new("meaning", "A row is", Unit::Text),
    Column::new("columns", "Columns", Unit::Text),
];

async fn tables(root: &Root) -> Result<Whole, Refusal> {
    let known = root.library.query_tables().await;
    let known = known.map_err(|error| {
        Refusal::from(error).next(Next::new("report", &[], "the latest session, without SQL"))
    })?;
    let rows: Vec<Vec<Cell>> = known
        .into_iter()
        .map(|(name, meaning, columns)| vec![name.into(), meaning.into(), columns.join(" ").into()])
        .collect();
    let table = Table {
        key: "tables",
        title: "Tables".to_owned(),
        columns: COLUMNS.to_vec(),
        row_count: rows.len(),
        rows,
    };
    let mut whole = Whole::new("tables of queries", "");
    tables::push(&mut whole, &table, &Columns::All, None).map_err(Refusal::new)?;
    let query = "select session, name, self_ps from ops order by self_ps desc limit 10";
    whole.next.push(Next::new(
        "sql",
        &[("query", query)],
        "the ops with the most time",
    ));
    Ok(whole)
}
