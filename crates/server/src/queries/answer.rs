//! From a question to its answer.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use axum::body::{Body, Bytes};
use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use tokio::sync::OnceCell;

use super::process::{Process, failed};
use super::program::no_sql_program;
use super::reports::{SqlReport, SqlSchemaReport, SqlSession};
use crate::error::ApiError;

/// Most bytes of an answer in JSON; other forms are passed on as they come.
const MOST_BYTES: usize = 32 << 20;
/// Most bytes of the schema.
const SCHEMA_BYTES: usize = 8 << 20;

/// The form of rows that are passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Csv,
    Arrow,
}

impl Form {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Arrow => "arrow",
        }
    }
}

/// What the program reads.
#[derive(Debug, Serialize)]
pub(crate) struct Question {
    #[serde(skip)]
    pub(crate) program: PathBuf,
    pub(crate) query: String,
    pub(crate) places: Vec<Asking>,
}

/// A path; names select among the sessions there.
#[derive(Debug, Serialize)]
pub(crate) struct Asking {
    pub(crate) path: String,
    pub(crate) sessions: Option<Vec<String>>,
}

impl Question {
    async fn ask(&self, form: Form, limit: u32) -> Result<Process, ApiError> {
        let text = serde_json::to_vec(self).map_err(|error| failed(&error.to_string()))?;
        let limit = limit.to_string();
        let arguments = ["--request", "--format", form.name(), "--limit", &limit];
        Process::in_turn(&self.program, &arguments, text).await
    }
}

/// What each program answers, computed when it is first asked for: it is the same for all sessions.
pub(crate) type Schema = OnceCell<SqlSchemaReport>;

/// The tables, views and functions.
pub(crate) async fn schema(
    program: Option<PathBuf>,
    known: &Schema,
) -> Result<SqlSchemaReport, ApiError> {
    let Some(program) = program else {
        let (message, hint) = no_sql_program();
        return Ok(SqlSchemaReport {
            message: format!("{message}."),
            hint,
            ..SqlSchemaReport::default()
        });
    };
    // One process at a time, however many ask; an error is not kept.
    let schema = known.get_or_try_init(async || {
        let process = Process::start(&program, &["--tables", "--json"], Vec::new())?;
        let text = process.all(SCHEMA_BYTES).await?;
        let report: SqlSchemaReport = read(&text)?;
        Ok(SqlSchemaReport {
            is_available: true,
            ..report
        })
    });
    schema.await.cloned()
}

/// The first rows as JSON. `keys` has the keys of sessions by name.
pub(crate) async fn answer(
    question: &Question,
    limit: u32,
    keys: &HashMap<String, String>,
) -> Result<SqlReport, ApiError> {
    let process = question.ask(Form::Json, limit).await?;
    let report: SqlReport = read(&process.all(MOST_BYTES).await?)?;
    let sessions = sessions_of(&report, keys);
    Ok(SqlReport { sessions, ..report })
}

/// The sessions that the rows name, each once.
fn sessions_of(report: &SqlReport, keys: &HashMap<String, String>) -> Vec<SqlSession> {
    let mut columns = report.columns.iter();
    let Some(column) = columns.position(|column| column.key == "session") else {
        return Vec::new();
    };
    let cells = report
        .rows
        .iter()
        .filter_map(|row| row.get(column)?.as_str());
    let mut seen = HashSet::new();
    let each_once = cells.filter(|name| seen.insert(*name));
    let known = each_once.filter_map(|name| {
        Some(SqlSession {
            name: name.to_owned(),
            key: keys.get(name)?.clone(),
        })
    });
    known.collect()
}

/// Rows as they come. An error after the first of them ends the connection.
pub(crate) async fn rows(question: &Question, form: Form, limit: u32) -> Result<Body, ApiError> {
    let mut process = question.ask(form, limit).await?;
    let first = process.next().await?;
    if first.is_empty() {
        return Ok(Body::empty());
    }
    let rest = stream::unfold((Some(first), process), async |(first, mut process)| {
        let bytes = match first {
            Some(first) => Ok(first),
            None => process.next().await,
        };
        match bytes {
            Ok(bytes) if bytes.is_empty() => None,
            Ok(bytes) => Some((Ok(Bytes::from(bytes)), (None, process))),
            Err(error) => Some((
                Err(std::io::Error::other(error.report.error)),
                (None, process),
            )),
        }
    });
    // Whoever compresses the body asks once more after its end.
    Ok(Body::from_stream(rest.fuse()))
}

fn read<T: serde::de::DeserializeOwned>(text: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(text).map_err(|error| {
        failed(&format!(
            "its answer is not understood, is it of another release? {error}"
        ))
    })
}
