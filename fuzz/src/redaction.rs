//! Whatever can be opened can be written without names.

use std::sync::Arc;

use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::redact::{Key, redact};

/// Panics if redaction does.
pub fn check(bytes: &[u8]) {
    let input = HostInput {
        host: "fuzzed".to_owned(),
        bytes: Arc::new(bytes.to_vec()),
        problem: None,
    };
    if let Ok(session) = ingest("fuzzed", vec![input]) {
        let slices = session.slice_count();
        if let Ok((redacted, _)) = redact(&session, &Key::from_text("fuzzed")) {
            assert!(redacted.slice_count() <= slices);
        }
    }
}
