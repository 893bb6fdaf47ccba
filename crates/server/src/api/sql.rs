//! Queries in SQL over the sessions of the library.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::slot;
use crate::error::ApiError;
use crate::library::Library;
use crate::queries::{self, Asking, Form, Question, SqlRequest, no_sql_program};
use crate::sizes;

/// Route of both.
pub(crate) const PATH: &str = "/api/sql";

/// Rows of an answer in JSON, if the request does not say.
const ROWS: u32 = 10_000;
/// Most rows of an answer in JSON.
const MOST_ROWS: u32 = 100_000;

pub(crate) async fn schema(State(library): State<Arc<Library>>) -> Result<Response, ApiError> {
    let schema = queries::schema(library.sql_program(), &library.sql_schema).await?;
    sizes::json(&schema, "")
}

/// Answers a query. A client that goes away ends it.
pub(crate) async fn query(
    State(library): State<Arc<Library>>,
    body: Result<Json<SqlRequest>, JsonRejection>,
) -> Result<Response, ApiError> {
    let Json(asked) = body.map_err(|rejection| ApiError::bad_request(rejection.body_text()))?;
    let form = form(asked.format.as_deref())?;
    let (question, keys) = question(&library, asked.query, asked.sessions.as_deref())?;
    let (kind, name) = match form {
        Form::Json => {
            let limit = asked.limit.unwrap_or(ROWS).clamp(1, MOST_ROWS);
            let report = queries::answer(&question, limit, &keys).await?;
            return sizes::json(&report, "Ask for fewer rows.");
        }
        Form::Csv => ("text/csv; charset=utf-8", "rows.csv"),
        Form::Arrow => ("application/vnd.apache.arrow.stream", "rows.arrows"),
    };
    let rows = queries::rows(&question, form, asked.limit.unwrap_or(0)).await?;
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
    ];
    Ok((headers, rows).into_response())
}

fn form(name: Option<&str>) -> Result<Form, ApiError> {
    let forms = [Form::Json, Form::Csv, Form::Arrow];
    let Some(name) = name else {
        return Ok(Form::Json);
    };
    let found = forms.into_iter().find(|form| form.name() == name);
    found.ok_or_else(|| {
        ApiError::bad_request(format!("Unknown format {name:?}."))
            .with_hint("Available: json, csv, arrow.")
    })
}

/// What the program is asked, and the keys of the sessions by name.
pub(crate) fn question(
    library: &Library,
    query: String,
    wanted: Option<&[String]>,
) -> Result<(Question, HashMap<String, String>), ApiError> {
    let program = program(library)?;
    let (place, keys) = asking(library, wanted)?;
    let question = Question {
        program,
        query,
        places: vec![place],
    };
    Ok((question, keys))
}

/// The program that answers.
pub(crate) fn program(library: &Library) -> Result<PathBuf, ApiError> {
    library.sql_program().ok_or_else(|| {
        let (message, hint) = no_sql_program();
        ApiError::new(StatusCode::NOT_IMPLEMENTED, format!("{message}.")).with_hint(hint)
    })
}

/// The sessions of a library that are asked, and their keys by name.
pub(crate) fn asking(
    library: &Library,
    wanted: Option<&[String]>,
) -> Result<(Asking, HashMap<String, String>), ApiError> {
    let slots = match wanted {
        None => library.slots(),
        Some(wanted) => {
            let slots = wanted.iter().map(|id| slot(library, id));
            slots.collect::<Result<_, _>>()?
        }
    };
    let in_files = slots.iter().filter(|slot| slot.files.is_some());
    let keys: HashMap<String, String> = in_files
        .map(|slot| (slot.name.clone(), slot.key.clone()))
        .collect();
    let root = library.root_path().filter(|_| !keys.is_empty());
    let root = root.ok_or_else(|| {
        ApiError::bad_request("Only sessions in files can be asked in SQL.")
            .with_hint("Write the profile to a file, and open that.")
    })?;
    let path = root.to_str().ok_or_else(|| {
        ApiError::bad_request("The path of the sessions is not Unicode text.")
            .with_hint("`stepscope sql PATH` takes any path.")
    })?;
    let asking = Asking {
        path: path.to_owned(),
        sessions: wanted.map(|_| keys.keys().cloned().collect()),
    };
    Ok((asking, keys))
}
