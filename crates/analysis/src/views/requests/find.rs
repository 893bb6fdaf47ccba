//! Which slices are requests and batches.

use regex::Regex;
use stepscope_model::host_names::{is_batch, is_request};
use stepscope_model::{Activity, Class, HostId, Label, Session, SliceId, SliceKind, Span, TrackId};

use crate::measuring::activity::host_tracks;
use crate::measuring::selection::Selected;

/// A request or a batch.
#[derive(Debug, Clone)]
pub(super) struct Root {
    pub(super) host: HostId,
    pub(super) slice: SliceId,
    pub(super) span: Span,
}

/// Requests and batches, each by host and start.
pub(super) struct Roots {
    pub(super) requests: Vec<Root>,
    pub(super) batches: Vec<Root>,
}

pub(super) fn find(
    session: &Session,
    selected: &Selected<'_>,
    root: Option<&Regex>,
    batch: Option<&Regex>,
) -> Roots {
    let can_be = |label: &Label| {
        matches!(label.kind, SliceKind::Host | SliceKind::Python)
            && (label.class == Class::Step || label.activity != Activity::None)
    };
    let is_named = |label: &Label, pattern: Option<&Regex>, usual: fn(&str) -> bool| {
        let name = session.text(label.name);
        match pattern {
            Some(pattern) => can_be(label) && pattern.is_match(name),
            None => label.kind == SliceKind::Host && is_annotation(label) && usual(name),
        }
    };
    let marks = |pattern: Option<&Regex>, usual: fn(&str) -> bool| -> Vec<bool> {
        let labels = session.labels.iter();
        labels
            .map(|label| is_named(label, pattern, usual))
            .collect()
    };
    Roots {
        requests: roots(session, &selected.hosts, &marks(root, is_request)),
        batches: roots(session, &selected.hosts, &marks(batch, is_batch)),
    }
}

/// Whether the label can be a request by its activity. Runtime calls may contain the words too, but
/// what compiles, waits or copies is not a request. A loop may annotate requests as its steps.
const fn is_annotation(label: &Label) -> bool {
    matches!(label.class, Class::Step)
        || matches!(label.activity, Activity::Other | Activity::Runtime)
}

/// Slices of these labels that are not within another such slice.
fn roots(session: &Session, hosts: &[HostId], is_root: &[bool]) -> Vec<Root> {
    let mut found = Vec::new();
    if !is_root.contains(&true) {
        return found;
    }
    for &host in hosts {
        for track in host_tracks(session, host) {
            on_track(session, host, track, is_root, &mut found);
        }
    }
    found.sort_by_key(|root: &Root| (root.host, root.span.start, root.slice));
    found
}

fn on_track(session: &Session, host: HostId, id: TrackId, is_root: &[bool], found: &mut Vec<Root>) {
    let Some(track) = session.track_having(id, |label| is_root[label.index()]) else {
        return;
    };
    for nest in &track.nests {
        let mut covered: Vec<Span> = Vec::new();
        for number in nest.clone() {
            let lane = &track.lanes[number as usize];
            let mut fresh = Vec::new();
            for (index, label) in (0u32..).zip(lane.labels()) {
                if !is_root[label.index()] {
                    continue;
                }
                let span = lane.span(index as usize);
                let after = covered.partition_point(|outer| outer.start <= span.start);
                if after > 0 && covered[after - 1].contains_instant(span.start) {
                    continue;
                }
                fresh.push(span);
                found.push(Root {
                    host,
                    slice: SliceId {
                        track: id,
                        lane: number,
                        index,
                    },
                    span,
                });
            }
            covered.extend(fresh);
            covered.sort_unstable();
        }
    }
}
