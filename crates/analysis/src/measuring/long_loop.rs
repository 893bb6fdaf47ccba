//! The loop that a program spends its time in, where the program ran once: a whole training as one
//! `jax.lax.scan` has iterations instead of steps.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use stepscope_model::hlo::{self, Loop, Loops};
use stepscope_model::{LabelId, ProgramRun, Session, Span};

/// Least share of the run that the loop takes, and of the device's runs that the run does.
const MIN_SHARE: f64 = 0.5;

/// A loop with fewer iterations is no training.
const MIN_ITERATIONS: u64 = 3;

/// A loop that one run of a program was in most of the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LongLoop<'a> {
    /// The `while`.
    pub(crate) instruction: &'a hlo::Instruction,
    pub(crate) iterations: u64,
    /// From its first op to its last.
    pub(crate) duration_ps: i64,
    /// Of the run.
    pub(crate) share: f64,
}

/// The run that took most of the time of its device, if its program ran only once there.
pub(crate) fn single_run(session: &Session) -> Option<&ProgramRun> {
    let runs = || session.program_runs.iter();
    let run = runs().max_by_key(|run| (run.span.duration(), std::cmp::Reverse(run.device)))?;
    let on_device = || runs().filter(|one| one.device == run.device);
    let all_ps: f64 = on_device().map(|one| one.span.duration().0 as f64).sum();
    let is_only = on_device().filter(|one| one.program == run.program).count() == 1;
    (is_only && run.span.duration().0 as f64 >= MIN_SHARE * all_ps).then_some(run)
}

/// The longest loop of a run; none if the HLO is unknown, or if something else took the time.
pub(crate) fn long_loop<'a>(session: &'a Session, run: &ProgramRun) -> Option<LongLoop<'a>> {
    let run_ps = run.span.duration().0 as f64;
    let hlo = session.program(run.program).hlo.as_ref()?;
    let loops = hlo.loops();
    let seen = seen(session, run, hlo, &loops);
    let long = seen.into_iter().filter_map(|(position, seen)| {
        let own = loops.loops[position];
        let iterations = own.trip_count.or_else(|| most_common(&seen.counts))?;
        let duration_ps = seen.span.duration().0;
        let share = duration_ps as f64 / run_ps;
        let is_long = iterations >= MIN_ITERATIONS && share >= MIN_SHARE;
        is_long.then_some(LongLoop {
            instruction: hlo.instruction_at(own.instruction)?,
            iterations,
            duration_ps,
            share,
        })
    });
    long.max_by(|one, other| one.duration_ps.cmp(&other.duration_ps))
}

/// What was seen of a loop's body.
struct Seen {
    span: Span,
    /// Slices of each label that every iteration has equally often.
    counts: BTreeMap<LabelId, u64>,
}

/// The iterations of a loop of unknown length that is entered once, from how often each of its ops ran:
/// the count that most of them have.
pub(crate) fn most_common<N: Ord + Copy>(counts: &BTreeMap<LabelId, N>) -> Option<N> {
    let mut labels: BTreeMap<N, usize> = BTreeMap::new();
    for &count in counts.values() {
        *labels.entry(count).or_default() += 1;
    }
    let most = labels
        .into_iter()
        .max_by_key(|&(count, labels)| (labels, count));
    most.map(|(count, _)| count)
}

/// The loops that a run comes to once, by position, with what was seen of each.
fn seen(
    session: &Session,
    run: &ProgramRun,
    hlo: &hlo::Program,
    loops: &Loops,
) -> BTreeMap<usize, Seen> {
    let is_once = |own: &Loop| own.entries == Some(1);
    // The outermost loop around each op, and whether each iteration has the op equally often.
    let mut outermost: FxHashMap<LabelId, Option<(usize, bool)>> = FxHashMap::default();
    let mut around = |label: LabelId| {
        *outermost.entry(label).or_insert_with(|| {
            let label = session.label(label);
            let op = label.op.filter(|_| label.kind.is_work())?;
            let op = session.op(op);
            let instruction = hlo.instruction(session.text(op.name))?;
            let own = loops.around(instruction).first()?;
            let is_known = op.program == run.program && is_once(&loops.loops[own.position]);
            is_known.then_some((own.position, own.is_even))
        })
    };
    let mut seen: BTreeMap<usize, Seen> = BTreeMap::new();
    for (_, track) in session.work_tracks(run.device) {
        for lane in &track.lanes {
            for index in lane.starting_in(run.span) {
                let label = lane.labels()[index];
                let Some((position, is_even)) = around(label) else {
                    continue;
                };
                let span = lane.span(index);
                let own = seen.entry(position).or_insert_with(|| Seen {
                    span,
                    counts: BTreeMap::new(),
                });
                own.span = own.span.hull(span);
                if is_even {
                    *own.counts.entry(label).or_default() += 1;
                }
            }
        }
    }
    seen
}
