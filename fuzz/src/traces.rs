//! Arbitrary bytes are refused or become profiles that keep the promises of any profile.

use stepscope_interchange::{Trace, chrome, perfetto};

/// Panics if reading breaks an invariant.
pub fn check(bytes: &[u8]) {
    for trace in [chrome::read(bytes), perfetto::read(bytes)] {
        check_trace(trace.ok());
    }
}

fn check_trace(trace: Option<Trace>) {
    for host in trace.into_iter().flat_map(|trace| trace.hosts) {
        crate::xplane::check(&host.bytes);
        crate::ingest::check(&host.bytes);
    }
}
