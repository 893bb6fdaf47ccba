//! Whether programs ran although no device recorded their work: what the calls on the host tell.
//!
//! ```text
//! PjitFunction(step)          [                             ]
//!   TfrtCpuExecutable::Execute  [                          ]
//!     …::ExecuteHelper             [   the program runs    ]   jaxlib 0.4 on CPUs
//! ```

use std::cmp::Reverse;

use stepscope_model::host_names::{dispatched_function, is_completion_wait};
use stepscope_model::{Activity, SaturatingSum as _, Session, SliceKind, Track};

/// jaxlib 0.4 runs programs for CPUs within this call and records none of their ops.
const RUNS_WITHIN: &str = "TfrtCpuExecutable::ExecuteHelper";

/// From this share of the calls' time on, the programs ran within the calls.
const RAN_RATIO: f64 = 0.5;

/// Calls that wait for results or copy them to the host, other than frames of Python.
const WAITS: [&str; 2] = ["block_until_ready", "np.asarray(jax.Array)"];

/// Calls of compiled functions.
pub(crate) struct Calls {
    /// The label of the function in whose calls most time passed, such as `PjitFunction(step)`.
    pub(crate) name: String,
    /// How often that function was called.
    pub(crate) of_name: usize,
    /// How often any was.
    pub(crate) count: usize,
    /// Time in calls of any of them, without compilation.
    pub(crate) called_ps: i64,
    /// How much of it jaxlib spent in running programs, where that is recorded.
    pub(crate) ran_ps: i64,
}

/// What the host shows of programs whose work no device recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ran {
    /// They ran within their calls.
    WithinCalls,
    /// Threads of XLA:CPU executed programs until they were complete, and recorded none of their ops
    /// (jaxlib 0.6).
    Executed,
    /// Something waited for their results.
    WaitedFor,
    /// Nothing shows that they ran.
    Unknown,
}

/// Whether programs ran whose work no device recorded.
pub(crate) fn ran(session: &Session, calls: &Calls) -> Ran {
    if calls.ran_ps as f64 >= RAN_RATIO * calls.called_ps as f64 && calls.ran_ps > 0 {
        Ran::WithinCalls
    } else if has_label(session, is_completion_wait) {
        Ran::Executed
    } else if has_label(session, |name| WAITS.iter().any(|wait| name.contains(wait))) {
        Ran::WaitedFor
    } else {
        Ran::Unknown
    }
}

fn has_label(session: &Session, passes: impl Fn(&str) -> bool) -> bool {
    let mut labels = session.labels.iter();
    labels.any(|label| passes(session.text(label.name)))
}

/// The calls of compiled functions; none if there are none. Calls within tracing or compilation launch
/// nothing: they become part of the program that is compiled.
pub(crate) fn calls(session: &Session) -> Option<Calls> {
    let of_host = |is: &dyn Fn(&str) -> bool| -> Vec<bool> {
        let labels = session.labels.iter();
        labels
            .map(|label| label.kind == SliceKind::Host && is(session.text(label.name)))
            .collect()
    };
    let is_call = of_host(&|name| dispatched_function(name).is_some());
    if !is_call.contains(&true) {
        return None;
    }
    let runs_within = of_host(&|name| name == RUNS_WITHIN);
    let labels = session.labels.iter();
    let is_compilation: Vec<bool> = labels
        .map(|label| matches!(label.activity, Activity::Compile(_)))
        .collect();
    let mut of_label = vec![(0i64, 0usize); session.labels.len()];
    let (mut compiled_ps, mut ran_ps) = (0i64, 0i64);
    let tracks = session
        .track_ids()
        .filter_map(|id| session.track_having(id, |label| is_call[label.index()]));
    for track in tracks {
        for (lane, slices) in (0u32..).zip(&track.lanes) {
            for (index, label) in (0u32..).zip(slices.labels()) {
                let label = label.index();
                let length_ps = slices.durations()[index as usize];
                let is_known = is_call[label] || runs_within[label] || is_compilation[label];
                if !is_known || has_above(&track, lane, index, &is_compilation) {
                    continue;
                }
                if is_call[label] {
                    // JAX records a call twice, one slice within the other.
                    if !is_below_same(&track, lane, index) {
                        let (time_ps, count) = &mut of_label[label];
                        *time_ps = time_ps.saturating_add(length_ps);
                        *count += 1;
                    }
                } else if has_above(&track, lane, index, &is_call) {
                    if is_compilation[label] {
                        compiled_ps = compiled_ps.saturating_add(length_ps);
                    } else {
                        ran_ps = ran_ps.saturating_add(length_ps);
                    }
                }
            }
        }
    }
    let most = (0..of_label.len()).max_by_key(|&index| (of_label[index], Reverse(index)))?;
    let called_ps: i64 = of_label.iter().map(|of| of.0).saturating_sum();
    let (_, of_name) = of_label[most];
    (of_name > 0).then(|| Calls {
        name: session.text(session.labels[most].name).to_owned(),
        of_name,
        count: of_label.iter().map(|of| of.1).sum(),
        called_ps: called_ps.saturating_sub(compiled_ps),
        ran_ps,
    })
}

/// Whether the slice above has the same label.
fn is_below_same(track: &Track, lane: u32, index: u32) -> bool {
    let label = |lane: u32, index: u32| track.lanes[lane as usize].labels()[index as usize];
    let above = track.parent(lane, index);
    above.is_some_and(|(up, at)| label(up, at) == label(lane, index))
}

/// Whether a slice above this one has such a label.
fn has_above(track: &Track, lane: u32, index: u32, counts: &[bool]) -> bool {
    let mut above = track.ancestors(lane, index);
    above.any(|(lane, index)| {
        let label = track.lanes[lane as usize].labels()[index as usize];
        counts[label.index()]
    })
}
