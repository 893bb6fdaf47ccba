//! Reports, from the one list of analyses.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use stepscope_analysis::cell::to_csv;
use stepscope_analysis::{ANALYSES, Answer, Entry, find};
use stepscope_model::Session;

use super::opened;
use crate::error::{ApiError, compute};
use crate::library::{Library, OpenSession};
use crate::parameters::Parameters;
use crate::reports::{AnalysisEntry, AnalysisOption};

/// Reports kept per session, and their bytes.
const MAX_REPORTS: usize = 64;
const MAX_REPORT_BYTES: usize = 64 << 20;

/// Reports computed before: sessions never change. The latest last.
#[derive(Default)]
pub(crate) struct ReportCache(Vec<(String, Bytes)>);

impl ReportCache {
    fn get(&mut self, question: &str) -> Option<Bytes> {
        let position = self.0.iter().position(|(known, _)| known == question)?;
        let entry = self.0.remove(position);
        let answer = entry.1.clone();
        self.0.push(entry);
        Some(answer)
    }

    fn put(&mut self, question: String, answer: Bytes) {
        self.0.retain(|(known, _)| *known != question);
        self.0.push((question, answer));
        let bytes = |cache: &Self| {
            cache
                .0
                .iter()
                .map(|(_, answer)| answer.len())
                .sum::<usize>()
        };
        while self.0.len() > MAX_REPORTS || (self.0.len() > 1 && bytes(self) > MAX_REPORT_BYTES) {
            self.0.remove(0);
        }
    }
}

pub(crate) async fn list() -> Json<Vec<AnalysisEntry>> {
    Json(ANALYSES.iter().map(entry).collect())
}

fn entry(entry: &Entry) -> AnalysisEntry {
    let command = entry.command();
    let options = command.get_arguments().filter_map(|argument| {
        let defaults = argument.get_default_values().first();
        let values = argument.get_possible_values();
        Some(AnalysisOption {
            name: argument.get_long()?.to_owned(),
            help: argument
                .get_help()
                .map(ToString::to_string)
                .unwrap_or_default(),
            default: defaults.map(|value| value.to_string_lossy().into_owned()),
            values: values
                .iter()
                .map(|value| value.get_name().to_owned())
                .collect(),
        })
    });
    AnalysisEntry {
        name: entry.name,
        aliases: entry.aliases,
        summary: entry.summary,
        group: entry.group,
        options: options.collect(),
    }
}

pub(crate) async fn run(
    State(library): State<Arc<Library>>,
    Path((id, name)): Path<(String, String)>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let entry = find(&name).ok_or_else(|| {
        let names: Vec<&str> = ANALYSES.iter().map(|entry| entry.name).collect();
        let hint = format!("There are: {}.", names.join(", "));
        ApiError::not_found(format!("There is no analysis {name:?}.")).with_hint(hint)
    })?;
    let open = opened(&library, &id).await?;
    let place = format!("The analysis {}", entry.name);
    compute(&place, move || answer(&open, entry, &parameters)).await
}

fn answer(
    open: &OpenSession,
    entry: &'static Entry,
    parameters: &Parameters,
) -> Result<Response, ApiError> {
    match parameters.get("format") {
        None | Some("json") => {
            let json = json(open, entry, parameters)?;
            Ok(([(header::CONTENT_TYPE, "application/json")], json).into_response())
        }
        Some("csv") => csv(open, entry, parameters),
        Some(other) => Err(ApiError::bad_request(format!("The format is {other:?}."))
            .with_hint("There are json and csv.")),
    }
}

fn json(open: &OpenSession, entry: &Entry, parameters: &Parameters) -> Result<Bytes, ApiError> {
    let question = format!(
        "{}?{:?}",
        entry.name,
        options(parameters).collect::<Vec<_>>()
    );
    let cache = || {
        open.reports
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    };
    if let Some(known) = cache().get(&question) {
        return Ok(known);
    }
    let answer = computed(&open.session, entry, parameters)?;
    let json = Bytes::from(answer.json_text()?);
    cache().put(question, json.clone());
    Ok(json)
}

fn csv(open: &OpenSession, entry: &Entry, parameters: &Parameters) -> Result<Response, ApiError> {
    let tables = computed(&open.session, entry, parameters)?.tables();
    let wanted = parameters.get("table");
    let table = match wanted {
        None => tables.first(),
        Some(key) => tables.iter().find(|table| table.key == key),
    };
    let table = table.ok_or_else(|| {
        let keys: Vec<&str> = tables.iter().map(|table| table.key).collect();
        let hint = format!("There are: {}.", keys.join(", "));
        let wanted = wanted.unwrap_or_default();
        ApiError::not_found(format!("The report has no table {wanted:?}.")).with_hint(hint)
    })?;
    let disposition = format!("attachment; filename=\"{}-{}.csv\"", entry.name, table.key);
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, to_csv(table)).into_response())
}

fn computed(session: &Session, entry: &Entry, parameters: &Parameters) -> Result<Answer, ApiError> {
    Ok(entry.run_pairs(session, options(parameters))?)
}

/// The parameters that are options of the analysis. The token is none: scripts may send it with
/// every request.
fn options(parameters: &Parameters) -> impl Iterator<Item = (&str, &str)> {
    let pairs = parameters
        .0
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    pairs
        .filter(|(name, value)| !matches!(*name, "format" | "table" | "token") && !value.is_empty())
}
