//! Answers do not depend on how many hosts are decoded at a time and kept: those of a session of many
//! hosts are those of the same session opened whole.

use std::sync::Arc;

use stepscope_analysis::ANALYSES;
use stepscope_model::Session;
use stepscope_model::ingest::{HostInput, ingest_in_rounds};
use stepscope_testing::corpus::{self, Capture};

use crate::support::all_captures;

fn opened(capture: &Capture, hosts_at_once: usize) -> Session {
    let host = |path: &std::path::PathBuf| HostInput {
        host: path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        bytes: Arc::new(corpus::read_bytes(path).expect("a capture can be read")),
        problem: None,
    };
    let hosts = capture.hosts.iter().map(host).collect();
    ingest_in_rounds(&capture.name, hosts, hosts_at_once).expect("a capture is a profile")
}

#[test]
fn answers_are_those_of_the_session_opened_whole() {
    let captures = all_captures();
    let mut asked = 0;
    for capture in captures.iter().filter(|capture| capture.hosts.len() > 1) {
        let (whole, rounds) = (opened(capture, usize::MAX), opened(capture, 1));
        assert!(rounds.has_many_hosts() && !whole.has_many_hosts());
        for entry in ANALYSES {
            let ask = |session: &Session| match entry.run_pairs(session, std::iter::empty()) {
                Ok(answer) => answer.json_text().expect("a report is JSON"),
                Err(error) => error.to_string(),
            };
            assert!(
                ask(&rounds) == ask(&whole),
                "{}: {}",
                capture.name,
                entry.name
            );
            asked += 1;
        }
    }
    assert!(
        asked >= ANALYSES.len(),
        "there is a capture of several hosts"
    );
}
