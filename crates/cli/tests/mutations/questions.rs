//! Every question is asked of a file, and what it answers is held to what is always true.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use stepscope_analysis::ANALYSES;
use stepscope_model::{Picos, Session};
use stepscope_server::open_files;
use stepscope_storage::{find, open_bytes, session_of};

use crate::exports::export;

/// Options of each question, beside none.
const OPTIONS: [&[(&str, &str)]; 3] = [&[], &[("steps", "1..2")], &[("time", "1us..50us")]];

/// The slowest answer, and what was asked.
#[derive(Default)]
pub(crate) struct Slowest {
    pub(crate) took: Duration,
    pub(crate) asked: String,
}

impl Slowest {
    pub(crate) fn add(&mut self, took: Duration, asked: impl FnOnce() -> String) {
        if took > self.took {
            (self.took, self.asked) = (took, asked());
        }
    }
}

/// The session of a file, unless it is refused.
pub(crate) fn session(name: &str, file: Vec<u8>) -> Option<Session> {
    if is_archive(name) {
        return first_in_archive(name, &file);
    }
    let hosts = open_bytes(name, Arc::new(file)).ok()?;
    Some(session_of("mutated", name, hosts).ok()?.session)
}

/// Whether a file holds others, by its name.
fn is_archive(name: &str) -> bool {
    let name = Path::new(name);
    let has = |ending: &str| name.extension().is_some_and(|found| found == ending);
    has("zip") || has("tar")
}

/// The first session of an archive, which is only read from a disk.
fn first_in_archive(name: &str, file: &[u8]) -> Option<Session> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, file).expect("a file");
    let found = find(&path).ok()?;
    open_files(found.newest()?).ok()
}

/// Opens a file and asks everything. Panics where an answer says what cannot be.
pub(crate) fn ask(about: &str, name: &str, file: Vec<u8>, slowest: &mut Slowest) -> bool {
    let start = Instant::now();
    let Some(session) = session(name, file) else {
        return false;
    };
    slowest.add(start.elapsed(), || format!("{about}: opening"));
    times_are_within_reach(about, &session);
    for entry in ANALYSES {
        for options in OPTIONS {
            let start = Instant::now();
            let answer = entry.run_pairs(&session, options.iter().copied());
            slowest.add(start.elapsed(), || {
                format!("{about}: {} {options:?}", entry.name)
            });
            if let Ok(answer) = answer {
                let asked = format!("{about}: {} {options:?}", entry.name);
                figures_are_possible(&asked, "", &answer.json().expect("a report is JSON"));
                _ = (answer.tables(), answer.headline(), answer.chart());
            }
        }
    }
    export(about, &session, slowest);
    true
}

fn times_are_within_reach(about: &str, session: &Session) {
    for lane in session.tracks.iter().flat_map(|track| &track.lanes) {
        for index in 0..lane.len() {
            let span = lane.span(index);
            let is_near = |time: Picos| time.within_reach() == time;
            assert!(
                is_near(span.start) && is_near(span.end),
                "{about}: {span:?}"
            );
            assert!(lane.durations()[index] >= 0, "{about}: {span:?}");
        }
    }
}

/// Times at a place, and differences between two times, may be negative; so may gains, which losses are.
fn may_be_negative(key: &str) -> bool {
    const PLACES: [&str; 17] = [
        "gain",
        "times",
        "start",
        "end",
        "at",
        "change",
        "offset",
        "late",
        "before",
        "after",
        "first",
        "begin",
        "difference",
        "drift",
        "from",
        "until",
        "to",
    ];
    let mut words = key.split('_');
    words.any(|word| PLACES.iter().any(|place| word.starts_with(place)))
}

fn figures_are_possible(asked: &str, key: &str, value: &Value) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                figures_are_possible(asked, key, value);
            }
        }
        Value::Array(values) => {
            for value in values {
                figures_are_possible(asked, key, value);
            }
        }
        Value::Number(number) => {
            let number = number.as_f64().expect("a number");
            if key.ends_with("_ps") && !may_be_negative(key) {
                assert!(number >= 0.0, "{asked}: {key} is {number}");
            }
            if matches!(
                key,
                "busy_ratio" | "idle_ratio" | "window_ratio" | "self_ratio"
            ) {
                let range = -1e-9..=1.0 + 1e-9;
                assert!(range.contains(&number), "{asked}: {key} is {number}");
            }
        }
        _ => {}
    }
}
