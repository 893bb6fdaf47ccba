//! Reports, from the registry of analyses.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use stepscope_analysis::telling::csv::{most_csv_bytes, to_csv};
use stepscope_analysis::{ANALYSES, Answer, Declaration, Entry, find};
use stepscope_model::Reads;

use super::slot;
use crate::error::{ApiError, compute};
use crate::library::Library;
use crate::parameters::Parameters;
use crate::report_cache::ReportCache;
use crate::reports::{AnalysisEntry, AnalysisOption};
use crate::sizes::{self, MAX_ANSWER_BYTES};

/// Parameters that are not options of an analysis: which session, token, format.
const NO_OPTIONS: [&str; 5] = ["format", "table", "token", "session", "history"];

pub(crate) async fn list() -> Json<Vec<AnalysisEntry>> {
    Json(entries())
}

pub(crate) fn entries() -> Vec<AnalysisEntry> {
    let of = |one: &Entry| AnalysisEntry {
        reads_devices_only: one.usually_reads() == Reads::Devices,
        ..entry(one)
    };
    ANALYSES.iter().map(of).collect()
}

pub(super) fn entry(entry: &Declaration) -> AnalysisEntry {
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
        reads_devices_only: false,
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
        unknown("analysis", &name, &names)
    })?;
    let slot = slot(&library, &id)?;
    let reads = || {
        let matches = entry.matches(options(&parameters));
        matches.map_or(Reads::Everything, |matches| entry.reads(&matches))
    };
    let open = library.opened_reading(&slot, reads).await;
    let open = open.map_err(|error| ApiError::from(&error))?;
    let place = format!("The analysis {}", entry.name);
    compute(&place, move || {
        let ask = || Ok(entry.run_pairs(&open.session, options(&parameters))?);
        let question = question(entry.name, &parameters);
        respond(entry, &parameters, Some(&open.reports), question, ask)
    })
    .await
}

pub(super) fn unknown(what: &str, name: &str, names: &[&str]) -> ApiError {
    let hint = format!("Available: {}.", names.join(", "));
    ApiError::not_found(format!("Unknown {what} {name:?}.")).with_hint(hint)
}

pub(super) fn respond(
    entry: &Declaration,
    parameters: &Parameters,
    known: Option<&Mutex<ReportCache>>,
    question: String,
    ask: impl FnOnce() -> Result<Answer, ApiError>,
) -> Result<Response, ApiError> {
    match parameters.get("format") {
        None | Some("json") => {
            let json = match known {
                Some(known) => json(known, question, ask)?,
                None => sizes::report_json(&ask()?)?,
            };
            Ok(([(header::CONTENT_TYPE, "application/json")], json).into_response())
        }
        Some("csv") => csv(entry.name, parameters, &ask()?),
        Some(other) => Err(ApiError::bad_request(format!("Unknown format {other:?}."))
            .with_hint("Available: json, csv.")),
    }
}

pub(super) fn question(name: &str, parameters: &Parameters) -> String {
    format!("{name}?{:?}", options(parameters).collect::<Vec<_>>())
}

fn json(
    known: &Mutex<ReportCache>,
    question: String,
    ask: impl FnOnce() -> Result<Answer, ApiError>,
) -> Result<Bytes, ApiError> {
    let cache = || known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = cache().get(&question) {
        return Ok(known);
    }
    let json = sizes::report_json(&ask()?)?;
    cache().put(question, json.clone());
    Ok(json)
}

fn csv(name: &str, parameters: &Parameters, answer: &Answer) -> Result<Response, ApiError> {
    let tables = answer.tables();
    let wanted = parameters.get("table");
    let table = match wanted {
        None => tables.first(),
        Some(key) => tables.iter().find(|table| table.key == key),
    };
    let table = table.ok_or_else(|| {
        let keys: Vec<&str> = tables.iter().map(|table| table.key).collect();
        let hint = format!("Available: {}.", keys.join(", "));
        let wanted = wanted.unwrap_or_default();
        ApiError::not_found(format!("Unknown table {wanted:?} for this report.")).with_hint(hint)
    })?;
    let hint = "Reduce limit, or select fewer steps, devices or hosts.";
    let reserved = sizes::reserve(most_csv_bytes(table), MAX_ANSWER_BYTES, hint)?;
    let disposition = format!("attachment; filename=\"{name}-{}.csv\"", table.key);
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    let csv = sizes::sent(to_csv(table).into_bytes(), reserved);
    Ok((headers, csv).into_response())
}

/// The parameters that are options of the question. The token isn't one: scripts may send it with
/// every request.
pub(super) fn options(parameters: &Parameters) -> impl Iterator<Item = (&str, &str)> {
    let pairs = parameters
        .0
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    pairs.filter(|(name, value)| !NO_OPTIONS.contains(name) && !value.is_empty())
}
