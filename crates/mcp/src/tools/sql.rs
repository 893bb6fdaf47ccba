//! `sql`: every table of every analysis, of many sessions, in one query.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use stepscope_analysis::telling::format::counted;
use stepscope_analysis::{Cell, Column, Table, Unit};
use stepscope_server::Library;

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
    /// Handles of the sessions to ask; without, all of all folders.
    sessions: Vec<String>,
    /// Where an earlier answer to the same call ended.
    pub(crate) cursor: Option<String>,
}

/// Most rows of an answer; pages show them in turn.
const ROWS: u32 = 1_000;
/// Longest cell.
const LONGEST: usize = 120;

/// Most answers that are kept for their next pages.
const KEPT: usize = 4;

/// The newest answers, whole: a query that states no order may give its rows in another one each time,
/// so that its pages have to be of one answer.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<VecDeque<(Asked, Whole)>>);

/// A query, and the sessions that it is asked of.
type Asked = (Option<String>, Vec<String>);

impl Kept {
    /// The kept answer if the call asks for another page of one, else a new one.
    pub(crate) async fn answer(
        &self,
        within: &Within<'_>,
        asked: &Arguments,
    ) -> Result<Whole, Refusal> {
        let key = (asked.query.clone(), asked.sessions.clone());
        if asked.cursor.is_some() {
            let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, whole)) = kept.iter().find(|(known, _)| *known == key) {
                return Ok(whole.clone());
            }
        }
        let whole = run(within, asked).await?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| *known != key);
        kept.truncate(KEPT - 1);
        kept.push_front((key, whole.clone()));
        Ok(whole)
    }
}

/// Answers a query, or lists the tables.
async fn run(within: &Within<'_>, asked: &Arguments) -> Result<Whole, Refusal> {
    let schema = Next::new("sql", &[], "the tables, and their columns");
    let Some(query) = asked
        .query
        .as_deref()
        .filter(|query| !query.trim().is_empty())
    else {
        return tables(&within.roots.0[0]).await;
    };
    let chosen = chosen(within, &asked.sessions)?;
    let libraries: Vec<(&Library, Vec<String>)> = chosen
        .iter()
        .map(|(root, keys)| (&*root.library, keys.clone()))
        .collect();
    let answer = Library::query(&libraries, query.to_owned(), ROWS).await;
    let answer = answer.map_err(|error| {
        let is_missing = !within.roots.0[0].library.answers_queries();
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
    if let [_, _, ..] = chosen[..] {
        let asked = chosen
            .iter()
            .map(|(root, keys)| format!("{} ({})", root.name, counted(keys.len(), "session")));
        whole.note(&format!("asked: {}", asked.collect::<Vec<_>>().join(", ")));
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

/// The sessions that are asked: their folders, in order, with the keys of each.
fn chosen<'a>(
    within: &'a Within<'_>,
    handles: &[String],
) -> Result<Vec<(&'a Root, Vec<String>)>, Refusal> {
    let named = handles.iter();
    let named = named.map(|handle| within.roots.choose(Some(handle)));
    let mut all = named.collect::<Result<Vec<_>, _>>()?;
    if handles.is_empty() {
        all = within.roots.list();
    }
    let mut seen = HashSet::new();
    // What two folders have in common counts once.
    all.retain(|one| seen.insert(place(&one.summary.location)));
    let mut of_roots = Vec::new();
    for root in &within.roots.0 {
        let own = all.iter().filter(|one| one.root.name == root.name);
        let keys: Vec<String> = own.map(|one| one.summary.key.clone()).collect();
        if !keys.is_empty() {
            of_roots.push((root, keys));
        }
    }
    if of_roots.is_empty() {
        let next = Next::new("sessions", &[], "what was looked at, and why it is empty");
        return Err(Refusal::new("There is no session to ask.").next(next));
    }
    Ok(of_roots)
}

/// Where a session is, the same on every way that leads there.
fn place(location: &str) -> PathBuf {
    let path = PathBuf::from(location);
    path.canonicalize().unwrap_or(path)
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
