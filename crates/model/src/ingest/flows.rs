//! Flows: joining the two ends of arrows by what they have in common.

use super::decode::EndpointKey;
use crate::flow::{Flow, FlowKind};
use crate::ids::{HostId, SliceId};

/// One end of an arrow, placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PlacedEnd {
    pub(super) host: HostId,
    pub(super) key: EndpointKey,
    /// The slice lies on a device's track.
    pub(super) on_device: bool,
    pub(super) slice: SliceId,
}

/// Keys with more ends than this on both sides are identities that were reused, not arrows.
const MAX_PAIRS_PER_SIDE: usize = 64;

/// Joins ends of equal keys on the same host.
pub(super) fn join(mut ends: Vec<PlacedEnd>) -> Vec<Flow> {
    let mut flows = Vec::new();
    ends.sort_unstable_by_key(|end| (end.host, group(end.key), end.slice));
    for group in ends.chunk_by(|a, b| (a.host, group(a.key)) == (b.host, group(b.key))) {
        let kind = match group[0].key {
            EndpointKey::Correlation(_) => FlowKind::Launch,
            EndpointKey::Producer(..) | EndpointKey::Consumer(..) => FlowKind::ProducerConsumer,
        };
        let is_origin = |end: &PlacedEnd| match end.key {
            EndpointKey::Correlation(_) => !end.on_device,
            EndpointKey::Producer(..) => true,
            EndpointKey::Consumer(..) => false,
        };
        let origins: Vec<SliceId> = group
            .iter()
            .filter(|e| is_origin(e))
            .map(|e| e.slice)
            .collect();
        let targets: Vec<SliceId> = group
            .iter()
            .filter(|e| !is_origin(e))
            .map(|e| e.slice)
            .collect();
        if origins.len() > MAX_PAIRS_PER_SIDE && targets.len() > MAX_PAIRS_PER_SIDE {
            continue;
        }
        for &from in &origins {
            flows.extend(targets.iter().map(|&to| Flow { from, to, kind }));
        }
    }
    flows
}

/// What both ends of an arrow share.
fn group(key: EndpointKey) -> (u8, i64, u64) {
    match key {
        EndpointKey::Correlation(id) => (0, 0, id),
        EndpointKey::Producer(kind, id) | EndpointKey::Consumer(kind, id) => (1, kind, id),
    }
}
