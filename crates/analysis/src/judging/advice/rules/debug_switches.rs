//! Switches for debugging that a program left on: `jax_debug_nans` and `jax_debug_infs` read every
//! result, and `jax.disable_jit` runs compiled functions op by op.
//!
//! ```text
//! jax_debug_nans   [PjitFunction(step) [_nan_check_posthook [_check_special][_check_special]…]]
//! jax.disable_jit  [PjitFunction(step) [step [PjitFunction(mul)][PjitFunction(add)]…]]
//! otherwise        [PjitFunction(step) [cache_miss [… [step]]]]     and only where it is compiled
//! ```

use std::cmp::Reverse;
use std::collections::BTreeMap;

use stepscope_model::host_names::dispatched_function;
use stepscope_model::{Framework, HostId, LabelId, SaturatingSum as _, SliceKind, Span, Track};

use super::{NO_WORK, Outcome, Rule, WAITING, finding, gravity, length_of};
use crate::judging::advice::evidence::at;
use crate::judging::advice::facts::{Facts, part_ps};
use crate::judging::advice::report::AdviceFinding;
use crate::judging::verdict::Severity;
use crate::measuring::activity::{driving_threads, outermost};
use crate::measuring::interval::Intervals;
use crate::measuring::steps::StepParts;
use crate::measuring::work::AllWork;
use crate::telling::format;
use crate::telling::places::python_function;

pub(super) static RULE: Rule = Rule {
    id: "debug_switches",
    title: "A switch for debugging is on",
    parts: WAITING,
    check,
};

/// Number of functions that a finding names.
const TOLD: usize = 3;

fn check(facts: &Facts<'_>) -> Outcome {
    if !facts.has_work() {
        return Outcome::Skipped(NO_WORK.to_owned());
    }
    if facts.session.framework() != Framework::Jax {
        return Outcome::Skipped("Switches of this framework are not known.".to_owned());
    }
    let mut labels = facts.session.labels.iter();
    if !labels.any(|label| label.kind == SliceKind::Python) {
        return Outcome::Skipped("Python calls were not recorded.".to_owned());
    }
    let switches = [Switch::Checks, Switch::NoJit];
    let found: Vec<AdviceFinding> = switches
        .into_iter()
        .filter_map(|switch| told(facts, switch))
        .collect();
    if found.is_empty() {
        return Outcome::Passed(
            "No call of jax_debug_nans, jax_debug_infs or jax.disable_jit was recorded.".to_owned(),
        );
    }
    Outcome::Found(found)
}

/// A switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Switch {
    /// `jax_debug_nans` or `jax_debug_infs`, which have the same calls.
    Checks,
    /// `jax.disable_jit`.
    NoJit,
}

/// Calls that are there because of a switch, by host: when, and the frame.
type Calls = Vec<(HostId, Vec<(Span, LabelId)>)>;

impl Switch {
    fn calls(self, facts: &Facts<'_>) -> Calls {
        let hosts = facts.selected.hosts.iter();
        hosts
            .map(|&host| (host, self.on_host(facts, host)))
            .collect()
    }

    fn on_host(self, facts: &Facts<'_>, host: HostId) -> Vec<(Span, LabelId)> {
        let session = facts.session;
        let windows = facts.selected.host_windows(host);
        let labels = || (0..session.labels.len()).map(LabelId::from_index);
        let is_told: Vec<bool> = match self {
            Self::Checks => labels()
                .map(|id| is_check(session.label_name(id)))
                .collect(),
            Self::NoJit => labels()
                .map(|id| dispatched_function(session.label_name(id)).is_some())
                .collect(),
        };
        let threads = driving_threads(session, &[host], facts.selected.loops()).concat();
        let on_thread = |id| {
            let track = session.track_having(id, |label| is_told[label.index()])?;
            Some(match self {
                Self::Checks => outermost(&track, &windows, |label| is_told[label.index()]),
                Self::NoJit => run_in_python(facts, &track, &windows),
            })
        };
        threads
            .into_iter()
            .filter_map(on_thread)
            .flatten()
            .collect()
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Checks => "jax_debug_nans checks every result",
            Self::NoJit => "jax.disable_jit is on",
        }
    }

    const fn why(self) -> &'static str {
        match self {
            Self::Checks => {
                "jax_debug_nans or jax_debug_infs is on: after each call of a compiled function, JAX \
                 copies its results to the host and looks for NaN or infinity in them, before the \
                 program goes on. With jax_debug_nans, no arguments are donated either."
            }
            Self::NoJit => {
                "Under jax.disable_jit, jax.jit calls the Python function itself: each op in it is a \
                 program of its own, which the host has to launch and which XLA cannot fuse with others."
            }
        }
    }

    const fn fix(self) -> &'static str {
        match self {
            Self::Checks => {
                "Turn it off unless you are looking for a NaN: no \
                 jax.config.update('jax_debug_nans', True), no JAX_DEBUG_NANS or JAX_DEBUG_INFS in the \
                 environment. To watch for NaN, return jnp.isfinite(loss) from the step and read it \
                 once every many steps."
            }
            Self::NoJit => {
                "Turn it off: no `with jax.disable_jit():` around the loop, no \
                 jax.config.update('jax_disable_jit', True), no JAX_DISABLE_JIT in the environment."
            }
        }
    }
}

fn told(facts: &Facts<'_>, switch: Switch) -> Option<AdviceFinding> {
    let calls = switch.calls(facts);
    let all = || calls.iter().flat_map(|(_, calls)| calls);
    let &(longest, _) = all().max_by_key(|(span, _)| (span.duration(), Reverse(span.start)))?;
    let names = names(facts, all());
    let count = (all().count() as f64 / facts.step_count()).round().max(1.0);
    let times: BTreeMap<HostId, Intervals> = calls
        .iter()
        .map(|(host, calls)| {
            let spans = calls.iter().map(|(span, _)| *span);
            (*host, Intervals::union_of(spans.collect()))
        })
        .collect();
    let work = AllWork::of(facts.session);
    let idle_ps = |row: &StepParts| {
        let within = times.get(&row.host).map(|times| times.clip(row.span));
        let (Some(device), Some(within)) = (row.device, within) else {
            return 0.0;
        };
        let busy = work.within(facts.session, device, within.spans());
        let waits_ps: i64 = WAITING
            .iter()
            .map(|&part| part_ps(row, part))
            .saturating_sum();
        (within.duration() - busy.duration()).0.clamp(0, waits_ps) as f64
    };
    let worst = facts.worst(idle_ps)?;
    let severity = gravity(&facts.threshold("host_bound_ratio"), worst.share());
    let does = match switch {
        Switch::Checks => format!("JAX checks results on the host in {names}"),
        Switch::NoJit => format!("Compiled functions run op by op in Python: {names}"),
    };
    let what = format!(
        "{does}, about {} per step. {} is idle meanwhile for {}.",
        format::counted(count, "time"),
        facts.place_name(worst.place),
        length_of(facts, &worst)
    );
    let seen = format!(
        "the longest of these calls: {}",
        format::duration_ps(longest.duration().0 as f64)
    );
    let found = finding(&RULE, severity.unwrap_or(Severity::Info), what)
        .titled(switch.title().to_owned())
        .why(switch.why())
        .fix(switch.fix())
        .gain(
            Some(worst.mean),
            "mean over steps of the idle time of the device within these calls",
        )
        .within(facts.rows().iter().map(idle_ps).collect())
        .of_step(worst.step_ps)
        .seen([at(longest, seen)]);
    Some(found)
}

/// `train_step (train.py:8) and eval_step (train.py:20)`: the functions that take longest.
fn names<'a>(facts: &Facts<'_>, calls: impl Iterator<Item = &'a (Span, LabelId)>) -> String {
    let mut times: BTreeMap<LabelId, i64> = BTreeMap::new();
    for &(span, label) in calls {
        let time = times.entry(label).or_default();
        *time = time.saturating_add(span.duration().0);
    }
    let mut sorted: Vec<(LabelId, i64)> = times.into_iter().collect();
    sorted.sort_by_key(|&(label, time)| (Reverse(time), label));
    let more = sorted.len().saturating_sub(TOLD);
    let name = |(label, _): (LabelId, i64)| {
        let frame = facts.session.label_name(label).trim_start_matches('$');
        let function = python_function(frame);
        format::shortened(&function.unwrap_or_else(|| frame.to_owned()))
    };
    let mut told: Vec<String> = sorted.into_iter().take(TOLD).map(name).collect();
    if more > 0 {
        told.push(format!("{more} more"));
    }
    match told.pop() {
        Some(last) if !told.is_empty() => format!("{} and {last}", told.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// Where JAX looks for NaN and infinity in results: after a call from C++, or within it.
fn is_check(name: &str) -> bool {
    let frame = name.trim_start_matches('$').split_once(' ');
    frame.is_some_and(|(place, function)| {
        let file = place.split(':').next().unwrap_or_default();
        matches!(
            (file, function),
            ("api.py", "_nan_check_posthook") | ("dispatch.py", "_check_special")
        )
    })
}

/// Whether a frame's code is in a file: that which `collections.namedtuple` makes is not, and is called
/// where a call puts its results together.
fn has_file(place: &str) -> bool {
    !place.trim_start_matches('$').starts_with('<')
}

/// Calls of compiled functions on a thread that start within `windows` and run the Python function
/// itself, without what is called within them: when, and its frame.
fn run_in_python(facts: &Facts<'_>, track: &Track, windows: &Intervals) -> Vec<(Span, LabelId)> {
    let session = facts.session;
    let mut found: Vec<(Span, LabelId)> = Vec::new();
    for (number, lane) in track.lanes.iter().enumerate() {
        let Some(below) = track.child_lane(number) else {
            continue;
        };
        for (index, &label) in lane.labels().iter().enumerate() {
            let Some(function) = dispatched_function(session.label_name(label)) else {
                continue;
            };
            // The runtime may free arrays first.
            let is_frame =
                |&at: &usize| session.label(below.labels()[at]).kind == SliceKind::Python;
            let Some(first) = below.starting_in(lane.span(index)).find(is_frame) else {
                continue;
            };
            let (span, frame) = (below.span(first), below.labels()[first]);
            let own = session.label_name(frame).split_once(' ');
            let is_itself = own.is_some_and(|(place, own)| own == function && has_file(place));
            if is_itself && windows.contains_instant(span.start) {
                found.push((span, frame));
            }
        }
    }
    found.sort_unstable_by_key(|&(span, frame)| (span.start, Reverse(span.end), frame));
    let mut until = None;
    found.retain(|(span, _)| {
        let is_nested = until.is_some_and(|until| span.end <= until);
        if !is_nested {
            until = Some(span.end);
        }
        !is_nested
    });
    found
}
