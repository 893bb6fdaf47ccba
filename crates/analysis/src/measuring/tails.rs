//! Tails of runs: a device is done with its part of a run that another device of the same host still works
//! on, and the host waits for the whole run.
//!
//! ```text
//! host      [launch][ waits for the result      ]
//! CPU:0     [ run 7 ]............................
//! CPU:1     [ run 7                           ]
//!                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^ the tail on CPU:0
//! ```
//!
//! Had CPU:1 less to do, the host would go on earlier: neither what the host does nor that it waits is
//! why CPU:0 is idle. While the host does something else, it is not the run that it waits for.

use std::collections::BTreeMap;

use stepscope_model::{HostId, Picos, ProgramId, ProgramRun, Session, Span};

use crate::measuring::activity::{Cause, Loops, claimed};
use crate::measuring::interval::Intervals;

/// Devices never end at the same instant. A tail of a smaller share of its run is none.
const MIN_SHARE: f64 = 0.05;

/// One run on all devices of a host.
type Key = (HostId, ProgramId, i64);

/// By device: the tails of its runs. `runs` are those of each device, by start.
pub(crate) fn tails(session: &Session, runs: &[Vec<&ProgramRun>]) -> Vec<Intervals> {
    let whole = whole_runs(session, runs);
    let found = runs.iter().map(|own| {
        let tails = own.iter().enumerate().filter_map(|(position, run)| {
            let whole = whole.get(&key(session, run)?)?;
            let next = own.get(position + 1).map(|next| next.span.start);
            let until = whole.end.min(next.unwrap_or(Picos::MAX));
            let tail = (until - run.span.end).0;
            let is_long = tail as f64 >= MIN_SHARE * whole.duration().0 as f64 && tail > 0;
            is_long.then(|| Span::new(run.span.end, until))
        });
        Intervals::union_of(tails.collect())
    });
    while_host_waits(session, found.collect())
}

fn key(session: &Session, run: &ProgramRun) -> Option<Key> {
    let host = session.device(run.device).host;
    Some((host, run.program, run.run_id?))
}

/// From the first start to the last end of each run of several devices.
fn whole_runs(session: &Session, runs: &[Vec<&ProgramRun>]) -> BTreeMap<Key, Span> {
    let mut whole: BTreeMap<Key, Span> = BTreeMap::new();
    if runs.iter().filter(|own| !own.is_empty()).count() < 2 {
        return whole;
    }
    for run in runs.iter().flatten() {
        if let Some(key) = key(session, run) {
            let all = whole.entry(key).or_insert(run.span);
            *all = all.hull(run.span);
        }
    }
    whole
}

/// The times in which the host waits for a device or reads from it.
fn while_host_waits(session: &Session, found: Vec<Intervals>) -> Vec<Intervals> {
    let mut windows: BTreeMap<HostId, Intervals> = BTreeMap::new();
    for (device, own) in session.device_ids().zip(&found) {
        if !own.spans().is_empty() {
            let all = windows.entry(session.device(device).host).or_default();
            *all = all.union(own);
        }
    }
    let waits = host_waits(session, windows);
    let devices = session.device_ids().zip(found);
    let within = devices.map(
        |(device, own)| match waits.get(&session.device(device).host) {
            Some(waits) => own.intersect(waits),
            None => own,
        },
    );
    within.collect()
}

/// When each of these hosts waits for a device or reads from it, within the windows of the host.
pub(super) fn host_waits(
    session: &Session,
    windows: BTreeMap<HostId, Intervals>,
) -> BTreeMap<HostId, Intervals> {
    let waits = windows.into_iter().flat_map(|(host, windows)| {
        let claimed = claimed(session, (&[host], Loops::All), windows.spans());
        let waits = claimed.into_iter().map(|(host, times)| {
            let of = |cause: Cause| times.get(cause.position()).cloned().unwrap_or_default();
            (host, of(Cause::Transfer).union(&of(Cause::Blocked)))
        });
        waits.collect::<Vec<_>>()
    });
    waits.collect()
}
