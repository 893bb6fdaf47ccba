//! Programs that explain long steps: those that other steps do not run.
//!
//! | found | because | e.g. |
//! |---|---|---|
//! | [`Kind::Function`] | hardly any other step runs the function | an evaluation, a checkpoint |
//! | [`Kind::Variant`] | the other steps run the function as another program | a longer sequence |
//!
//! Step outliers have other causes too, so one ordinary step with the program does not refute it. Neither do a
//! few if it takes most of the time that all long steps lose: what few steps run is no part of the median.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use stepscope_model::{DeviceId, Functions, Program, ProgramId};

use super::long_steps::{EXPLAINS, LongSteps, MOSTLY};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::steps_of_runs::StepsOfRuns;
use crate::telling::format;

/// It belongs to long steps if for each other step that runs it, so many long ones do.
const LONG_PER_OTHER: usize = 4;

/// What so many of the other steps run is part of the usual step.
const FEW: f64 = 0.25;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Function,
    Variant,
}

/// How sure it is that a program makes steps long.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// No other step runs it.
    OnlyInLong,
    /// Hardly any does.
    MostlyInLong,
    /// Of all steps, these run it, and it takes most of the time that long ones lose.
    InFew(usize),
}

/// The program that explains a long step.
pub(super) struct OfLongSteps {
    kind: Kind,
    program: ProgramId,
    /// Mean over devices in that step; of a variant, what it takes beyond the usual program.
    time_ps: f64,
    runs: Runs,
}

impl OfLongSteps {
    pub(super) fn text(&self, facts: &Facts<'_>, step: i64) -> String {
        let name = &facts.session.program(self.program).name;
        let time = format::duration_ps(self.time_ps);
        let runs = match self.runs {
            Runs::OnlyInLong => "only in long steps".to_owned(),
            Runs::MostlyInLong => "mostly in long steps".to_owned(),
            Runs::InFew(count) => format!("in {count} of all {} steps", facts.bars.len()),
        };
        match self.kind {
            Kind::Function => format!(" {name} runs {runs}, for {time} in step {step}."),
            Kind::Variant => format!(
                " There {name} is another program than in the other steps and takes {time} more in step \
                 {step}."
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

/// Where a program or function ran: in each step, for how long, and on which devices.
#[derive(Default)]
struct Seen {
    steps: BTreeMap<usize, (i64, BTreeSet<DeviceId>)>,
}

impl Seen {
    fn merge(&mut self, other: &Self) {
        for (&step, (time_ps, devices)) in &other.steps {
            let own = self.steps.entry(step).or_default();
            own.0 = own.0.saturating_add(*time_ps);
            own.1.extend(devices);
        }
    }

    /// Numbers of long steps and of other steps that run it.
    fn counts(&self, long: &BTreeSet<usize>) -> (usize, usize) {
        let in_long = self.steps.keys().filter(|step| long.contains(step)).count();
        (in_long, self.steps.len() - in_long)
    }

    fn is_of_long_steps(&self, long: &BTreeSet<usize>) -> bool {
        let (in_long, others) = self.counts(long);
        in_long > 0 && in_long >= LONG_PER_OTHER * others
    }

    /// Mean over the devices in a step.
    fn mean_ps(&self, step: usize) -> f64 {
        let own = self.steps.get(&step);
        own.map_or(0.0, |(time_ps, devices)| {
            *time_ps as f64 / devices.len().max(1) as f64
        })
    }

    /// Mean over the other steps and their devices.
    fn other_mean_ps(&self, long: &BTreeSet<usize>) -> f64 {
        let others = self.steps.iter().filter(|(step, _)| !long.contains(step));
        let (mut sum_ps, mut count) = (0_i64, 0);
        for (_, (time_ps, devices)) in others {
            sum_ps = sum_ps.saturating_add(*time_ps);
            count += devices.len();
        }
        sum_ps as f64 / count.max(1) as f64
    }
}

/// What programs and functions ran in each step.
pub(super) struct ProgramsOfSteps {
    of_programs: BTreeMap<ProgramId, Seen>,
    of_functions: BTreeMap<ProgramId, Seen>,
    /// The program that stands for the function of each.
    functions: Vec<ProgramId>,
    step_count: usize,
}

impl ProgramsOfSteps {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let functions = functions(&facts.session.programs);
        let of_programs = seen(facts);
        let mut of_functions: BTreeMap<ProgramId, Seen> = BTreeMap::new();
        for (program, seen) in &of_programs {
            let function = of_functions.entry(functions[program.index()]);
            function.or_default().merge(seen);
        }
        Self {
            of_programs,
            of_functions,
            functions,
            step_count: facts.bars.len(),
        }
    }

    /// The function or program of long steps that takes the most time in one of them, if that explains what
    /// this step takes beyond the median.
    pub(super) fn of_long_steps(&self, steps: &LongSteps) -> Option<OfLongSteps> {
        let is_own = |seen: &Seen| seen.is_of_long_steps(&steps.long);
        let candidates = self.candidates(&steps.long, is_own);
        let found = candidates.map(|one| {
            let (_, others) = one.seen.counts(&steps.long);
            OfLongSteps {
                kind: one.kind,
                program: one.program,
                time_ps: one.time_ps(steps.typical),
                runs: if others == 0 {
                    Runs::OnlyInLong
                } else {
                    Runs::MostlyInLong
                },
            }
        });
        found
            .filter(|one| one.time_ps > 0.0 && one.time_ps >= EXPLAINS * steps.excess_ps)
            .max_by(|a, b| longest((a.time_ps, a.program), (b.time_ps, b.program)))
    }

    /// The function or program of few steps that takes most of the time that the long steps lose, and the
    /// long step that stands for those with it. `lost_ps`: what each long step takes beyond the median.
    pub(super) fn of_few_steps(
        &self,
        lost_ps: &BTreeMap<usize, f64>,
    ) -> Option<(OfLongSteps, usize)> {
        let long: BTreeSet<usize> = lost_ps.keys().copied().collect();
        let usual_count = self.step_count.saturating_sub(long.len());
        let all_ps: f64 = lost_ps.values().sum();
        let is_own = |seen: &Seen| {
            let (in_long, others) = seen.counts(&long);
            in_long > 0 && others as f64 <= FEW * usual_count as f64
        };
        let explained = self.candidates(&long, is_own).filter_map(|one| {
            let of_step = |(&step, &lost): (&usize, &f64)| (one.time_ps(step).min(lost), step);
            let mut times: Vec<(f64, usize)> = lost_ps.iter().map(of_step).collect();
            times.retain(|own| own.0 > 0.0);
            let sum_ps: f64 = times.iter().map(|own| own.0).sum();
            times.sort_by(|a, b| b.0.total_cmp(&a.0));
            let mut so_far = 0.0;
            let typical = times.into_iter().find(|own| {
                so_far += own.0;
                2.0 * so_far >= sum_ps
            });
            let step = typical?.1;
            (sum_ps >= MOSTLY * all_ps).then_some((sum_ps, one, step))
        });
        let most = explained.max_by(|a, b| longest((a.0, a.1.program), (b.0, b.1.program)));
        let (_, one, step) = most?;
        let found = OfLongSteps {
            kind: one.kind,
            program: one.program,
            time_ps: one.time_ps(step),
            runs: Runs::InFew(one.seen.steps.len()),
        };
        Some((found, step))
    }

    /// Functions that `is_own` accepts, and programs that it accepts, but not their functions.
    fn candidates<'a>(
        &'a self,
        long: &'a BTreeSet<usize>,
        is_own: impl Fn(&Seen) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = Candidate<'a>> {
        let functions = (self.of_functions.iter()).filter(move |(_, seen)| is_own(seen));
        let function = functions.map(|(&program, seen)| Candidate {
            kind: Kind::Function,
            program,
            seen,
            usual_ps: 0.0,
        });
        let variant = self.of_programs.iter().filter_map(move |(&program, seen)| {
            let function = &self.of_functions[&self.functions[program.index()]];
            (is_own(seen) && !is_own(function)).then(|| Candidate {
                kind: Kind::Variant,
                program,
                seen,
                usual_ps: function.other_mean_ps(long),
            })
        });
        function.chain(variant)
    }
}

struct Candidate<'a> {
    kind: Kind,
    program: ProgramId,
    seen: &'a Seen,
    /// What usual steps spend in the same function.
    usual_ps: f64,
}

impl Candidate<'_> {
    /// What it adds to a step that runs it.
    fn time_ps(&self, step: usize) -> f64 {
        (self.seen.mean_ps(step) - self.usual_ps).max(0.0)
    }
}

fn longest(a: (f64, ProgramId), b: (f64, ProgramId)) -> Ordering {
    a.0.total_cmp(&b.0)
        .then_with(|| Reverse(a.1).cmp(&Reverse(b.1)))
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
fn seen(facts: &Facts<'_>) -> BTreeMap<ProgramId, Seen> {
    let steps = StepsOfRuns::of(facts);
    let mut seen: BTreeMap<ProgramId, Seen> = BTreeMap::new();
    for run in &facts.session.program_runs {
        let Some(row) = steps.step(run) else {
            continue;
        };
        let own = seen.entry(run.program).or_default();
        let of_step = own.steps.entry(row.step).or_default();
        of_step.0 = of_step.0.saturating_add(run.span.duration().0);
        of_step.1.insert(run.device);
    }
    seen
}
