//! One incident, from the files in its folder.

use std::path::{Path, PathBuf};

use serde_json::Value;
use stepscope_storage::{read_text, shown};

use crate::report::{Incident, IncidentCapture, IncidentRank};

/// Larger files are not incidents.
const MOST_BYTES: u64 = 4 << 20;
const NS_PER_MS: u64 = 1_000_000;
/// No more files are looked at: two for each rank.
const MOST_ANSWERS: usize = 20_000;

const REPORTED: &str = "incident.json";
const NOTICED: &str = "request.json";

/// Whether a file or folder beside the incidents of a run is one.
pub(crate) fn is_in(folder: &Path) -> bool {
    [REPORTED, NOTICED]
        .iter()
        .any(|name| folder.join(name).is_file())
}

/// The incident in a folder of a run; `None` if nothing there can be read.
pub(crate) fn read(run: &str, folder: &Path) -> Option<Incident> {
    let reported = content(&folder.join(REPORTED));
    let is_reported = reported.is_some();
    let content = reported.or_else(|| content(&folder.join(NOTICED)))?;
    let text = |key: &str| content[key].as_str().unwrap_or("unknown").to_owned();
    let cause = content["cause"].as_str().filter(|_| is_reported);
    let captures = list(&content, "captures").iter().filter_map(Value::as_str);
    let missing = list(&content, "missing_ranks").iter().filter_map(number);
    let ranks = if is_reported {
        list(&content, "ranks").iter().filter_map(rank).collect()
    } else {
        answers(folder)
    };
    Some(Incident {
        id: text("id"),
        run: run.to_owned(),
        kind: text("kind"),
        what: text("what"),
        cause: cause.map(str::to_owned),
        rule: text("rule"),
        epoch_ms: content["unix_ns"].as_u64().unwrap_or_default() / NS_PER_MS,
        step: content["step"].as_i64(),
        rank: number(&content["rank"]),
        host: content["host"].as_str().map(str::to_owned),
        is_reported,
        is_derived: false,
        ranks,
        missing_ranks: missing.collect(),
        captures: captures
            .map(|path| IncidentCapture {
                path: path.to_owned(),
                session: None,
            })
            .collect(),
        metrics: Vec::new(),
        folder: shown(folder),
    })
}

/// Names of the metrics that an incident is about; its folder is that of the incident.
pub(crate) fn metrics_of(folder: &Path) -> Vec<String> {
    let content = content(&folder.join(NOTICED)).unwrap_or_default();
    let names = list(&content, "metrics").iter().filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}

/// Whether the report of an incident was written.
pub(crate) fn is_reported(folder: &Path) -> bool {
    folder.join(REPORTED).is_file()
}

/// The rank that an incident says is lost.
pub(crate) fn lost_rank(folder: &Path) -> Option<u32> {
    number(&content(&folder.join(NOTICED))?["lost_rank"])
}

fn content(file: &Path) -> Option<Value> {
    let text = read_text(file, MOST_BYTES).ok()?;
    let content = serde_json::from_str::<Value>(&text).ok();
    content.filter(Value::is_object)
}

/// What the ranks of an incident said of which no report was written.
fn answers(folder: &Path) -> Vec<IncidentRank> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.take(MOST_ANSWERS).map(|entry| entry.path());
    let is_answer = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("rank_") && name.ends_with(".json")
    };
    let answers = files.filter(is_answer).filter_map(|file| content(&file));
    let mut ranks: Vec<IncidentRank> = answers.filter_map(|answer| rank(&answer)).collect();
    ranks.sort_by_key(|one| one.rank);
    ranks
}

fn rank(content: &Value) -> Option<IncidentRank> {
    Some(IncidentRank {
        rank: number(&content["rank"])?,
        host: content["host"].as_str().unwrap_or("unknown").to_owned(),
        pid: number(&content["pid"]).unwrap_or_default(),
        step: content["step"].as_i64().unwrap_or_default(),
        place: content["where"].as_str().map(str::to_owned),
    })
}

fn list<'a>(content: &'a Value, key: &str) -> &'a [Value] {
    content[key].as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|value| u32::try_from(value).ok())
}
