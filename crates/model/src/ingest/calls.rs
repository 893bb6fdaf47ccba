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
//! way, and end before the last calls have run: both show as runs or calls that are left over.

use std::collections::BTreeMap;

use crate::ids::{DeviceId, HostId, LabelId, ProgramId, TrackId};
use crate::session::{DeviceKind, ProgramRun, Session};
use crate::track::{Track, TrackRole};
use crate::units::Picos;
use crate::vendor::hosts::{dispatched_function, is_execution, module_function};

/// A call of a compiled function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    start: Picos,
    track: TrackId,
}

/// Calls by host and function, by start.
type Calls = BTreeMap<(HostId, String), Vec<Call>>;

/// A call whose run was not recorded.
pub(super) type CallWithoutRun = (HostId, Picos);

/// Sets the launch time of runs, if calls of their function show it. Returns the calls whose run is
/// missing: of functions that ran at some time, or of all if no device recorded any work.
pub(super) fn match_runs(session: &Session, runs: &mut [ProgramRun]) -> Vec<CallWithoutRun> {
    let calls = calls(session);
    if calls.is_empty() {
        return Vec::new();
    }
    let is_of_device = |track: &Track| track.device.is_some() && track.slice_count() > 0;
    if !session.tracks.iter().any(is_of_device) {
        let hosts = calls.iter().map(|((host, _), calls)| (*host, calls));
        return hosts
            .flat_map(|(host, calls)| calls.iter().map(move |call| (host, call.start)))
            .collect();
    }
    let mut by_function: BTreeMap<(DeviceId, String), Vec<usize>> = BTreeMap::new();
    let mut functions: BTreeMap<ProgramId, String> = BTreeMap::new();
    for (position, run) in runs.iter().enumerate() {
        let function = functions.entry(run.program).or_insert_with(|| {
            let module = &session.program(run.program).name;
            plain(module_function(module))
        });
        let key = (run.device, function.clone());
        by_function.entry(key).or_default().push(position);
    }
    let mut ran: BTreeMap<(HostId, String), usize> = BTreeMap::new();
    for ((device, function), mut positions) in by_function {
        let device = session.device(device);
        let key = (device.host, function);
        let Some(calls) = calls.get(&key) else {
            continue;
        };
        // Run IDs increase per program.
        let program = runs[positions[0]].program;
        let is_one = positions.iter().all(|&at| runs[at].program == program);
        let id = |at: usize| runs[at].run_id.filter(|_| is_one);
        positions.sort_by_key(|&at| (id(at), runs[at].span));
        let starts: Vec<Picos> = positions.iter().map(|&at| runs[at].span.start).collect();
        let is_cpu = device.kind == DeviceKind::Cpu;
        // GPU runs are assembled from kernels: one too many or too few proves nothing.
        let first = match first_run(calls, &starts) {
            Some(first) if is_cpu || (first == 0 && starts.len() == calls.len()) => first,
            _ => continue,
        };
        let matched = positions[first..].iter().zip(calls);
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
        let rest = calls[&key].iter().skip(count);
        rest.map(move |call| (key.0, call.start))
            .collect::<Vec<_>>()
    });
    left.collect()
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

fn calls(session: &Session) -> Calls {
    // The function of each label that is a call, and whether the label is its execution.
    let functions: Vec<Option<&str>> = session
        .labels
        .iter()
        .map(|label| dispatched_function(session.strings.get(label.name)))
        .collect();
    let mut calls = Calls::new();
    if functions.iter().all(Option::is_none) {
        return calls;
    }
    let executions: Vec<bool> = session
        .labels
        .iter()
        .map(|label| is_execution(session.strings.get(label.name)))
        .collect();
    let known = Known {
        functions: &functions,
        executions: &executions,
    };
    for id in session.track_ids() {
        let track = session.track(id);
        let is_thread = matches!(track.role, TrackRole::HostThread | TrackRole::Python);
        let is_own = track.device.is_none() && track.process.is_none();
        if !is_thread || !is_own || !track.may_have(|label| known.is_call(label)) {
            continue;
        }
        known.add_calls(&session.track_in_passing(id), id, &mut calls);
    }
    for calls in calls.values_mut() {
        calls.sort_unstable();
    }
    calls
}

struct Known<'a> {
    functions: &'a [Option<&'a str>],
    executions: &'a [bool],
}

impl Known<'_> {
    fn is_call(&self, label: LabelId) -> bool {
        self.functions[label.index()].is_some()
    }

    fn add_calls(&self, track: &Track, id: TrackId, calls: &mut Calls) {
        for (number, lane) in track.lanes.iter().enumerate() {
            for (index, label) in lane.labels().iter().enumerate() {
                let Some(function) = self.functions[label.index()] else {
                    continue;
                };
                if self.is_started(track, number, index, function) {
                    let call = Call {
                        start: lane.span(index).start,
                        track: id,
                    };
                    let key = (track.host, plain(function));
                    calls.entry(key).or_default().push(call);
                }
            }
        }
    }

    /// A call is recorded twice, one nested in the other. A call inside another function's call is
    /// being traced as part of that program, unless it executes something itself, as callbacks do.
    fn is_started(&self, track: &Track, lane: usize, index: usize, function: &str) -> bool {
        let mut is_within_call = false;
        let mut place = (
            u32::try_from(lane).unwrap_or(u32::MAX),
            u32::try_from(index).unwrap_or(u32::MAX),
        );
        while let Some(around) = track.parent(place.0, place.1) {
            let label = track.lanes[around.0 as usize].labels()[around.1 as usize];
            match self.functions[label.index()] {
                Some(outer) if outer == function => return false,
                Some(_) => is_within_call = true,
                None => {}
            }
            place = around;
        }
        !is_within_call || self.executes(track, lane, index)
    }

    fn executes(&self, track: &Track, lane: usize, index: usize) -> bool {
        let span = track.lanes[lane].span(index);
        let below = (lane..).map_while(|lane| track.child_lane(lane));
        below
            .flat_map(|lane| lane.starting_in(span).map(move |at| lane.labels()[at]))
            .any(|label| self.executions[label.index()])
    }
}

/// A function's name in module names: `<lambda>` is `_lambda_`.
fn plain(function: &str) -> String {
    let letters = function.chars();
    let plain = letters.map(|letter| {
        if letter.is_alphanumeric() {
            letter
        } else {
            '_'
        }
    });
    plain.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn names_are_compared_as_modules_have_them() {
        assert_eq!(plain("<lambda>"), "_lambda_");
        assert_eq!(plain("train_step"), "train_step");
    }
}
