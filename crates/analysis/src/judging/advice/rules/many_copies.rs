//! Many small arrays that a loop puts on the device one by one in every step, such as columns of a table:
//! each call takes far longer than the copy itself.

use stepscope_model::hlo::Program;
use stepscope_model::{Activity, Direction, LabelId};

use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceFinding;
use crate::measuring::activity::{Activities, driving_threads, outermost};
use crate::telling::format;

/// So many copies per step are many.
const MANY: f64 = 16.0;
/// Copying so many bytes takes less than the call that does it.
const SMALL: u64 = 64 * 1024;
/// Share of the copies for which the program has to have a small argument.
const MOST: f64 = 0.8;

/// Small arrays that a program is called with, each copied by a call of its own.
pub(super) struct ManyCopies {
    per_step: f64,
    /// Bytes of the largest of them.
    largest: u64,
    /// Bytes of all of them.
    sum: u64,
}

impl ManyCopies {
    /// Those of a host. None if it makes few copies, or if no program that the devices spend time in takes
    /// so many small arrays: how large a copy is was not recorded.
    pub(super) fn of(facts: &Facts<'_>, host: &str) -> Option<Self> {
        let session = facts.session;
        let host = facts.host_named(host)?;
        let windows = facts.selected.host_windows(host);
        let activities = Activities::of(session);
        let is_copy =
            |label: LabelId| activities.label(label) == Activity::Transfer(Direction::HostToDevice);
        let threads = driving_threads(session, &[host], facts.selected.loops()).concat();
        let copies = threads.into_iter().filter_map(|id| {
            let track = session.track_having(id, is_copy)?;
            Some(outermost(&track, &windows, is_copy).len())
        });
        let per_step = copies.sum::<usize>() as f64 / facts.step_count();
        if per_step < MANY {
            return None;
        }
        let programs = facts.programs().iter();
        let sizes = programs.map(|program| small_arguments(program.hlo));
        let numbered = (0u32..).zip(sizes.max_by_key(Vec::len)?);
        let of_step = numbered.take_while(|(number, _)| f64::from(*number) < per_step);
        let sizes: Vec<_> = of_step.map(|(_, size)| size).collect();
        let is_known = sizes.len() as f64 >= MOST * per_step;
        is_known.then(|| Self {
            per_step,
            largest: sizes.last().copied().unwrap_or(0),
            sum: sizes.iter().sum(),
        })
    }

    /// A finding about copies to the device that are these.
    pub(super) fn told(&self, finding: AdviceFinding) -> AdviceFinding {
        let why = format!(
            "About {:.0} times per step, the loop puts a small array on the device, each in a call of its \
             own. The program is called with as many arrays of at most {}, {} together: the calls take \
             the time, not the bytes.",
            self.per_step,
            format::bytes(self.largest as f64),
            format::bytes(self.sum as f64)
        );
        finding
            .titled("Many small copies to the device".to_owned())
            .why(why)
            .fix(
                "Put them on the device in one call: stack or concatenate them in NumPy and take them \
                 apart in the compiled step, or give `jax.device_put` the whole dict or list. What does \
                 not change from step to step needs to be copied only once.",
            )
            .fix_elsewhere(
                "Copy them in one call: stack or concatenate them on the host, and take them apart in the \
                 compiled step. What does not change from step to step needs to be copied only once.",
            )
            .code(CODE)
    }
}

/// The bytes of the small arrays that a program is called with and does not change, smallest first.
fn small_arguments(program: &Program) -> Vec<u64> {
    let Some(signature) = program.signature() else {
        return Vec::new();
    };
    let given = signature.arguments.iter().filter(|one| !one.is_updated);
    let sizes = given.map(|one| one.shape.byte_size());
    let mut small: Vec<u64> = sizes.filter(|&size| size <= SMALL).collect();
    small.sort_unstable();
    small
}

const CODE: &str = "\
rows = np.stack([table[name] for name in names])      # one array
batch = jax.device_put(rows)                          # or jax.device_put(table): one call for all";
