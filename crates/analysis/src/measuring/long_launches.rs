//! Launches that take long to arrive: when a device did nothing although the call that launched its next
//! program had returned.
//!
//! ```text
//! host      [call][ blocks until ready     ]
//! device  ██      ........................ [ run ]
//!                 ^^^^^^^^^^^^^^^^^^^^^^^^ such as a CUDA graph that is uploaded before its first run
//! ```
//!
//! On XLA:CPU nothing has to arrive: the runtime hands the program to a thread of the same process, which
//! has no core yet, or frees memory first. On a TPU, a launch takes its time.

use std::collections::BTreeMap;

use stepscope_model::{
    DeviceId, DeviceKind, HostId, Picos, ProgramRun, Session, Span, Track, TrackId,
};

use crate::measuring::activity::{CAUSES, Cause, Loops, claimed};
use crate::measuring::interval::Intervals;

/// Launches usually arrive within 50 µs. Those that take longer than this are noted.
const LONG_PS: i64 = 100_000_000;

/// A run that began long after its launch and after the run before it.
struct Late {
    device: DeviceId,
    launched: Picos,
    /// From the end of the run before to the start of this one.
    gap: Span,
}

/// By device: times in which a launch was on its way, its thread had returned from the call, and the
/// host did nothing that a program waits for. `runs` are those of each device, by start.
pub(crate) fn long_launches(session: &Session, runs: &[Vec<&ProgramRun>]) -> Vec<Intervals> {
    let mut by_thread: BTreeMap<TrackId, Vec<Late>> = BTreeMap::new();
    for device in session.device_ids() {
        let kind = session.device(device).kind;
        if kind.is_gpu() || kind == DeviceKind::Cpu {
            add_late(device, &runs[device.index()], &mut by_thread);
        }
    }
    let mut found: Vec<Vec<Span>> = vec![Vec::new(); runs.len()];
    for (thread, late) in by_thread {
        let track = session.track_in_passing(thread);
        for one in late {
            let Some(returned) = returned(&track, one.launched) else {
                continue;
            };
            let start = returned.max(one.gap.start);
            if one.gap.end.0.saturating_sub(start.0) >= LONG_PS {
                let span = Span::new(start, one.gap.end);
                found[one.device.index()].push(span);
            }
        }
    }
    without_host_work(session, found)
}

fn add_late(device: DeviceId, runs: &[&ProgramRun], by_thread: &mut BTreeMap<TrackId, Vec<Late>>) {
    let mut ended = Picos(i64::MIN);
    for run in runs {
        let start = run.span.start;
        let since = start.0.saturating_sub(ended.0);
        if let Some((launched, thread)) = run.launched.zip(run.launched_on)
            && since >= LONG_PS
            && start.0.saturating_sub(launched.0) >= LONG_PS
        {
            by_thread.entry(thread).or_default().push(Late {
                device,
                launched,
                gap: Span::new(ended.max(launched), start),
            });
        }
        ended = ended.max(run.span.end);
    }
}

/// When the call that began at a time returned: the outermost of those that began then.
fn returned(track: &Track, launched: Picos) -> Option<Picos> {
    let lanes = track.lanes.iter();
    let ends = lanes.filter_map(|lane| {
        let index = lane.starts().binary_search(&launched.0).ok()?;
        Some(lane.span(index).end)
    });
    ends.max()
}

/// Takes out when the host did what the program may have waited for.
fn without_host_work(session: &Session, found: Vec<Vec<Span>>) -> Vec<Intervals> {
    let found: Vec<Intervals> = found.into_iter().map(Intervals::union_of).collect();
    let key = |device: DeviceId| {
        let device = session.device(device);
        (device.host, device.kind == DeviceKind::Cpu)
    };
    let mut late: BTreeMap<(HostId, bool), Intervals> = BTreeMap::new();
    for (device, own) in session.device_ids().zip(&found) {
        if !own.spans().is_empty() {
            let all = late.entry(key(device)).or_default();
            *all = all.union(own);
        }
    }
    let mut work: BTreeMap<(HostId, bool), Intervals> = BTreeMap::new();
    for (&(host, on_cpu), windows) in &late {
        for (_, times) in claimed(session, (&[host], Loops::All), windows.spans()) {
            let times = times.iter().zip(CAUSES);
            let may_delay = times.filter(|&(_, cause)| may_delay(cause, on_cpu));
            let all = may_delay.fold(Intervals::default(), |all, (own, _)| all.union(own));
            work.insert((host, on_cpu), all);
        }
    }
    let devices = session.device_ids().zip(found);
    let rest = devices.map(|(device, own)| match work.get(&key(device)) {
        Some(work) => own.subtract(work),
        None => own,
    });
    rest.collect()
}

/// Whether a program that was launched may wait for what its host does: on a GPU for whatever the host does
/// up to dispatch, on XLA:CPU for what is compiled or copied to it.
fn may_delay(cause: Cause, on_cpu: bool) -> bool {
    if on_cpu {
        matches!(cause, Cause::Compilation | Cause::CopyToDevice)
    } else {
        cause.position() <= Cause::Dispatch.position()
    }
}
