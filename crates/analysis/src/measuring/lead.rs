//! How far a host runs ahead of its devices: a loop that waits for its loss in every step may still leave
//! a little work behind, such as an update that nothing waits for.
//!
//! ```text
//! host     [step 0        wait][step 1        wait]
//! device      [work 0       ]x    [work 1       ]x      `x` ends after the annotation, by little
//! ```

use std::collections::BTreeMap;

use stepscope_model::{Class, HostId, Picos, Session, SliceKind, Span, StringId};

/// So small a share of an annotation is no lead.
const LITTLE: f64 = 0.05;
/// Share of the steps whose work has to end with its annotation.
const MOST: f64 = 0.9;
/// So many hosts are looked at, the first ones: they run the same loop, and the thread of each has to
/// be decoded.
const HOSTS: usize = 32;

/// Whether the work of most of these steps, which are annotated, ends with their annotations or at most a
/// little later. False where it is unknown which annotation is that of a step.
pub(crate) fn hardly_runs_ahead(
    session: &Session,
    series: Option<StringId>,
    steps: &[usize],
) -> bool {
    mostly_ends(session, series, steps, |own, _, end| {
        let late_ps = (end - own.end).0.max(0) as f64;
        Some(late_ps <= LITTLE * own.duration().0 as f64)
    })
}

/// Whether the work of most of these steps ends before the next annotation begins: the host waits for it, or
/// does something that takes as long, outside of the annotations.
pub(crate) fn is_done_before_next(
    session: &Session,
    series: Option<StringId>,
    steps: &[usize],
) -> bool {
    mostly_ends(session, series, steps, |_, next, end| {
        next.map(|next| end <= next.start)
    })
}

/// Whether most of these steps, which are annotated, end as `ends` says of an annotation, the next one on its
/// host, and the end of the work; what it does not know of does not count.
fn mostly_ends(
    session: &Session,
    series: Option<StringId>,
    steps: &[usize],
    ends: impl Fn(Span, Option<Span>, Picos) -> Option<bool>,
) -> bool {
    let Some(series) = series else {
        return false;
    };
    let annotated = annotations(session, series);
    let all = (0..session.steps.len()).filter(|&step| session.steps[step].series == Some(series));
    let mut seen: BTreeMap<HostId, usize> = BTreeMap::new();
    let (mut ended, mut known) = (0usize, 0usize);
    for position in all {
        for (host, work_end) in work_ends(session, position) {
            let number = seen.entry(host).or_default();
            let at = |number: usize| annotated.get(&host)?.get(number).copied();
            let (own, next) = (at(*number), at(*number + 1));
            *number += 1;
            let Some((own, end)) = own.zip(work_end) else {
                continue;
            };
            if steps.binary_search(&position).is_ok()
                && let Some(is_ended) = ends(own, next, end)
            {
                known += 1;
                ended += usize::from(is_ended);
            }
        }
    }
    let is_each = seen
        .iter()
        .all(|(host, &count)| annotated.get(host).map(Vec::len) == Some(count));
    is_each && known > 0 && ended as f64 >= MOST * known as f64
}

/// The hosts of a step, and when the last of its devices on each was done with its work.
fn work_ends(session: &Session, step: usize) -> BTreeMap<HostId, Option<Picos>> {
    let mut ends: BTreeMap<HostId, Option<Picos>> = BTreeMap::new();
    for on in session.steps[step]
        .spans
        .iter()
        .filter(|on| is_looked_at(on.host))
    {
        let end = ends.entry(on.host).or_default();
        *end = (*end).max(on.work.map(|work| work.end));
    }
    ends
}

/// The annotations of a series on each host, in their order.
fn annotations(session: &Session, series: StringId) -> BTreeMap<HostId, Vec<Span>> {
    let labels = session.labels.iter();
    let is_own: Vec<bool> = labels
        .map(|label| {
            label.name == series && label.class == Class::Step && label.kind != SliceKind::Marker
        })
        .collect();
    let mut found: BTreeMap<HostId, Vec<Span>> = BTreeMap::new();
    for id in session.track_ids() {
        let thread = session.track(id);
        if thread.device.is_some() || !is_looked_at(thread.host) {
            continue;
        }
        let Some(track) = session.track_having(id, |label| is_own[label.index()]) else {
            continue;
        };
        let own = found.entry(track.host).or_default();
        for lane in &track.lanes {
            let slices = lane.labels().iter().enumerate();
            let named = slices.filter(|(_, label)| is_own[label.index()]);
            own.extend(named.map(|(index, _)| lane.span(index)));
        }
    }
    for spans in found.values_mut() {
        spans.sort_unstable();
    }
    found
}

fn is_looked_at(host: HostId) -> bool {
    host.index() < HOSTS
}
