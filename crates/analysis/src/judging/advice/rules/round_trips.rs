//! Arrays that a loop reads from the device and puts back in every step, such as weights that NumPy
//! changes.
//!
//! ```text
//! round trips    [launch][read][put][read][put][launch]      one after the other, no launch between
//! a usual loop   [launch][read]           [put][launch]      the loss, and the next batch
//! ```
//!
//! How large these arrays are is not recorded, so one read before one put says nothing.

use stepscope_model::host_names::dispatched_function;
use stepscope_model::{Activity, Direction, LabelId, SaturatingSum as _, Span};

use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceFinding;
use crate::measuring::activity::{Activities, driving_threads, outermost};

/// So many reads, each followed by a copy to the device, are round trips.
const LEAST: usize = 2;
/// Least share of the time of copies to the device that round trips take.
const MOST: f64 = 0.5;

/// What a thread does with devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Launch,
    Read,
    Put,
}

/// How many arrays a host reads and puts back per step; none if most of its copies to devices are for
/// something else.
pub(super) fn round_trips(facts: &Facts<'_>, host: &str) -> Option<f64> {
    let session = facts.session;
    let host = facts.host_named(host)?;
    let windows = facts.selected.host_windows(host);
    let activities = Activities::of(session);
    let act_of = |label: LabelId| match activities.label(label) {
        Activity::Transfer(Direction::DeviceToHost) => Some(Act::Read),
        Activity::Transfer(Direction::HostToDevice) => Some(Act::Put),
        _ if dispatched_function(session.label_name(label)).is_some() => Some(Act::Launch),
        _ => None,
    };
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    let acts: Vec<Option<Act>> = ids.map(act_of).collect();
    let (mut trips, mut trips_ps, mut all_ps) = (0, 0i64, 0i64);
    for id in driving_threads(session, &[host], facts.selected.loops()).concat() {
        let is_put = |label: LabelId| acts[label.index()] == Some(Act::Put);
        let Some(track) = session.track_having(id, is_put) else {
            continue;
        };
        let found = outermost(&track, &windows, |label| acts[label.index()].is_some());
        let found = found.into_iter();
        let mut own: Vec<(Span, Act)> = found
            .filter_map(|(span, label)| Some((span, acts[label.index()]?)))
            .collect();
        own.sort_unstable_by_key(|(span, _)| *span);
        let (count, length_ps, total_ps) = on_thread(&own);
        trips += count;
        trips_ps = trips_ps.saturating_add(length_ps);
        all_ps = all_ps.saturating_add(total_ps);
    }
    let per_step = trips as f64 / facts.step_count();
    (per_step >= LEAST as f64 && trips_ps as f64 >= MOST * all_ps as f64).then_some(per_step)
}

/// Number and time of the copies that are in a row of round trips, and the time of all copies.
fn on_thread(acts: &[(Span, Act)]) -> (usize, i64, i64) {
    let time = |acts: &[(Span, Act)]| -> i64 {
        let puts = acts.iter().filter(|(_, act)| *act == Act::Put);
        puts.map(|(span, _)| span.duration().0).saturating_sum()
    };
    let (mut count, mut trips_ps) = (0, 0i64);
    let mut first = 0;
    while first < acts.len() {
        let pairs = acts[first..].chunks_exact(2);
        let pairs = pairs.take_while(|pair| pair[0].1 == Act::Read && pair[1].1 == Act::Put);
        let length = pairs.count();
        if length >= LEAST {
            count += length;
            trips_ps = trips_ps.saturating_add(time(&acts[first..first + 2 * length]));
        }
        first += (2 * length).max(1);
    }
    (count, trips_ps, time(acts))
}

/// A finding about copies to the device that are round trips, so many per step.
pub(super) fn told(finding: AdviceFinding, per_step: f64) -> AdviceFinding {
    let why = format!(
        "About {per_step:.0} times per step, the loop reads a result and then puts an array on the device, \
         one after the other: so do weights or a state that go through the host and back. How large \
         these arrays are was not recorded."
    );
    finding
        .titled("Arrays go through the host and back".to_owned())
        .why(why)
        .fix(
            "Keep them on the device: do in the compiled step, with jax.numpy, what is done to them in \
             NumPy. If they are batches, put the next ones on the device ahead of time.",
        )
        .fix_elsewhere(
            "Keep them on the device: do in the compiled step what is done to them on the host. If they \
             are batches, put the next ones on the device ahead of time.",
        )
        .code(CODE)
}

const CODE: &str = "\
@jax.jit
def train_step(params, batch):
    params = update(params, batch)
    return jax.tree.map(lambda w: jnp.clip(w, -1, 1), params)     # not np.clip(np.asarray(w), -1, 1)";
