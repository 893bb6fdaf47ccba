//! Copies to the device that calls of compiled functions make, and that are no batches: numbers, such as
//! the `1.0` of `x + 1.0`, and arrays that are on other devices than the function wants them on.
//!
//! ```text
//! PjitFunction(add)      [   DevicePut   ]      a number: the call takes all the time
//! PjitFunction(forward)  [ _array_shard_arg ]   an array of JAX that is placed otherwise
//! ```

use std::collections::BTreeSet;

use stepscope_model::host_names::{dispatched_function, module_function, plain_function};
use stepscope_model::{
    Activity, Direction, HostId, LabelId, SaturatingSum as _, Session, Span, Track, hlo,
};

use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceFinding;
use crate::measuring::activity::{Activities, driving_threads, outermost};
use crate::measuring::host_copies::{Copier, copier};
use crate::measuring::interval::Intervals;

/// Share of the copies that have to be of one kind.
const MOST: f64 = 0.8;
/// A GPU copies a number in less.
const NUMBER_PS: i64 = 10_000_000;
const NUMBER_BYTES: u64 = 4096;

/// JAX's frames that place an array of JAX anew.
const PLACING: [&str; 2] = [" _array_shard_arg", " shard_device_array"];

/// What calls copy.
pub(super) enum CallCopies {
    /// Numbers, so many per step.
    Numbers(f64),
    /// Arrays that are on other devices.
    Placed,
}

impl CallCopies {
    /// Those of a host, if they are most of its copies.
    pub(super) fn of(facts: &Facts<'_>, host: &str) -> Option<Self> {
        let session = facts.session;
        let host = facts.host_named(host)?;
        let windows = facts.selected.host_windows(host);
        let activities = Activities::of(session);
        let is_copy =
            |label: LabelId| activities.label(label) == Activity::Transfer(Direction::HostToDevice);
        let placing = labels(session, |name| {
            PLACING.iter().any(|frame| name.ends_with(frame))
        });
        let taking = taking_numbers(session);
        let calls = labels(session, |name| {
            dispatched_function(name).is_some_and(|called| taking.contains(&plain_function(called)))
        });
        let (mut all, mut placed, mut within) = (Sum::default(), Sum::default(), Sum::default());
        for id in driving_threads(session, &[host], facts.selected.loops()).concat() {
            let Some(track) = session.track_having(id, is_copy) else {
                continue;
            };
            let (placing, calls) = (times(&track, &placing), times(&track, &calls));
            for (span, _) in outermost(&track, &windows, is_copy) {
                all.add(span);
                let within_ps = |times: &Intervals| times.duration_within(span).0;
                if within_ps(&placing).saturating_mul(2) >= span.duration().0 {
                    placed.add(span);
                } else if within_ps(&calls) > 0 {
                    within.add(span);
                }
            }
        }
        if placed.is_most_of(all) {
            return Some(Self::Placed);
        }
        let are_numbers = within.is_most_of(all) && moves_numbers(facts, host);
        are_numbers.then(|| Self::Numbers(all.count / facts.step_count()))
    }

    /// A finding about copies to the device that are these.
    pub(super) fn told(&self, finding: AdviceFinding) -> AdviceFinding {
        match self {
            Self::Numbers(per_step) => finding
                .titled("Numbers are copied to the device".to_owned())
                .why(format!(
                    "About {per_step:.0} {} per step, a function is called with a number of Python or \
                     NumPy, which the call copies to the device: the call takes the time, not the bytes.",
                    if per_step.round() > 1.0 { "times" } else { "time" }
                ))
                .fix(
                    "Write the function that contains these ops with jax.jit, so that its numbers are \
                     part of the program. Numbers that change belong on the device before the loop: \
                     jnp.asarray(x) once.",
                )
                .fix_elsewhere(
                    "Compile the function that contains these ops, so that its numbers are part of the \
                     program.",
                )
                .code("@jax.jit\ndef scaled(x):\n    return (x + 1.0) / 3.0    # constants of the program"),
            Self::Placed => finding
                .titled("Arguments are moved to other devices".to_owned())
                .why(
                    "A function is called with an array that is not on the devices, or not divided over \
                     them, as the function requires it: each call copies it there.",
                )
                .fix(
                    "Place the array once, before the loop, with the sharding that the function uses.",
                )
                .code("x = jax.device_put(x, sharding)    # as in in_shardings of the function"),
        }
    }
}

/// How many copies there are, and how long they take on the host.
#[derive(Default, Clone, Copy)]
struct Sum {
    count: f64,
    time_ps: i64,
}

impl Sum {
    fn add(&mut self, span: Span) {
        self.count += 1.0;
        self.time_ps = self.time_ps.saturating_add(span.duration().0);
    }

    fn is_most_of(self, all: Self) -> bool {
        self.time_ps > 0 && self.time_ps as f64 >= MOST * all.time_ps as f64
    }
}

fn labels(session: &Session, passes: impl Fn(&str) -> bool) -> Vec<bool> {
    let labels = session.labels.iter();
    labels
        .map(|label| passes(session.text(label.name)))
        .collect()
}

/// When slices with these labels ran on a thread.
pub(super) fn times(track: &Track, wanted: &[bool]) -> Intervals {
    let spans = track.lanes.iter().flat_map(|lane| {
        let labels = lane.labels().iter().enumerate();
        let own = labels.filter(|(_, label)| wanted[label.index()]);
        own.map(|(index, _)| lane.span(index))
    });
    Intervals::union_of(spans.collect())
}

/// The functions whose programs take a number besides arrays.
fn taking_numbers(session: &Session) -> BTreeSet<String> {
    let programs = session.programs.iter().filter(|program| {
        let signature = program.hlo.as_ref().and_then(hlo::Program::signature);
        signature.is_some_and(|signature| {
            let mut given = signature.arguments.iter();
            given.any(|one| one.shape.dimensions.is_empty())
        })
    });
    programs
        .map(|program| plain_function(module_function(&program.name)))
        .collect()
}

/// Whether all that GPUs of a host get from it are numbers.
fn moves_numbers(facts: &Facts<'_>, host: HostId) -> bool {
    let session = facts.session;
    let own = facts
        .totals
        .iter()
        .filter(|totals| session.device(totals.device).host == host);
    let copies = own.flat_map(|totals| &totals.labels).filter(|(id, _)| {
        let label = session.label(*id);
        let transfer = label.transfer;
        transfer.is_some_and(|one| one.direction == Direction::HostToDevice)
            && copier(session, label) == Some(Copier::Host)
    });
    let copies: Vec<_> = copies.collect();
    let count = copies
        .iter()
        .map(|(_, totals)| totals.occurrences)
        .saturating_sum();
    let time_ps = copies
        .iter()
        .map(|(_, totals)| totals.self_ps)
        .saturating_sum();
    let mut sizes = copies
        .iter()
        .filter_map(|(id, _)| session.label(*id).transfer?.bytes);
    count > 0
        && time_ps <= NUMBER_PS.saturating_mul(count)
        && sizes.all(|size| size <= NUMBER_BYTES)
}
