//! The function whose runs are the steps of a loop that nobody annotated.
//!
//! ```text
//! train train train eval train train train eval           train: it runs most often
//! train train eval eval eval train train eval eval eval   train: what eval reads, it updates
//! act act act act learn act act act act learn             learn: what act reads, it updates
//! dot tanh dot sum dot tanh dot sum                       sum: ops, dispatched one at a time, in rounds
//! one one two two two one one two two two                 one one two two two: each trains its own
//! act act act learn learn act act act learn learn         act act act learn learn: from what act returns
//! solve solve solve mix solve solve solve mix             solve solve solve mix: of all that solve returns
//! train train train train eval eval eval eval eval eval   train: of loops in turn, the longest
//! [f f f f] [f f f f] [f f f f]                            calls of what runs f, which is part of a formula
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::alternation::Alternation;
use super::completing::completing;
use super::evidence::Evidence;
use super::gathering::gathering;
use super::grouped::Grouped;
use super::phases::longest_loop;
use super::rollout::rollout;
use super::rounds::round_mark;
use super::turns::taking_turns;
use crate::functions::Functions;
use crate::ids::{DeviceId, ProgramId};
use crate::program::Program;
use crate::session::ProgramRun;
use crate::units::{Picos, Span};

/// Programs that are shorter than this, have one op each, and run at least this often are ops that
/// the host dispatches one at a time: parts of a step, not a step.
const EAGER_PS: i64 = 100_000_000;
const EAGER_RUNS: usize = 64;

/// Share of the time of the longest program, from which on a program may be the step's.
const MIN_OF_LONGEST: f64 = 0.25;

/// Least share of the time of all runs: what takes less does not make the steps of a recording, such
/// as keys that are split before a whole training loop runs as one program.
const MIN_OF_ALL: f64 = 0.05;

/// Share of the time of all runs that a function takes among single ops which make no rounds.
const MIN_OF_LEADING: f64 = 1.0 / 3.0;

/// Share of the time of all single ops, below which one of them is not what a step consists of.
const MIN_OF_SINGLE: f64 = 0.5;

/// What begins steps.
pub(super) enum Main {
    /// Each run of the programs of a function.
    Runs(BTreeSet<ProgramId>),
    /// Each round of several functions.
    Rounds(Alternation),
    /// Each call in which a function runs several times.
    Calls(Grouped),
}

impl Main {
    /// Whether runs of a program are among those that begin steps.
    pub(super) fn has(&self, program: ProgramId) -> bool {
        match self {
            Self::Runs(programs) => programs.contains(&program),
            Self::Rounds(alternation) => alternation.has(program),
            Self::Calls(grouped) => grouped.has(program),
        }
    }

    /// The work that begins steps, of the runs of a device in order.
    pub(super) fn works(&self, runs: &[&ProgramRun]) -> Vec<Option<Span>> {
        match self {
            Self::Runs(programs) => {
                let own = runs.iter().filter(|run| programs.contains(&run.program));
                own.map(|run| Some(run.span)).collect()
            }
            Self::Rounds(alternation) => alternation.works(runs),
            Self::Calls(grouped) => grouped.works(runs),
        }
    }
}

/// What begins steps; `None` if nothing does.
pub(super) fn main_function(evidence: &Evidence<'_>) -> Option<Main> {
    // What XLA tries out while it compiles is no step.
    let is_trial = Program::trials(evidence.programs);
    let runs = evidence.runs.iter();
    let runs: Vec<&ProgramRun> = runs.filter(|run| !is_trial[run.program.index()]).collect();
    let functions = Functions::of(evidence.programs);
    let first = runs_in_order(&runs, runs.first()?.device);
    let first: Vec<ProgramId> = first.iter().map(|run| run.program).collect();
    let taking_turns = taking_turns(&runs, &first, &functions);
    let function = |program: ProgramId| {
        let function = functions.function(program);
        let is_apart = taking_turns.contains(&function);
        if is_apart { program } else { function }
    };
    let name = |program: ProgramId| evidence.programs[program.index()].name.as_str();
    let runs = longest_loop(runs, function, name);
    let counts = Counts::of(&runs, function);
    let frequent = counts.frequent(|_| true)?;
    let in_order = runs_in_order(&runs, counts.busiest(frequent)?);
    let order: Vec<ProgramId> = in_order.iter().map(|run| function(run.program)).collect();
    // It is asked of every run.
    let programs = evidence.programs.iter();
    let single: Vec<bool> = programs.map(Program::is_single_op).collect();
    let is_single = |program: ProgramId| single[program.index()];
    let round = || round_mark(&order, frequent, is_single);
    let completing = |frequent| completing(evidence.programs, frequent, &order);
    let programs_of = |main: ProgramId| -> BTreeSet<ProgramId> {
        let own = runs.iter().map(|run| run.program);
        own.filter(|&one| function(one) == main).collect()
    };
    let main = if is_single(frequent) && counts.is_part(frequent, &order, is_single) {
        if let Some(calls) = Grouped::of_ops(evidence, &programs_of(frequent)) {
            return Some(Main::Calls(calls));
        }
        // Ops around a function that make no rounds, as elements that are read one by one, are its steps'.
        let other = || {
            let own = counts.frequent(|one| !is_single(one));
            own.filter(|&one| counts.leads(one)).map(completing)
        };
        round().or_else(other)?
    } else {
        let is_minor = is_single(frequent) && counts.is_minor(frequent, is_single);
        let round = is_minor.then(round).flatten();
        round.unwrap_or_else(|| completing(frequent))
    };
    if main == frequent {
        let round = Alternation::of(evidence.programs, main, &in_order, function);
        if let Some(round) = round {
            return Some(Main::Rounds(round));
        }
    }
    if let Some(round) = rollout(evidence.programs, main, &in_order, function) {
        return Some(Main::Rounds(round));
    }
    let own = programs_of(main);
    if let Some(calls) = Grouped::of(evidence, &own) {
        return Some(Main::Calls(calls));
    }
    let round = gathering(evidence, main, &in_order, function);
    Some(round.map_or(Main::Runs(own), Main::Rounds))
}

/// The runs of a device in order.
fn runs_in_order<'a>(runs: &[&'a ProgramRun], device: DeviceId) -> Vec<&'a ProgramRun> {
    let own = runs.iter().filter(|run| run.device == device);
    let mut own: Vec<&ProgramRun> = own.copied().collect();
    own.sort_by_key(|run| (run.span, run.program));
    own
}

/// How long and how often functions ran.
struct Counts {
    totals: BTreeMap<ProgramId, Picos>,
    runs: BTreeMap<ProgramId, BTreeMap<DeviceId, usize>>,
}

impl Counts {
    fn of(runs: &[&ProgramRun], function: impl Fn(ProgramId) -> ProgramId) -> Self {
        let mut counts = Self {
            totals: BTreeMap::new(),
            runs: BTreeMap::new(),
        };
        for run in runs {
            let function = function(run.program);
            *counts.totals.entry(function).or_default() += run.span.duration();
            let own = counts.runs.entry(function).or_default();
            *own.entry(run.device).or_default() += 1;
        }
        counts
    }

    /// Of the functions that ran at least twice on some device and took a considerable part of the
    /// time, the one that ran most often: an evaluation may take longer than the steps between.
    fn frequent(&self, counts: impl Fn(ProgramId) -> bool) -> Option<ProgramId> {
        let repeated = || {
            let all = self.totals.iter();
            all.filter(|(program, _)| counts(**program) && self.most(**program) >= 2)
        };
        let longest = repeated().map(|(_, total)| total.0).max()?;
        let least_ps = (MIN_OF_LONGEST * longest as f64).max(self.least_ps());
        let long = repeated().filter(|(_, total)| total.0 as f64 >= least_ps);
        let rank = |(program, total): &(&ProgramId, &Picos)| {
            (self.most(**program), **total, std::cmp::Reverse(**program))
        };
        long.max_by_key(rank).map(|(program, _)| *program)
    }

    /// Whether a function takes so much of the time that ops around it are beside it: operations of JAX that
    /// are several ops, such as products, are not.
    fn leads(&self, function: ProgramId) -> bool {
        let total = self.totals.get(&function).copied().unwrap_or_default();
        total.0 as f64 >= MIN_OF_LEADING * self.all_ps()
    }

    fn all_ps(&self) -> f64 {
        self.totals.values().map(|total| total.0 as f64).sum()
    }

    /// What a function takes at least that makes steps.
    fn least_ps(&self) -> f64 {
        MIN_OF_ALL * self.all_ps()
    }

    /// Whether other single ops take more time than this one.
    fn is_minor(&self, function: ProgramId, is_single: impl Fn(ProgramId) -> bool) -> bool {
        let single = self
            .totals
            .iter()
            .filter(|(program, _)| is_single(**program));
        let all_ps: f64 = single.map(|(_, total)| total.0 as f64).sum();
        let total = self.totals.get(&function).copied().unwrap_or_default();
        (total.0 as f64) < MIN_OF_SINGLE * all_ps
    }

    /// Its runs on the device where it ran most often.
    fn most(&self, function: ProgramId) -> usize {
        let own = self.runs.get(&function).into_iter().flatten();
        own.map(|(_, &count)| count).max().unwrap_or(0)
    }

    fn busiest(&self, function: ProgramId) -> Option<DeviceId> {
        let own = self.runs.get(&function)?.iter();
        let most = own.max_by_key(|(device, count)| (**count, std::cmp::Reverse(**device)));
        most.map(|(device, _)| *device)
    }

    /// Whether runs of a single op are parts of a step: they are many and short, or other single ops run
    /// between most of them.
    fn is_part(
        &self,
        function: ProgramId,
        order: &[ProgramId],
        is_single: impl Fn(ProgramId) -> bool,
    ) -> bool {
        let most = self.most(function);
        let all: usize = self
            .runs
            .get(&function)
            .into_iter()
            .flatten()
            .map(|(_, count)| count)
            .sum();
        let total = self.totals.get(&function).copied().unwrap_or_default();
        let mean_ps = total.0 / i64::try_from(all).unwrap_or(i64::MAX).max(1);
        let gaps = most.saturating_sub(1);
        let between = order.split(|&one| one == function).skip(1).take(gaps);
        let with_others = between.filter(|gap| gap.iter().any(|&one| is_single(one)));
        (most >= EAGER_RUNS && mean_ps < EAGER_PS) || with_others.count() * 2 > gaps
    }
}
