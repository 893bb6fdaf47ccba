//! Captures as sessions.

use std::sync::Arc;

use stepscope_model::Session;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_testing::corpus::{self, Capture};

/// All hosts of a capture.
pub(crate) fn session_of(capture: &Capture) -> Session {
    let inputs = capture.hosts.iter().map(|path| HostInput {
        host: path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        bytes: Arc::new(corpus::read_bytes(path).expect("a file")),
        problem: None,
    });
    ingest(&capture.name, inputs.collect()).expect("a session")
}
