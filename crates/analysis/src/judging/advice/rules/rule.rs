//! What rules are made of: the rule itself, its outcomes, and the figures that several rules judge.

use super::super::evidence::of_op;
use super::super::facts::{Facts, Place, part_ps};
use super::super::report::{AdviceEvidence, AdviceFinding, Confidence, Elsewhere};
use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::telling::recording;
use crate::telling::thresholds::Threshold;
use crate::telling::thresholds::VerdictKind;
use crate::views::memory::AllocatorRow;
use crate::views::ops::OpRow;

/// A rule.
pub struct Rule {
    /// Stable name of its findings.
    pub id: &'static str,
    /// What it checks, in a few words.
    pub title: &'static str,
    /// Parts of a step that its gain is of: rules with a part in common may gain the same time.
    pub(in crate::judging::advice) parts: &'static [PartKind],
    pub(in crate::judging::advice) check: fn(&Facts<'_>) -> Outcome,
}

/// What a rule found.
pub(in crate::judging::advice) enum Outcome {
    /// Things to change.
    Found(Vec<AdviceFinding>),
    /// Nothing to change: the figure that says so.
    Passed(String),
    /// It could not be checked: why.
    Skipped(String),
}

/// Rules about parts of a step in which devices wait: without steps, `idle_recording` judges all idle
/// time by its cause.
pub(super) fn judged_in_recording(facts: &Facts<'_>) -> Option<Outcome> {
    (facts.step_ps.is_none() && facts.has_enough_work()).then(|| Outcome::Found(Vec::new()))
}

/// Why a rule about steps cannot be checked.
pub(super) fn no_steps(facts: &Facts<'_>) -> String {
    recording::needs_steps(facts.session)
}

/// Why a rule about work cannot be checked.
pub(super) const NO_WORK: &str = "No device recorded work.";

/// Why a rule about shares of work says nothing.
pub(super) const LITTLE_WORK: &str =
    "Devices recorded too little work (below 20 executions of ops) to judge by.";

/// Why a rule about HLO cannot be checked.
pub(super) const NO_HLO: &str =
    "The profile carries no HLO of a program that the devices spend time in.";

/// Why a rule about accelerators says nothing.
pub(super) const CPU_ONLY: &str = "Only XLA:CPU worked.";

/// How a share of the work becomes time.
pub(super) const SHARE_OF_WORK: &str = "share of these ops in the work × busy time of a step";

/// Ops that take too large a share of the work.
pub(super) struct Share {
    pub(super) severity: Severity,
    /// `12.3 %`
    pub(super) text: String,
    /// Time of a step.
    pub(super) per_step: Option<f64>,
}

/// The share of ops that pass, held against a threshold; the outcome where there is nothing to say.
pub(super) fn share(
    facts: &Facts<'_>,
    key: &str,
    passes: impl Fn(&OpRow) -> bool,
) -> Result<Share, Outcome> {
    if !facts.has_work() {
        return Err(Outcome::Skipped(NO_WORK.to_owned()));
    }
    let (total, per_step) = facts.ops_per_step(passes);
    let ratio = total as f64 / facts.total_self_ps() as f64;
    let text = format::percent(ratio);
    match gravity(&facts.threshold(key), ratio) {
        None => Err(Outcome::Passed(format!("{text} of the work."))),
        Some(severity) => Ok(Share {
            severity,
            text,
            per_step,
        }),
    }
}

/// Parts of a step that take too long somewhere.
pub(super) struct Part {
    pub(super) severity: Severity,
    pub(super) place: Place,
    /// Mean over the steps of the place on which they have the largest share.
    pub(super) time: f64,
    /// The mean step of that place.
    pub(super) step_ps: f64,
    /// `1.234 ms of its mean step (12.3 %)`, `1.234 ms of the recording (12.3 %)`
    pub(super) text: String,
}

/// How a part of a step was estimated.
pub(super) const PART_ESTIMATE: &str =
    "the mean over steps of this part on the device where it has the largest share";

/// A median below this share of the mean says that few steps have most of a part.
pub(super) const FEW_STEPS: f64 = 0.5;

/// The place on which some parts have the largest share of its mean step, held against a threshold.
/// No share of `overview`, which is the mean over places, is larger.
pub(super) fn part(facts: &Facts<'_>, key: &str, parts: &[PartKind]) -> Result<Part, Outcome> {
    let of_row = |row: &_| parts.iter().map(|&part| part_ps(row, part) as f64).sum();
    let Some(worst) = facts.worst(of_row) else {
        return Err(Outcome::Skipped(no_steps(facts)));
    };
    if facts.step_ps.is_none() && !facts.has_enough_work() {
        return Err(Outcome::Skipped(LITTLE_WORK.to_owned()));
    }
    let whose = if facts.step_ps.is_some() {
        "its mean step"
    } else {
        "the recording"
    };
    let share = format::percent(worst.share());
    let few = if worst.median < FEW_STEPS * worst.mean {
        let median = format::duration_ps(worst.median);
        format!(", most of it in few steps: the median step has {median},")
    } else {
        String::new()
    };
    let text = format!(
        "{} of {whose} ({share}){few}",
        format::duration_ps(worst.mean)
    );
    match gravity(&facts.threshold(key), worst.share()) {
        None => Err(Outcome::Passed(format!(
            "At most {share} of {} of a device.",
            facts.period()
        ))),
        Some(severity) => Ok(Part {
            severity,
            place: worst.place,
            time: worst.mean,
            step_ps: worst.step_ps,
            text,
        }),
    }
}

/// The share of the mean step, or of a recording without steps, in which devices wait for their host,
/// and its time: host overhead and idle time, without input and compilation.
pub(super) fn waiting(facts: &Facts<'_>) -> Option<(f64, f64)> {
    let waits =
        |row: &_| (part_ps(row, PartKind::Idle) + part_ps(row, PartKind::HostOverhead)) as f64;
    let (time, period) = facts.mean(waits).zip(facts.period_ps())?;
    Some((time / period, time))
}

/// The parts that [`waiting`] is of.
pub(super) const WAITING: &[PartKind] = &[PartKind::HostOverhead, PartKind::Idle];

/// The allocator of a device with most of a figure.
pub(super) fn fullest<'a>(
    facts: &'a Facts<'_>,
    figure: impl Fn(&AllocatorRow) -> Option<f64>,
) -> Result<(&'a AllocatorRow, f64), Outcome> {
    let rows = facts.memory().allocators.iter();
    let known = rows.filter_map(|row| Some((row, figure(row)?)));
    known
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .ok_or_else(|| no_memory(facts))
}

/// Bytes of a program's plan are worth a word from this share of the device's memory on.
pub(super) const MIN_OF_MEMORY: f64 = 0.01;

/// The same where nobody knows how large that is.
pub(super) const MIN_BYTES: f64 = 256.0 * 1024.0 * 1024.0;

/// So many bytes matter on the devices that work.
pub(super) fn matters(facts: &Facts<'_>, bytes: i64) -> bool {
    let chips = facts.working().map(|id| &facts.session.device(id).chip);
    let memory = chips.filter_map(|chip| chip.memory_bytes).min();
    bytes as f64 >= memory.map_or(MIN_BYTES, |memory| MIN_OF_MEMORY * memory as f64)
}

/// Why there is nothing to say of memory.
pub(super) fn no_memory(facts: &Facts<'_>) -> Outcome {
    let why = facts.memory().notes.first();
    Outcome::Skipped(why.map_or_else(
        || "No allocator event of a device was recorded.".to_owned(),
        |note| note.text.clone(),
    ))
}

/// A finding of a rule whose threshold says how grave it is.
pub(super) fn finding(rule: &Rule, severity: Severity, what: String) -> AdviceFinding {
    AdviceFinding {
        id: rule.id.to_owned(),
        severity,
        title: rule.title.to_owned(),
        what,
        why: String::new(),
        fix: String::new(),
        code: String::new(),
        gain_ps_per_step: None,
        step_ps: None,
        gain_ratio: None,
        overlaps: Vec::new(),
        estimate: String::new(),
        confidence: Confidence::High,
        evidence: Vec::new(),
        parts: rule.parts.to_vec(),
        elsewhere: Elsewhere::default(),
    }
}

/// How grave a figure is; none where the check passes. An exact boundary of `good` passes: nothing
/// is wrong with a figure of 0 where 0 is the threshold.
pub(super) fn gravity(threshold: &Threshold, value: f64) -> Option<Severity> {
    if (value - threshold.good).abs() < f64::EPSILON {
        return None;
    }
    match threshold.judge(value) {
        VerdictKind::Good | VerdictKind::Unknown => None,
        VerdictKind::Warning => Some(Severity::Warning),
        VerdictKind::Bad => Some(Severity::Bad),
    }
}

impl AdviceFinding {
    pub(super) fn why(mut self, why: impl Into<String>) -> Self {
        self.why = why.into();
        self
    }

    pub(super) fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = fix.into();
        self
    }

    /// What to change where the program is not of JAX.
    pub(super) fn fix_elsewhere(mut self, fix: impl Into<String>) -> Self {
        self.elsewhere.fix = fix.into();
        self
    }

    /// Why it is so where the program is not of JAX.
    pub(super) fn why_elsewhere(mut self, why: impl Into<String>) -> Self {
        self.elsewhere.why = why.into();
        self
    }

    pub(super) fn code(mut self, code: &str) -> Self {
        code.clone_into(&mut self.code);
        self
    }

    pub(super) fn titled(mut self, title: String) -> Self {
        self.title = title;
        self
    }

    pub(super) fn gain(
        mut self,
        gain_ps_per_step: Option<f64>,
        estimate: impl Into<String>,
    ) -> Self {
        let gain = gain_ps_per_step.filter(|&gain| gain > 0.0);
        if gain.is_some() {
            self.estimate = estimate.into();
        }
        self.gain_ps_per_step = gain;
        self
    }

    /// The gain is of the steps of one place, which are so long on average.
    pub(super) fn of_step(mut self, step_ps: f64) -> Self {
        self.step_ps = Some(step_ps);
        self
    }

    /// The gain is of other parts than the rule's usual ones.
    pub(super) fn of_parts(mut self, parts: &[PartKind]) -> Self {
        self.parts = parts.to_vec();
        self
    }

    pub(super) fn sure(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    pub(super) fn seen(mut self, evidence: impl IntoIterator<Item = AdviceEvidence>) -> Self {
        self.evidence.extend(evidence);
        self
    }

    pub(super) fn found(self) -> Outcome {
        Outcome::Found(vec![self])
    }
}

/// Ops as evidence, told by a sentence of each.
pub(super) fn ops_seen<'a>(
    rows: impl Iterator<Item = &'a OpRow>,
    most: usize,
    text: impl Fn(&OpRow) -> String,
) -> Vec<AdviceEvidence> {
    rows.take(most)
        .map(|row| {
            let name = format::shortened(&row.name);
            of_op(row, format!("{name}: {}", text(row)))
        })
        .collect()
}

/// Mean time of an execution.
pub(super) fn each_ps(row: &OpRow) -> f64 {
    row.self_ps as f64 / row.executions.max(1) as f64
}
