//! Ops that explain a long step: those that other steps do not run, or run less often.
//!
//! | found | because | e.g. |
//! |---|---|---|
//! | [`Kind::Branch`] | most long steps run the op, hardly any other does | a branch of `lax.cond` |
//! | [`Kind::Rounds`] | the step runs the op more often than usual | a `lax.while_loop` |

use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::{DeviceId, OpId, Span};

use super::{EXPLAINS, LongSteps};
use crate::judging::advice::facts::Facts;
use crate::measuring::steps::median;
use crate::measuring::totals::totals_within;
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
}

/// The ops that explain a long step.
pub(super) struct OpsOfLongSteps {
    kind: Kind,
    /// The one that takes the most time.
    op: OpId,
    /// How often it runs in the step, and usually.
    runs: (i64, f64),
    /// What all of them take beyond the usual.
    more_ps: f64,
    /// Other ops of the kind.
    others: usize,
    /// Whether no other step was seen to run the op.
    is_only: bool,
}

impl OpsOfLongSteps {
    pub(super) fn text(&self, facts: &Facts<'_>, step: i64) -> String {
        let session = facts.session;
        let op = session.op(self.op);
        let name = format::shortened(session.text(op.name));
        let scope = match session.text(op.scope) {
            "" => String::new(),
            scope => format!(" ({})", format::shortened(scope)),
        };
        let others = match self.others {
            0 => String::new(),
            count => format!(" and {}", format::counted(count, "other op")),
        };
        let time = format::duration_ps(self.more_ps);
        match self.kind {
            Kind::Branch => {
                let only = if self.is_only { "only" } else { "mostly" };
                let verb = if self.others == 0 { "runs" } else { "run" };
                format!(
                    " {name}{scope}{others} {verb} {only} in long steps, for {time} in step {step}."
                )
            }
            Kind::Rounds => {
                let (now, usual) = self.runs;
                let verb = if self.others == 0 { "takes" } else { "take" };
                format!(
                    " {name}{scope} runs {now} times in step {step}, usually {usual}; it{others} {verb} \
                     {time} more there."
                )
            }
        }
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
        }
    }
}

/// How often an op ran in a window, and for how long without what ran within it.
type Ran = (i64, i64);

/// The ops that run in long steps only, or more often there, if they take enough of what the typical one
/// takes beyond the median.
pub(super) fn of_long_steps(facts: &Facts<'_>, steps: &LongSteps) -> Option<OpsOfLongSteps> {
    let (device, windows) = windows(facts, steps)?;
    let spans: Vec<(DeviceId, Span)> = windows.iter().map(|&(_, span)| (device, span)).collect();
    let totals = totals_within(facts.session, &facts.selected, &spans);
    let mut ran: BTreeMap<OpId, BTreeMap<usize, Ran>> = BTreeMap::new();
    for window in &totals {
        for (label, own) in &window.labels {
            if let Some(op) = facts.session.label(*label).op {
                let step = ran.entry(op).or_default().entry(windows[window.row].0);
                let (count, self_ps) = step.or_default();
                *count = count.saturating_add(own.occurrences);
                *self_ps = self_ps.saturating_add(own.self_ps);
            }
        }
    }
    let others: BTreeSet<usize> = windows.iter().map(|&(step, _)| step).collect();
    let others: Vec<usize> = others.difference(&steps.long).copied().collect();
    if others.len() < FEWEST_OTHERS {
        return None;
    }
    let mut found: BTreeMap<Kind, Vec<(f64, OpsOfLongSteps)>> = BTreeMap::new();
    for (op, by_step) in &ran {
        let one = of_op(*op, by_step, steps, &others);
        if let Some((kind, one)) = one.map(|one| (one.kind, one)) {
            found.entry(kind).or_default().push((one.more_ps, one));
        }
    }
    let all = found.into_values().filter_map(|ops| {
        let more_ps: f64 = ops.iter().map(|(own, _)| own).sum();
        let count = ops.len();
        let (_, most) = ops.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
        let one = OpsOfLongSteps {
            more_ps,
            others: count - 1,
            ..most
        };
        (more_ps >= EXPLAINS * steps.excess_ps).then_some(one)
    });
    all.max_by(|a, b| a.more_ps.total_cmp(&b.more_ps))
}

/// What an op says about the typical long step.
fn of_op(
    op: OpId,
    by_step: &BTreeMap<usize, Ran>,
    steps: &LongSteps,
    others: &[usize],
) -> Option<OpsOfLongSteps> {
    let &(count, self_ps) = by_step.get(&steps.typical)?;
    let of = |step: &usize| by_step.get(step).copied().unwrap_or_default();
    let usual = |figure: fn(Ran) -> i64| {
        let figures: Vec<f64> = others.iter().map(|step| figure(of(step)) as f64).collect();
        median(&figures)
    };
    let runs = (count, usual(|(count, _)| count));
    let in_long = steps
        .long
        .iter()
        .filter(|step| by_step.contains_key(step))
        .count();
    let in_others = others
        .iter()
        .filter(|step| by_step.contains_key(step))
        .count();
    let is_of_long = in_long as f64 >= MOST_OF_LONG * steps.long.len() as f64;
    let kind = if is_of_long && in_others as f64 <= FEW_OF_OTHERS * others.len() as f64 {
        Kind::Branch
    } else if runs.1 > 0.0 && count as f64 >= MORE_ROUNDS * runs.1 {
        Kind::Rounds
    } else {
        return None;
    };
    let more_ps = self_ps as f64 - usual(|(_, self_ps)| self_ps);
    (more_ps > 0.0).then_some(OpsOfLongSteps {
        kind,
        op,
        runs,
        more_ps,
        others: 0,
        is_only: in_others == 0,
    })
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
