//! Sessions for tests: from captures and from drawings.

pub(crate) mod memory_viewer;
pub(crate) mod planted;
pub(crate) mod xprof;

use std::fmt::Write;
use std::sync::Arc;

use stepscope_analysis::find;
use stepscope_model::Session;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_testing::corpus::{self, Capture};
use stepscope_testing::drawing;

/// The session of a capture, all hosts.
pub(crate) fn open(capture: &Capture) -> Session {
    let hosts = capture.hosts.iter().map(|path| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let host = file
            .split(".xplane.pb")
            .next()
            .unwrap_or_default()
            .to_owned();
        let bytes = corpus::read_bytes(path).expect("a capture can be read");
        HostInput {
            host,
            bytes: Arc::new(bytes),
            problem: None,
        }
    });
    ingest(&capture.name, hosts.collect()).expect("a capture is a profile")
}

/// A capture of a folder of fixtures, such as `gpu-h100`.
pub(crate) fn fixture_in(family: &str, name: &str) -> Capture {
    let mut all = corpus::fixtures_in(family).into_iter();
    all.find(|capture| capture.name == name)
        .unwrap_or_else(|| panic!("{name} is a fixture"))
}

/// What a recorded program measured of itself.
pub(crate) fn truth(capture: &Capture) -> serde_json::Value {
    let path = capture.folder.join("truth.json");
    let text = std::fs::read_to_string(path).expect("the truth is there");
    serde_json::from_str(&text).expect("the truth is JSON")
}

/// A number of a report.
pub(crate) fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().expect("a number")
}

/// A list of a report; empty if it is absent.
pub(crate) fn rows<'a>(report: &'a serde_json::Value, key: &str) -> &'a [serde_json::Value] {
    report[key].as_array().map_or(&[], Vec::as_slice)
}

/// A whole number of a row.
pub(crate) fn picos(row: &serde_json::Value, key: &str) -> i64 {
    row[key]
        .as_i64()
        .unwrap_or_else(|| panic!("no {key} in {row}"))
}

/// A text of a row; empty if it is absent.
pub(crate) fn text<'a>(row: &'a serde_json::Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_default()
}

/// The session of a drawing, one text for each host.
pub(crate) fn drawn(texts: &[&str]) -> Session {
    let hosts = texts.iter().enumerate().map(|(number, text)| {
        let space = drawing::draw(text).unwrap_or_else(|error| panic!("{error}"));
        let host = space
            .hostnames
            .first()
            .cloned()
            .unwrap_or(format!("host-{number}"));
        HostInput {
            host,
            bytes: Arc::new(space.to_bytes()),
            problem: None,
        }
    });
    ingest("drawing", hosts.collect()).expect("a drawing is a profile")
}

/// The JSON of an analysis, options as name and value.
pub(crate) fn ask(
    session: &Session,
    analysis: &str,
    options: &[(&str, &str)],
) -> serde_json::Value {
    let entry = find(analysis).expect("the analysis exists");
    let answer = entry
        .run_pairs(session, options.iter().copied())
        .unwrap_or_else(|error| panic!("{analysis} {options:?}: {error}"));
    answer.json().expect("a report is JSON")
}

/// Captures of the corpus and fixtures of our own.
pub(crate) fn all_captures() -> Vec<Capture> {
    let mut captures = corpus::captures();
    captures.extend(corpus::fixtures());
    captures
}

/// Steps of these lengths on one virtual device, that many additions of 1 us in each.
pub(crate) fn uneven(lengths: [u64; 5], ops: u64) -> Session {
    let mut steps = String::new();
    let mut work = String::new();
    let mut start = 0;
    for (number, length) in lengths.iter().enumerate() {
        let end = start + length;
        writeln!(steps, "{start}..{end}us train #step_num={number},_r=1#").expect("grows");
        for op in 0..ops {
            let at = start + 10 + op * 2;
            writeln!(work, "{at}..{}us add.1", at + 1).expect("grows");
        }
        start += length + 10;
    }
    drawn(&[&format!(
        "
        host vm
        thread python
        {steps}
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        {work}
        "
    )])
}
