//! Calls of compiled functions on host threads, and the runs that they started.
//!
//! JAX records `PjitFunction(step)` around every call. The call returns as soon as the program is
//! handed over, and no arrow leads from it to a run of XLA:CPU, nor from all launches on GPUs. But
//! calls of one function start its runs in their order:
//!
//! ```text
//! host     [call][call][call]......[wait]
//! device   [ run of an earlier call ][ run 1 ][ run 2 ][ run 3 ]
//! ```
//!
//! A run begins after its call does. The recording may begin while runs of earlier calls are under
//! way, and end before the last calls have run: both show as runs or calls that are left over. It
//! may also end inside a call, whose run is complete: then the call is missing (`recorded_calls`).

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::recorded_calls::{Call, Calls};
use crate::ids::{DeviceId, HostId, ProgramId};
use crate::session::{DeviceKind, ProgramRun, Session};
use crate::track::Track;
use crate::units::Picos;
use crate::vendor::hosts::{module_function, plain_function};

/// A call whose run was not recorded.
pub(super) type CallWithoutRun = (HostId, Picos);

/// Sets the launch time of runs, if calls of their function show it. Returns the calls whose run is
/// missing: of functions that ran at some time, or of all if no device recorded any work.
pub(super) fn match_runs(
    session: &Session,
    calls: &Calls,
    runs: &mut [ProgramRun],
) -> Vec<CallWithoutRun> {
    let is_of_device = |track: &Track| track.device.is_some() && track.slice_count() > 0;
    if !session.tracks.iter().any(is_of_device) {
        let hosts = calls
            .by_function
            .iter()
            .map(|((host, _), calls)| (*host, calls));
        return hosts
            .flat_map(|(host, calls)| calls.iter().map(move |call| (host, call.start)))
            .collect();
    }
    let mut by_function: BTreeMap<(DeviceId, String), Vec<usize>> = BTreeMap::new();
    let mut functions: BTreeMap<ProgramId, String> = BTreeMap::new();
    for (position, run) in runs.iter().enumerate() {
        let function = functions.entry(run.program).or_insert_with(|| {
            let module = &session.program(run.program).name;
            plain_function(module_function(module))
        });
        let key = (run.device, function.clone());
        by_function.entry(key).or_default().push(position);
    }
    let mut ran: BTreeMap<(HostId, String), usize> = BTreeMap::new();
    for ((device, function), mut positions) in by_function {
        let device = session.device(device);
        let key = (device.host, function);
        let own = calls.by_function.get(&key).map_or(&[][..], Vec::as_slice);
        let open = calls.open.get(&key.0).map_or(&[][..], Vec::as_slice);
        // Run IDs increase per program.
        let program = runs[positions[0]].program;
        let is_one = positions.iter().all(|&at| runs[at].program == program);
        let id = |at: usize| runs[at].run_id.filter(|_| is_one);
        positions.sort_by_key(|&at| (id(at), runs[at].span));
        let starts: Vec<Picos> = positions.iter().map(|&at| runs[at].span.start).collect();
        let is_cpu = device.kind == DeviceKind::Cpu;
        // GPU runs are assembled from kernels: one too many or too few proves nothing.
        let (own, first) = match with_open(own, open, &starts) {
            Some((own, first)) if is_cpu || (first == 0 && starts.len() == own.len()) => {
                (own, first)
            }
            _ => continue,
        };
        let matched = positions[first..].iter().zip(own.iter());
        let mut count = 0;
        for (&position, call) in matched {
            let run = &mut runs[position];
            // A recorded run ID is better evidence than the order.
            if is_cpu || run.run_id.is_none() {
                (run.launched, run.launched_on) = (Some(call.start), Some(call.track));
                run.is_by_order = true;
            }
            count += 1;
        }
        if count > 0 {
            let most = ran.entry(key).or_default();
            *most = (*most).max(count);
        }
    }
    let left = ran.into_iter().flat_map(|(key, count)| {
        let own = calls.by_function.get(&key).into_iter().flatten();
        own.skip(count)
            .map(|call| (key.0, call.start))
            .collect::<Vec<_>>()
    });
    left.collect()
}

/// The calls of a function, and the first run that belongs to them. If there is one run more than
/// they explain, the recording ended inside the last call.
fn with_open<'a>(
    own: &'a [Call],
    open: &[Call],
    starts: &[Picos],
) -> Option<(Cow<'a, [Call]>, usize)> {
    if let Some(first) = first_run(own, starts).filter(|_| !own.is_empty()) {
        return Some((Cow::Borrowed(own), first));
    }
    let last = own.last();
    let mut later = open
        .iter()
        .filter(|call| last.is_none_or(|last| last.start < call.start));
    later.find_map(|call| {
        let all: Vec<Call> = own.iter().copied().chain([*call]).collect();
        let first = first_run(&all, starts)?;
        (starts.len() == first + all.len()).then_some((Cow::Owned(all), first))
    })
}

/// The first run that belongs to a call: earlier runs were called before the recording started.
/// `None` if a run would start before its call, or if runs remain that no call explains.
fn first_run(calls: &[Call], starts: &[Picos]) -> Option<usize> {
    let mut sorted = starts.to_vec();
    sorted.sort_unstable();
    let mut first = 0;
    for (number, call) in calls.iter().enumerate() {
        if first + number >= starts.len() {
            break;
        }
        let earlier = sorted.partition_point(|&start| start < call.start);
        first = first.max(earlier.saturating_sub(number));
    }
    // Runs after the last call mean that more were called earlier, but not how many.
    if starts.len() > first + calls.len() {
        return None;
    }
    let mut pairs = starts.get(first..)?.iter().zip(calls);
    pairs
        .all(|(&start, call)| start >= call.start)
        .then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::TrackId;

    fn first(calls: &[i64], starts: &[i64]) -> Option<usize> {
        let calls: Vec<Call> = calls
            .iter()
            .map(|&start| Call {
                start: Picos(start),
                track: TrackId(0),
            })
            .collect();
        let starts: Vec<Picos> = starts.iter().map(|&start| Picos(start)).collect();
        first_run(&calls, &starts)
    }

    #[test]
    fn runs_follow_their_calls() {
        // Dispatched ahead, and one at a time.
        assert_eq!(first(&[0, 1, 2], &[5, 20, 40]), Some(0));
        assert_eq!(first(&[0, 10, 20], &[1, 11, 21]), Some(0));
        // The first run was called before the recording started.
        assert_eq!(first(&[10, 11, 12], &[5, 20, 40, 60]), Some(1));
        assert_eq!(first(&[10, 11, 12], &[15, 20, 40, 60]), None);
        assert_eq!(first(&[10, 30], &[5, 15, 35]), Some(1));
        // The last calls have not run.
        assert_eq!(first(&[0, 1, 2], &[5]), Some(0));
        assert_eq!(first(&[10, 20, 30], &[5]), Some(1));
        assert_eq!(first(&[0, 1], &[]), Some(0));
    }
}
