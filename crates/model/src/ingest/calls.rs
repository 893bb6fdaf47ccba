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
//!
//! If runs are left over that began only after the first calls, as many were under way or waiting as there
//! are more runs than calls, provided that the last calls have run. They have where the devices had nothing
//! more to do for longer than ever before while the host was still recorded.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::recorded_calls::{Call, Calls};
use crate::ids::{DeviceId, HostId, ProgramId};
use crate::session::{DeviceKind, ProgramRun, Session};
use crate::track::Track;
use crate::units::{Picos, Span};
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
    let mut by_function: BTreeMap<(HostId, String), Vec<usize>> = BTreeMap::new();
    let mut functions: BTreeMap<ProgramId, String> = BTreeMap::new();
    for (position, run) in runs.iter().enumerate() {
        let function = functions.entry(run.program).or_insert_with(|| {
            let module = &session.program(run.program).name;
            plain_function(module_function(module))
        });
        let host = session.device(run.device).host;
        let key = (host, function.clone());
        by_function.entry(key).or_default().push(position);
    }
    let recorded_until = recorded_until(session);
    let mut left = Vec::new();
    for (key, positions) in by_function {
        let own = calls.by_function.get(&key).map_or(&[][..], Vec::as_slice);
        let open = calls.open.get(&key.0).map_or(&[][..], Vec::as_slice);
        let is_cpu = session.device(runs[positions[0]].device).kind == DeviceKind::Cpu;
        let until = recorded_until.get(&key.0).copied();
        let matched = Matched::of(runs, &positions, |executions| {
            let starts: Vec<Picos> = executions.iter().map(|one| one.start).collect();
            let have_run = || until.is_some_and(|until| have_run(executions, until));
            // GPU runs are assembled from kernels: one too many or too few proves nothing.
            with_open(own, open, &starts, have_run)
                .filter(|(own, first)| is_cpu || (*first == 0 && starts.len() == own.len()))
        });
        for (position, call) in matched.calls {
            let run = &mut runs[position];
            // A recorded run ID is better evidence than the order.
            if is_cpu || run.run_id.is_none() {
                (run.launched, run.launched_on) = (Some(call.start), Some(call.track));
                run.is_by_order = true;
            }
        }
        if matched.count > 0 {
            let without_run = own.iter().skip(matched.count);
            left.extend(without_run.map(|call| (key.0, call.start)));
        }
    }
    left
}

/// Until when the threads of each host were recorded.
fn recorded_until(session: &Session) -> BTreeMap<HostId, Picos> {
    let mut until: BTreeMap<HostId, Picos> = BTreeMap::new();
    for track in session.tracks.iter().filter(|one| one.device.is_none()) {
        for lane in track.lanes.iter().filter(|lane| !lane.is_empty()) {
            let last = until.entry(track.host).or_insert(Picos(i64::MIN));
            *last = lane.hull().end.max(*last);
        }
    }
    until
}

/// Whether all calls have run: after the last execution there was nothing to run for longer than between
/// any two before.
fn have_run(executions: &[Execution], until: Picos) -> bool {
    let mut spans: Vec<Span> = executions.iter().map(|one| one.hull).collect();
    spans.sort_unstable();
    let (mut end, mut longest) = (None, Picos(0));
    for span in spans {
        if let Some(end) = end {
            longest = longest.max(span.start - end);
        }
        end = end.max(Some(span.end));
    }
    end.is_some_and(|end| until - end > longest)
}

/// What one call started: a run on one device, or one each on several.
struct Execution {
    /// When the first of them began.
    start: Picos,
    /// From there to the end of the last.
    hull: Span,
    /// Positions of the runs.
    runs: Vec<usize>,
}

/// Runs with the calls that started them.
#[derive(Default)]
struct Matched {
    calls: Vec<(usize, Call)>,
    /// Number of calls, on the device with most.
    count: usize,
}

impl Matched {
    /// The runs of one function on one host, at these positions. `with_calls` finds the calls of
    /// executions, and the first execution that belongs to one.
    ///
    /// XLA:CPU counts the calls of a function in its run IDs, over all devices. Without them, each device
    /// runs what the function calls, unless groups of devices have programs of their own: then a call
    /// runs on one group.
    fn of<'c>(
        runs: &[ProgramRun],
        positions: &[usize],
        with_calls: impl Fn(&[Execution]) -> Option<(Cow<'c, [Call]>, usize)>,
    ) -> Self {
        let mut by_device: BTreeMap<DeviceId, Vec<usize>> = BTreeMap::new();
        for &position in positions {
            let own = by_device.entry(runs[position].device).or_default();
            own.push(position);
        }
        if by_device.len() > 1 {
            let of_all = [counted(runs, positions), in_groups(runs, &by_device)];
            for executions in of_all.into_iter().flatten() {
                if let Some(found) = with_calls(&executions) {
                    let mut matched = Self::default();
                    matched.add(&executions, found);
                    return matched;
                }
            }
        }
        let mut matched = Self::default();
        for own in by_device.into_values() {
            let executions = of_device(runs, own);
            if let Some(found) = with_calls(&executions) {
                matched.add(&executions, found);
            }
        }
        matched
    }

    fn add(&mut self, executions: &[Execution], (calls, first): (Cow<'_, [Call]>, usize)) {
        let pairs = executions[first..].iter().zip(calls.iter());
        self.count = self.count.max(pairs.len());
        for (execution, call) in pairs {
            let runs = execution.runs.iter();
            self.calls.extend(runs.map(|&run| (run, *call)));
        }
    }
}

/// The runs of one device, in the order of their calls.
fn of_device(runs: &[ProgramRun], mut positions: Vec<usize>) -> Vec<Execution> {
    // Run IDs increase per program.
    let program = runs[positions[0]].program;
    let is_one = positions.iter().all(|&at| runs[at].program == program);
    let id = |at: usize| runs[at].run_id.filter(|_| is_one);
    positions.sort_by_key(|&at| (id(at), runs[at].span));
    let single = positions.into_iter().map(|position| Execution {
        start: runs[position].span.start,
        hull: runs[position].span,
        runs: vec![position],
    });
    single.collect()
}

/// Executions by run ID, if the IDs of all programs are of one counter.
fn counted(runs: &[ProgramRun], positions: &[usize]) -> Option<Vec<Execution>> {
    let mut by_id: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for &position in positions {
        let of_id = by_id.entry(runs[position].run_id?).or_default();
        of_id.push(position);
    }
    let range = by_id
        .last_key_value()?
        .0
        .abs_diff(*by_id.first_key_value()?.0);
    let executions = by_id.into_values().map(|own| execution(runs, own));
    let executions: Vec<Execution> = executions.collect();
    (range < SPARSE * executions.len() as u64).then_some(executions)
}

/// IDs of one counter are this many times as far apart at most as their number says: a recording may lack
/// some runs.
const SPARSE: u64 = 16;

/// Executions in the order in which they began, if no program runs on all devices: devices with the same
/// programs run the same calls. `None` if there is one such group.
fn in_groups(
    runs: &[ProgramRun],
    by_device: &BTreeMap<DeviceId, Vec<usize>>,
) -> Option<Vec<Execution>> {
    let mut groups: BTreeMap<BTreeSet<ProgramId>, Vec<Vec<usize>>> = BTreeMap::new();
    for positions in by_device.values() {
        let programs = positions.iter().map(|&at| runs[at].program).collect();
        let mut in_order = positions.clone();
        in_order.sort_by_key(|&at| runs[at].span);
        groups.entry(programs).or_default().push(in_order);
    }
    let mut seen: BTreeSet<ProgramId> = BTreeSet::new();
    let are_apart = groups.keys().flatten().all(|&program| seen.insert(program));
    if groups.len() < 2 || !are_apart {
        return None;
    }
    let mut executions = Vec::new();
    for devices in groups.into_values() {
        let most = devices.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..most {
            let own = devices.iter().filter_map(|runs| runs.get(number).copied());
            executions.push(execution(runs, own.collect()));
        }
    }
    executions.sort_by_key(|one| one.start);
    Some(executions)
}

fn execution(all: &[ProgramRun], runs: Vec<usize>) -> Execution {
    let hull = runs.iter().map(|&at| all[at].span).reduce(Span::hull);
    let hull = hull.unwrap_or(Span::new(Picos(0), Picos(0)));
    Execution {
        start: hull.start,
        hull,
        runs,
    }
}

/// The calls of a function, and the first run that belongs to them. If there is one run more than
/// they explain, the recording ended inside the last call.
fn with_open<'a>(
    own: &'a [Call],
    open: &[Call],
    starts: &[Picos],
    have_run: impl Fn() -> bool,
) -> Option<(Cow<'a, [Call]>, usize)> {
    if own.is_empty() && open.is_empty() {
        return None;
    }
    if let Some(first) = first_run(own, starts, false).filter(|_| !own.is_empty()) {
        return Some((Cow::Borrowed(own), first));
    }
    let last = own.last();
    let mut later = open
        .iter()
        .filter(|call| last.is_none_or(|last| last.start < call.start));
    let with_later = later.find_map(|call| {
        let all: Vec<Call> = own.iter().copied().chain([*call]).collect();
        let first = first_run(&all, starts, false)?;
        (starts.len() == first + all.len()).then_some((Cow::Owned(all), first))
    });
    let in_flight = || {
        let first = first_run(own, starts, !own.is_empty() && have_run())?;
        Some((Cow::Borrowed(own), first))
    };
    with_later.or_else(in_flight)
}

/// The first run that belongs to a call: earlier runs were called before the recording started.
/// `None` if a run would start before its call, or if runs remain that no call explains, unless all calls
/// have run.
fn first_run(calls: &[Call], starts: &[Picos], have_run: bool) -> Option<usize> {
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
        let in_flight = starts.len() - calls.len();
        if !have_run || in_flight > calls.len() {
            return None;
        }
        first = in_flight;
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
        first_run(&calls, &starts, false)
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
    fn runs_in_flight_are_as_many_as_runs_are_more_than_calls() {
        let call = |start| Call {
            start: Picos(start),
            track: TrackId(0),
        };
        let calls = [10, 11, 40].map(call);
        let starts = [15, 20, 40, 60, 80].map(Picos);
        assert_eq!(first_run(&calls, &starts, true), Some(2));
        // Another one may have been called after the recording ended.
        assert_eq!(first_run(&calls, &starts, false), None);
        // Calls of which hardly any was recorded say nothing.
        assert_eq!(first_run(&calls[..1], &starts, true), None);
    }

    #[test]
    fn all_calls_have_run_if_the_recording_goes_on_for_longer_than_any_pause() {
        let execution = |(start, end)| Execution {
            start: Picos(start),
            hull: Span::new(Picos(start), Picos(end)),
            runs: Vec::new(),
        };
        let executions = [(0, 10), (12, 20), (25, 30)].map(execution);
        assert!(!have_run(&executions, Picos(35)));
        assert!(have_run(&executions, Picos(36)));
        assert!(!have_run(&[], Picos(36)));
    }
}
