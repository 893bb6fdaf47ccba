//! Ops that explain a long step: those that other steps do not run, or run less often.
//!
//! | found | because | e.g. |
//! |---|---|---|
//! | [`Kind::Branch`] | most long steps run the op, hardly any other does, though it runs the program | a branch of `lax.cond` |
//! | [`Kind::Rounds`] | a run of the program runs the op more often than usual | a `lax.while_loop` |
//! | [`Kind::Runs`] | the program runs more often than usual | a call per item, or runs that were still in flight |

use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::{DeviceId, OpId, ProgramId, Span};

use super::long_steps::{EXPLAINS, LongSteps, MOSTLY};
use crate::judging::advice::facts::Facts;
use crate::measuring::interval::Intervals;
use crate::measuring::steps::median;
use crate::measuring::totals::totals_within;
use crate::measuring::work::{NO_LEVEL, add_levels};
use crate::telling::format;

/// Other steps that are looked at, evenly over the recording.
const MOST_OTHERS: usize = 64;
/// Fewer of them do not tell what is usual.
const FEWEST_OTHERS: usize = 3;
/// Long steps of which most must run an op that only they run.
const MOST_OF_LONG: f64 = 2.0 / 3.0;
/// Other steps of which at most this share may run it.
const FEW_OF_OTHERS: f64 = 0.1;
/// A loop goes round more often if its ops run this many times as often as usual.
const MORE_ROUNDS: f64 = 1.25;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Branch,
    Rounds,
    Runs,
}

/// What an op did in the typical long step.
#[derive(Clone, Copy)]
struct Grown {
    kind: Option<Kind>,
    op: OpId,
    /// How often it ran there, and usually; of [`Kind::Rounds`], in each run of its program.
    runs: (f64, f64),
    /// How often its program ran there, and usually.
    program_runs: (usize, f64),
    /// What it took beyond the usual.
    more_ps: f64,
    /// Whether no other step was seen to run it.
    is_only: bool,
}

/// The ops that explain long steps: the one that takes the most time, and others of its kind.
pub(super) struct OpsOfLongSteps {
    kind: Kind,
    most: Grown,
    others: usize,
    /// What all of them take beyond the usual, added up over threads.
    more_ps: f64,
    /// Whether runs of the program were launched before the recording, as far as it says.
    is_left_over: bool,
    /// How long the step is with them: when any of them ran, and at most what the step takes beyond the
    /// median.
    told_ps: f64,
}

impl OpsOfLongSteps {
    pub(super) fn text(&self, facts: &Facts<'_>, step: i64) -> String {
        let name = named(facts, self.most.op);
        let others = match self.others {
            0 => String::new(),
            count => format!(" and {}", format::counted(count, "other op")),
        };
        let time = format::duration_ps(self.told_ps);
        let is_one = self.others == 0;
        match self.kind {
            Kind::Branch => {
                let only = if self.most.is_only { "only" } else { "mostly" };
                let verb = if is_one { "runs" } else { "run" };
                format!(" {name}{others} {verb} {only} in long steps, for {time} in step {step}.")
            }
            Kind::Rounds => {
                let (now, usual) = self.most.runs;
                let verb = if is_one { "takes" } else { "take" };
                format!(
                    " {name} runs {now} times in step {step}, usually {usual}; it{others} {verb} {time} \
                     more there."
                )
            }
            Kind::Runs => {
                let (now, usual) = self.most.program_runs;
                let program = facts.session.op(self.most.op).program;
                let program = &facts.session.program(program).name;
                let verb = if is_one { "takes" } else { "take" };
                format!(
                    " {program} runs {now} times in step {step}, usually {usual}; {name}{others} {verb} \
                     {time} more there."
                )
            }
        }
    }

    /// Whether what explains the step was launched before the recording.
    pub(super) fn is_left_over(&self) -> bool {
        self.kind == Kind::Runs && self.is_left_over
    }

    pub(super) const fn why(&self) -> &'static str {
        match self.kind {
            Kind::Branch => {
                "These steps take a branch of the program (`lax.cond`, `lax.switch`) that others do not: \
                 they have more work, the devices are not slower."
            }
            Kind::Rounds => {
                "A loop whose end depends on data (`lax.while_loop`) goes round more often in these steps: \
                 they have more work, the devices are not slower."
            }
            Kind::Runs if self.is_left_over => {
                "These runs were launched before the recording, such as by a warm-up whose results nobody \
                 waited for, and were still in flight."
            }
            Kind::Runs => {
                "These steps call the program more often: they have more work, the devices are not slower."
            }
        }
    }

    pub(super) const fn fix(&self) -> &'static str {
        match self.kind {
            Kind::Branch => {
                "If the branch is meant to run now and then, compare only steps that take it with each \
                 other. Otherwise run it less often, or make it a program of its own that is launched \
                 where the host waits anyway."
            }
            Kind::Rounds => {
                "Limit the number of rounds, or loosen the condition that ends the loop. If inputs differ \
                 in what they need, put those of a kind into one batch."
            }
            Kind::Runs if self.is_left_over => {
                "Wait for what was launched (jax.block_until_ready) before the recording begins."
            }
            Kind::Runs => {
                "If all steps should do the same work, look for what differs in their input. Otherwise \
                 compare only steps with as many calls."
            }
        }
    }
}

/// How often an op ran in a window, and for how long without what ran within it.
type Ran = (i64, i64);

/// What each op did in the long steps and in some others.
pub(super) struct Compared<'a> {
    steps: &'a LongSteps,
    /// The device that is looked at, and the typical long step there.
    device: DeviceId,
    window: Span,
    others: Vec<usize>,
    ran: BTreeMap<OpId, BTreeMap<usize, Ran>>,
    /// How often each program ran, in whole or in part.
    runs: BTreeMap<(ProgramId, usize), usize>,
    /// Programs of which some run in the typical long step was launched before anything was recorded.
    left_over: BTreeSet<ProgramId>,
    /// Programs of which most other steps run some op.
    usual: BTreeSet<ProgramId>,
}

impl<'a> Compared<'a> {
    /// `None` if there are too few other steps.
    pub(super) fn of(facts: &Facts<'_>, steps: &'a LongSteps) -> Option<Self> {
        let (device, windows) = windows(facts, steps)?;
        let spans = windows.iter().map(|&(_, span)| (device, span));
        let spans: Vec<(DeviceId, Span)> = spans.collect();
        let mut ran: BTreeMap<OpId, BTreeMap<usize, Ran>> = BTreeMap::new();
        for window in totals_within(facts.session, &facts.selected, &spans) {
            for (label, own) in &window.labels {
                if let Some(op) = facts.session.label(*label).op {
                    let step = ran.entry(op).or_default().entry(windows[window.row].0);
                    let (count, self_ps) = step.or_default();
                    *count = count.saturating_add(own.occurrences);
                    *self_ps = self_ps.saturating_add(own.self_ps);
                }
            }
        }
        let all: BTreeSet<usize> = windows.iter().map(|&(step, _)| step).collect();
        let others: Vec<usize> = all.difference(&steps.long).copied().collect();
        let usual = usual_programs(facts, &ran, &others);
        let typical = windows.iter().find(|(step, _)| *step == steps.typical);
        let &(_, window) = typical?;
        (others.len() >= FEWEST_OTHERS).then_some(Self {
            steps,
            device,
            window,
            others,
            ran,
            runs: runs_in(facts, device, &windows),
            left_over: left_over(facts, device, window),
            usual,
        })
    }

    /// The ops that run in long steps only, or more often there, if they take enough of what the typical
    /// one takes beyond the median.
    pub(super) fn cause(&self, facts: &Facts<'_>) -> Option<OpsOfLongSteps> {
        let mut found: BTreeMap<Kind, Vec<Grown>> = BTreeMap::new();
        for one in self.grown(facts) {
            if let Some(kind) = one.kind {
                found.entry(kind).or_default().push(one);
            }
        }
        let all = found.into_iter().filter_map(|(kind, ops)| {
            let more_ps: f64 = ops.iter().map(|one| one.more_ps).sum();
            let others = ops.len() - 1;
            let own: BTreeSet<OpId> = ops.iter().map(|one| one.op).collect();
            let most = longest(ops.into_iter())?;
            let is_enough = more_ps >= EXPLAINS * self.steps.excess_ps;
            let program = facts.session.op(most.op).program;
            is_enough.then_some(OpsOfLongSteps {
                kind,
                most,
                is_left_over: self.left_over.contains(&program),
                others,
                more_ps,
                told_ps: self.told_ps(facts, kind, &own, more_ps),
            })
        });
        all.max_by(|a, b| a.more_ps.total_cmp(&b.more_ps))
    }

    /// What to say that some ops take: threads of XLA:CPU run several at once, so that their times may sum to
    /// more than the step.
    fn told_ps(&self, facts: &Facts<'_>, kind: Kind, own: &BTreeSet<OpId>, more_ps: f64) -> f64 {
        match kind {
            Kind::Branch => {
                let ran = self.ran_in_typical(facts, own).duration().0;
                more_ps.min(ran as f64)
            }
            Kind::Rounds | Kind::Runs => more_ps.min(self.steps.excess_ps),
        }
    }

    /// When any of these ops ran in the typical long step.
    fn ran_in_typical(&self, facts: &Facts<'_>, own: &BTreeSet<OpId>) -> Intervals {
        let session = facts.session;
        let labels = session.labels.iter();
        let level_of: Vec<u8> = labels
            .map(|label| match label.op {
                Some(op) if label.kind.is_work() && own.contains(&op) => 0,
                _ => NO_LEVEL,
            })
            .collect();
        let mut spans = vec![Vec::new()];
        for (_, track) in session.work_tracks(self.device) {
            add_levels(&track, &level_of, &[self.window], &mut spans);
        }
        Intervals::union_of_sorted(spans.pop().unwrap_or_default())
    }

    /// ` svd.0 takes 5.000 ms more than usual.`, if one op takes most of what the typical long step takes
    /// beyond the median. That says where the time goes, not why.
    pub(super) fn longer(&self, facts: &Facts<'_>) -> Option<String> {
        let most = longest(self.grown(facts))?;
        (most.more_ps >= MOSTLY * self.steps.excess_ps).then(|| {
            let name = named(facts, most.op);
            let more = format::duration_ps(most.more_ps.min(self.steps.excess_ps));
            if most.runs.1 == 0.0 {
                format!(" {name}, which usual steps do not run, takes {more}.")
            } else {
                format!(" {name} takes {more} more than usual.")
            }
        })
    }

    /// The ops that took more than usual in the typical long step.
    fn grown(&self, facts: &Facts<'_>) -> impl Iterator<Item = Grown> {
        let all = self
            .ran
            .iter()
            .filter_map(|(&op, ran)| self.op(facts, op, ran));
        all.filter(|one| one.more_ps > 0.0)
    }

    fn op(&self, facts: &Facts<'_>, op: OpId, by_step: &BTreeMap<usize, Ran>) -> Option<Grown> {
        let &(_, self_ps) = by_step.get(&self.steps.typical)?;
        let program = facts.session.op(op).program;
        let runs_in = |step| self.runs.get(&(program, step)).copied().unwrap_or(0).max(1);
        let of_others = |figure: &dyn Fn(usize) -> f64| {
            let figures: Vec<f64> = self.others.iter().map(|&step| figure(step)).collect();
            median(&figures)
        };
        let ran = |step| by_step.get(&step).copied().unwrap_or_default();
        let in_run = |step| ran(step).0 as f64 / runs_in(step) as f64;
        let program_runs = (
            runs_in(self.steps.typical),
            of_others(&|step| runs_in(step) as f64),
        );
        let usual_rounds = of_others(&in_run);
        let rounds = in_run(self.steps.typical);
        let runs = (rounds.round(), usual_rounds);
        let ran_in = |step: &&usize| by_step.contains_key(*step);
        let in_long = self.steps.long.iter().filter(ran_in).count();
        let in_others = self.others.iter().filter(ran_in).count();
        let is_of_long = in_long as f64 >= MOST_OF_LONG * self.steps.long.len() as f64;
        // Ops of a program that other steps do not run are no branch: the program is what is special.
        let is_usual = self.usual.contains(&program);
        let is_rare = in_others as f64 <= FEW_OF_OTHERS * self.others.len() as f64;
        let kind = if is_of_long && is_rare && is_usual {
            Some(Kind::Branch)
        } else if usual_rounds > 0.0 && rounds >= MORE_ROUNDS * usual_rounds {
            Some(Kind::Rounds)
        } else if is_usual && program_runs.0 as f64 >= MORE_ROUNDS * program_runs.1 {
            Some(Kind::Runs)
        } else {
            None
        };
        Some(Grown {
            kind,
            op,
            runs,
            program_runs,
            more_ps: self_ps as f64 - of_others(&|step| ran(step).1 as f64),
            is_only: in_others == 0,
        })
    }
}

/// How often each program ran on a device in each of these windows, in whole or in part.
fn runs_in(
    facts: &Facts<'_>,
    device: DeviceId,
    windows: &[(usize, Span)],
) -> BTreeMap<(ProgramId, usize), usize> {
    let mut found: BTreeMap<(ProgramId, usize), usize> = BTreeMap::new();
    let mut sorted = windows.to_vec();
    sorted.sort_by_key(|&(_, span)| span);
    for run in facts
        .session
        .program_runs
        .iter()
        .filter(|run| run.device == device)
    {
        let first = sorted.partition_point(|&(_, span)| span.end <= run.span.start);
        for &(step, span) in &sorted[first..] {
            if span.start >= run.span.end {
                break;
            }
            *found.entry((run.program, step)).or_default() += 1;
        }
    }
    found
}

/// The programs of which runs in a window were launched before anything was recorded: no launch of theirs
/// is known, while that of others is.
fn left_over(facts: &Facts<'_>, device: DeviceId, window: Span) -> BTreeSet<ProgramId> {
    let session = facts.session;
    let own = || {
        session
            .program_runs
            .iter()
            .filter(|run| run.device == device)
    };
    let launched: BTreeSet<ProgramId> = own()
        .filter(|run| run.launched.is_some())
        .map(|run| run.program)
        .collect();
    own()
        .filter(|run| run.launched.is_none() && run.span.intersection(window).is_some())
        .map(|run| run.program)
        .filter(|program| launched.contains(program))
        .collect()
}

/// The programs of which more than half of the other steps run some op.
fn usual_programs(
    facts: &Facts<'_>,
    ran: &BTreeMap<OpId, BTreeMap<usize, Ran>>,
    others: &[usize],
) -> BTreeSet<ProgramId> {
    let mut steps: BTreeMap<ProgramId, BTreeSet<usize>> = BTreeMap::new();
    for (op, by_step) in ran {
        let own = others.iter().filter(|step| by_step.contains_key(*step));
        let program = facts.session.op(*op).program;
        steps.entry(program).or_default().extend(own);
    }
    let usual = steps
        .into_iter()
        .filter(|(_, own)| own.len() * 2 > others.len());
    usual.map(|(program, _)| program).collect()
}

fn longest(ops: impl Iterator<Item = Grown>) -> Option<Grown> {
    ops.max_by(|a, b| a.more_ps.total_cmp(&b.more_ps))
}

/// `svd.0 (jit(step)/svd)`.
fn named(facts: &Facts<'_>, op: OpId) -> String {
    let op = facts.session.op(op);
    let name = format::shortened(facts.session.text(op.name));
    match facts.session.text(op.scope) {
        "" => name,
        scope => format!("{name} ({})", format::shortened(scope)),
    }
}

/// The device on which the typical long step takes longest, with the long steps there and some others.
fn windows(facts: &Facts<'_>, steps: &LongSteps) -> Option<(DeviceId, Vec<(usize, Span)>)> {
    let rows = facts.rows();
    let typical = rows.iter().filter(|row| row.step == steps.typical);
    let longest = typical.max_by_key(|row| row.span.duration())?;
    let device = longest.device?;
    let own = rows.iter().filter(|row| row.device == Some(device));
    let (mut long, others): (Vec<_>, Vec<_>) = own
        .map(|row| (row.step, row.span))
        .partition(|(step, _)| steps.long.contains(step));
    let every = others.len().div_ceil(MOST_OTHERS).max(1);
    long.extend(others.into_iter().step_by(every));
    Some((device, long))
}
