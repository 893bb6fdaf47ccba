//! Ingest: from the bytes of each host to a [`Session`].
//!
//! ```text
//! scan planes ─► plan tracks ─► decode + nest (parallel, one job a track)
//!                    │
//! programs (HLO) ────┴─► labels and ops ─► runs ─► steps ─► flows ─► display order
//! └──────────── some hosts at a time ───┘
//! ```
//!
//! Only decoding is proportional to the number of events. Everything after works on labels, runs
//! and arrow ends.

mod arrows;
mod assemble;
mod async_ops;
mod build;
mod calls;
mod clocks;
mod decode;
mod deferred;
mod devices;
mod directions;
mod environment;
mod finish;
mod graph_events;
mod graphs;
mod hlo_files;
mod input;
mod keys;
mod labels;
mod manifests;
mod marks;
mod memory;
mod nest;
mod order;
mod parts;
mod plan;
mod programs;
mod range;
#[cfg(test)]
mod range_tests;
mod recorded_calls;
mod recorded_op;
mod repeat;
mod round;
#[cfg(test)]
mod round_tests;
mod runs;
mod seen;
mod steps;
mod tracks;
mod unnumbered;
mod warn;

use stepscope_xplane::Space;

pub(crate) use clocks::counts_from_recorded_start;
pub(crate) use environment::value_text;
pub use hlo_files::{ProgramInput, ingest_all};
pub use input::{HostInput, IngestError};
pub use memory::{MemoryInput, ingest_with_memory};
pub use range::{ingest_range, survey_range, survey_starts};

use crate::heap::is_memory_profile;
use crate::remains::EMPTY;
use crate::session::{HOSTS_KEPT, Session};

/// Builds a session from the files of all its hosts. Damage becomes warnings; an error means that
/// nothing at all could be decoded.
pub fn ingest(name: &str, inputs: Vec<HostInput>) -> Result<Session, IngestError> {
    ingest_in_rounds(name, inputs, HOSTS_KEPT)
}

/// The same, this many hosts at a time where there are more: memory then grows with what a round
/// holds, and what is large per host is computed again for whoever needs it. Answers do not differ.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the session keeps the bytes: callers hand them over"
)]
pub fn ingest_in_rounds(
    name: &str,
    inputs: Vec<HostInput>,
    hosts_at_once: usize,
) -> Result<Session, IngestError> {
    let session = assemble::assemble(name, &inputs, hosts_at_once.max(1));
    released(session, &inputs)
}

/// The same of some hosts, by name: of the files of the others, only what concerns all hosts is read,
/// which is clocks and programs. Those hosts have no devices and no tracks. Times, names and kinds of
/// slices are the same as in the whole session; what is decided over all hosts (steps, numbers of
/// tracks, ops of graphs) may not be.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the session keeps the bytes: callers hand them over"
)]
pub fn ingest_hosts(
    name: &str,
    inputs: Vec<HostInput>,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Session, IngestError> {
    let wanted: Vec<bool> = inputs.iter().map(|input| is_wanted(&input.host)).collect();
    let session = assemble::assemble_wanted(name, &inputs, &wanted, HOSTS_KEPT);
    released(session, &inputs)
}

fn released(session: Option<Session>, inputs: &[HostInput]) -> Result<Session, IngestError> {
    let Some(first) = inputs.first() else {
        return Err(IngestError::NoInput);
    };
    // Programs and names were read from all over the files.
    for input in inputs {
        input.bytes.release_all();
    }
    session.ok_or_else(|| IngestError::NotAProfile {
        host: first.host.clone(),
        found: describe((*first.bytes).as_ref(), XSPACE),
    })
}

/// The expected kind of file.
const XSPACE: &str = "*.xplane.pb that the JAX profiler writes";

/// What a file looks like that is not what was `expected`.
fn describe(bytes: &[u8], expected: &str) -> String {
    let head = &bytes[..bytes.len().min(4096)];
    let text = String::from_utf8_lossy(head);
    let start = text.trim_start().to_ascii_lowercase();
    if bytes.is_empty() && expected == XSPACE {
        return EMPTY.to_owned();
    }
    if bytes.is_empty() {
        return "the file is empty (0 bytes); the capture was probably interrupted; capture again"
            .to_owned();
    }
    if head.iter().all(|&byte| byte == 0) {
        return "the file contains only zero bytes; it was probably never completely written"
            .to_owned();
    }
    if start.starts_with("<!doctype") || start.starts_with("<html") {
        return "it is an HTML page, perhaps the error page of a failed download".to_owned();
    }
    if start.starts_with('{') || start.starts_with('[') {
        return "it is JSON; a trace.json is an export of the *.xplane.pb next to it, open that file instead".to_owned();
    }
    if std::str::from_utf8(head).is_ok() && !head.contains(&0) {
        return "it is a text file".to_owned();
    }
    if is_memory_profile(head) {
        return "it is a memory profile (pprof); rename it to *.prof to open it as one".to_owned();
    }
    if Space::scan(bytes)
        .planes
        .iter()
        .any(|plane| plane.mistyped_fields > 0)
    {
        return format!(
            "it is another protobuf message, perhaps a dumped HLO module (*.hlo_proto.pb); expected the {expected}"
        );
    }
    let size = bytes.len();
    format!(
        "{size} bytes of another format, or damaged from the first byte; expected the {expected}"
    )
}
