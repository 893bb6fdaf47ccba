//! Programs that explain long steps: those that other steps do not run.
//!
//! | found | because | e.g. |
//! |---|---|---|
//! | [`Kind::Function`] | hardly any other step runs the function | an evaluation, a checkpoint |
//! | [`Kind::Variant`] | the other steps run the function as another program | a longer sequence |
//!
//! Step outliers have other causes too, so one ordinary step with the program does not refute it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use stepscope_model::{DeviceId, Functions, Program, ProgramId};

use super::long_steps::{EXPLAINS, LongSteps};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::steps_of_runs::StepsOfRuns;
use crate::telling::format;

/// It belongs to long steps if for each other step that runs it, so many long ones do.
const LONG_PER_OTHER: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Function,
    Variant,
}

/// The program that explains the longest step.
pub(super) struct OfLongSteps {
    kind: Kind,
    program: ProgramId,
    /// Mean over devices in the longest step; of a variant, what it takes beyond the usual program.
    time_ps: f64,
    /// Whether no other step runs it.
    is_only: bool,
}

impl OfLongSteps {
    pub(super) fn text(&self, facts: &Facts<'_>) -> String {
        let name = &facts.session.program(self.program).name;
        let time = format::duration_ps(self.time_ps);
        let only = if self.is_only { "only" } else { "mostly" };
        match self.kind {
            Kind::Function => {
                format!(" {name} runs {only} in long steps, for {time} in the longest one.")
            }
            Kind::Variant => format!(
                " There {name} is another program than in the other steps and takes {time} more in \
                 the longest one."
            ),
        }
    }

    pub(super) fn why(&self) -> &'static str {
        match self.kind {
            Kind::Function => {
                "These steps run a program that others do not, such as an evaluation, a prefill, or an update \
                 that is due every few steps."
            }
            Kind::Variant => {
                "The same function ran with arguments of another shape or type, such as longer \
                 sequences: these steps have more work, the devices are not slower."
            }
        }
    }

    pub(super) fn fix(&self) -> &'static str {
        match self.kind {
            Kind::Function => {
                "If that makes it a step of another kind, annotate it with a name of its own, so that such \
                 steps form a separate series. Otherwise run the program less often, or beside the others."
            }
            Kind::Variant => {
                "Compare steps with equal shapes only. If few steps are that long, group inputs of \
                 similar length into one batch, so that no step pads to the longest."
            }
        }
    }
}

/// Where a program or function ran.
#[derive(Default)]
struct Seen {
    /// In the longest step, over these devices.
    typical_ps: i64,
    typical_on: BTreeSet<DeviceId>,
    /// Long steps and others.
    long: BTreeSet<usize>,
    other: BTreeSet<usize>,
    /// In the other steps, over these steps and devices.
    other_ps: i64,
    other_at: BTreeSet<(usize, DeviceId)>,
}

impl Seen {
    fn merge(&mut self, other: &Self) {
        self.typical_ps = self.typical_ps.saturating_add(other.typical_ps);
        self.typical_on.extend(&other.typical_on);
        self.long.extend(&other.long);
        self.other.extend(&other.other);
        self.other_ps = self.other_ps.saturating_add(other.other_ps);
        self.other_at.extend(&other.other_at);
    }

    fn is_of_long_steps(&self) -> bool {
        !self.long.is_empty() && self.long.len() >= LONG_PER_OTHER * self.other.len()
    }

    fn typical_mean_ps(&self) -> f64 {
        self.typical_ps as f64 / self.typical_on.len().max(1) as f64
    }

    fn other_mean_ps(&self) -> f64 {
        self.other_ps as f64 / self.other_at.len().max(1) as f64
    }
}

/// The function or program of long steps that takes the most time in the longest one, if that explains
/// what this step takes beyond the median.
pub(super) fn of_long_steps(facts: &Facts<'_>, steps: &LongSteps) -> Option<OfLongSteps> {
    let functions = functions(&facts.session.programs);
    let of_programs = seen(facts, &steps.long, steps.typical);
    let mut of_functions: BTreeMap<ProgramId, Seen> = BTreeMap::new();
    for (program, seen) in &of_programs {
        let function = of_functions.entry(functions[program.index()]);
        function.or_default().merge(seen);
    }
    let function = of_functions
        .iter()
        .filter(|(_, seen)| seen.is_of_long_steps())
        .map(|(&program, seen)| (program, seen, seen.typical_mean_ps()));
    let variant = of_programs.iter().filter_map(|(&program, seen)| {
        let function = &of_functions[&functions[program.index()]];
        let is_variant = seen.is_of_long_steps() && !function.is_of_long_steps();
        let more_ps = seen.typical_mean_ps() - function.other_mean_ps();
        is_variant.then_some((program, seen, more_ps))
    });
    let found = |kind, (program, seen, time_ps): (ProgramId, &Seen, f64)| OfLongSteps {
        kind,
        program,
        time_ps,
        is_only: seen.other.is_empty(),
    };
    let all = function
        .map(|one| found(Kind::Function, one))
        .chain(variant.map(|one| found(Kind::Variant, one)));
    all.filter(|one| one.time_ps > 0.0 && one.time_ps >= EXPLAINS * steps.excess_ps)
        .max_by(|a, b| {
            let by_time = a.time_ps.total_cmp(&b.time_ps);
            by_time.then_with(|| Reverse(a.program).cmp(&Reverse(b.program)))
        })
}

/// For each program, the one that stands for its function: the first of its name, because a function with
/// arguments of a new shape is another program, but the same part of the step. Every lambda has the same
/// name; their code tells which are one.
fn functions(programs: &[Program]) -> Vec<ProgramId> {
    let by_code = Functions::of(programs);
    let ids = (0..programs.len()).map(ProgramId::from_index);
    let mut first: FxHashMap<&str, ProgramId> = FxHashMap::default();
    ids.zip(programs)
        .map(|(id, program)| {
            if program.name.contains("lambda") {
                return by_code.function(id);
            }
            *first.entry(program.name.as_str()).or_insert(id)
        })
        .collect()
}

/// Runs that start within a step of their device, by program.
fn seen(facts: &Facts<'_>, long: &BTreeSet<usize>, typical: usize) -> BTreeMap<ProgramId, Seen> {
    let steps = StepsOfRuns::of(facts);
    let mut seen: BTreeMap<ProgramId, Seen> = BTreeMap::new();
    for run in &facts.session.program_runs {
        let Some(row) = steps.step(run) else {
            continue;
        };
        let own = seen.entry(run.program).or_default();
        let took_ps = run.span.duration().0;
        if row.step == typical {
            own.typical_ps = own.typical_ps.saturating_add(took_ps);
            own.typical_on.insert(run.device);
        }
        if long.contains(&row.step) {
            own.long.insert(row.step);
        } else {
            own.other.insert(row.step);
            own.other_ps = own.other_ps.saturating_add(took_ps);
            own.other_at.insert((row.step, run.device));
        }
    }
    seen
}
