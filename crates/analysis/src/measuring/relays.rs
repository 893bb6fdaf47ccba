//! Relays: devices of one host work one after another on the result that the host waits for.
//!
//! ```text
//! host      [launch 1][copy][launch 2] [ reads the result of run 2 ]
//! CPU:0     [ run 1  ]................................
//! CPU:1                        [ run 2               ]
//!                                      ^^^^^^^^^^^^^^^ CPU:0 waits for CPU:1, and not for its host
//! ```
//!
//! The host waits for a run that it launched before, and goes on soon after its end.

use std::collections::BTreeMap;

use stepscope_model::{HostId, Picos, ProgramRun, Session, Span};

use super::tails::host_waits;
use crate::measuring::compiled_calls::CompiledCalls;
use crate::measuring::interval::Intervals;

/// Programs of other devices run for this share of the time of a device, at least.
const MIN_SHARE: f64 = 0.1;
/// A wait ends in this share of its time after what it waited for: the rest is a copy.
const LATE: i64 = 4;

/// By device: when its host waited for others. `runs` are those of each device, by start.
pub(crate) fn relays(
    session: &Session,
    runs: &[Vec<&ProgramRun>],
    calls: &CompiledCalls,
) -> Vec<Intervals> {
    let mut of_hosts: BTreeMap<HostId, Vec<&[&ProgramRun]>> = BTreeMap::new();
    for (device, own) in session.device_ids().zip(runs) {
        if !own.is_empty() {
            let devices = of_hosts.entry(session.device(device).host).or_default();
            devices.push(own);
        }
    }
    of_hosts.retain(|_, devices| takes_turns(devices));
    let windows = of_hosts.iter().map(|(&host, devices)| {
        let gaps = devices.iter().map(|own| gaps(own));
        let all = gaps.reduce(|one, other| one.union(&other));
        (host, all.unwrap_or_default())
    });
    let waits = host_waits(session, windows.collect());
    let relays: BTreeMap<HostId, Intervals> = of_hosts
        .iter()
        .filter_map(|(host, devices)| Some((*host, waited_for(devices, waits.get(host)?, calls))))
        .collect();
    let devices = session.device_ids().zip(runs);
    let of_device = devices.map(
        |(device, own)| match relays.get(&session.device(device).host) {
            Some(relays) => relays.intersect(&gaps(own)),
            None => Intervals::default(),
        },
    );
    of_device.collect()
}

/// Between the runs of a device, and after the last one.
fn gaps(own: &[&ProgramRun]) -> Intervals {
    let ends = own.iter().map(|run| run.span.end);
    let starts = own.iter().skip(1).map(|run| run.span.start);
    let between = ends.zip(starts.chain([Picos::MAX]));
    let spans = between.filter(|(start, end)| start < end);
    Intervals::union_of(spans.map(|(start, end)| Span { start, end }).collect())
}

/// Whether devices run programs while others of the host run none.
fn takes_turns(devices: &[&[&ProgramRun]]) -> bool {
    let spans = |own: &[&ProgramRun]| Intervals::union_of(own.iter().map(|run| run.span).collect());
    let busy: Vec<Intervals> = devices.iter().map(|own| spans(own)).collect();
    let all = (busy.iter().cloned()).reduce(|one, other| one.union(&other));
    let all_ps = all.unwrap_or_default().duration().0 as f64;
    // A device that runs nothing for the time of the others.
    busy.len() > 1
        && (busy.iter()).any(|own| (own.duration().0 as f64) < (1.0 - MIN_SHARE) * all_ps)
}

/// From the start of each wait to the end of the run that it was for.
fn waited_for(devices: &[&[&ProgramRun]], waits: &Intervals, calls: &CompiledCalls) -> Intervals {
    let runs = devices.iter().flat_map(|own| own.iter());
    let mut ends: Vec<(Picos, Picos)> = runs
        .filter_map(|run| Some((run.span.end, calls.handed_over(run)?)))
        .collect();
    ends.sort_unstable();
    let found = waits.spans().iter().filter_map(|wait| {
        let late = wait.end - Picos(wait.duration().0 / LATE);
        let until = ends.partition_point(|&(end, _)| end <= wait.end);
        let late = ends[..until]
            .iter()
            .rev()
            .take_while(|&&(end, _)| end >= late);
        let mut launched = late.filter(|&&(_, launched)| launched <= wait.start);
        let &(end, _) = launched.next()?;
        (end > wait.start).then_some(Span {
            start: wait.start,
            end,
        })
    });
    Intervals::union_of(found.collect())
}
