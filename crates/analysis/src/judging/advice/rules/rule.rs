//! Building blocks of rules: the rule itself, its outcomes, and figures that several rules use.

use super::super::evidence::of_op;
use super::super::facts::{Facts, OfPlace, Place, largest_share, part_ps};
use super::super::report::{AdviceEvidence, AdviceFinding, Confidence, Elsewhere};
use crate::judging::verdict::Severity;
use crate::measuring::steps::{PartKind, StepParts};
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
    /// Parts of a step that its gain comes from. Rules with a common part may gain the same time.
    pub(in crate::judging::advice) parts: &'static [PartKind],
    pub(in crate::judging::advice) check: fn(&Facts<'_>) -> Outcome,
}

/// What a rule found.
pub(in crate::judging::advice) enum Outcome {
    /// Things to change.
    Found(Vec<AdviceFinding>),
    /// Nothing to change, with the figure that shows it.
    Passed(String),
    /// The check could not run, with the reason.
    Skipped(String),
}

/// The outcome of rules about waiting devices in sessions without steps, where `idle_recording` covers
/// all idle time by its cause.
pub(super) fn judged_in_recording(facts: &Facts<'_>) -> Option<Outcome> {
    (facts.step_ps.is_none() && facts.has_enough_work()).then(|| Outcome::Found(Vec::new()))
}

/// Why a rule about steps cannot be checked.
pub(super) fn no_steps(facts: &Facts<'_>) -> String {
    recording::needs_steps(facts.session)
}

/// Why a rule about work cannot be checked.
pub(super) const NO_WORK: &str = "No device recorded work.";

/// Why a rule about shares of work cannot be checked.
pub(super) const LITTLE_WORK: &str =
    "Devices recorded too little work to check (fewer than two steps and 20 op executions).";

/// Why a rule about HLO cannot be checked.
pub(super) const NO_HLO: &str =
    "The profile has no HLO of a program that the devices spend time in.";

/// Why a rule about accelerators cannot be checked.
pub(super) const CPU_ONLY: &str = "Only XLA:CPU recorded work.";

/// How a share of the work is converted to time.
pub(super) const SHARE_OF_WORK: &str =
    "share of these ops in all work × time per step in which ops run";

/// Ops that take too large a share of the work.
pub(super) struct Share {
    pub(super) severity: Severity,
    /// `12.3 %`
    pub(super) text: String,
    /// Time per step and device.
    pub(super) per_step: Option<f64>,
}

/// Compares the share of work of the ops that `passes` accepts with a threshold. The error is the
/// outcome if there is no finding.
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
    judged(facts, key, ratio, per_step)
}

/// The same for ops that call Python: with the time that GPUs wait for them, which their ops do not
/// record.
pub(super) fn share_of_calls(
    facts: &Facts<'_>,
    key: &str,
    passes: impl Fn(&OpRow) -> bool + Copy,
) -> Result<Share, Outcome> {
    let waited = facts.waited_for(passes);
    if waited <= 0.0 {
        return share(facts, key, passes);
    }
    let worked = facts.worked_per_step().unwrap_or(0.0);
    let (_, per_step) = facts.ops_per_step(passes);
    let taken = per_step.unwrap_or(0.0) + waited;
    judged(facts, key, taken / (worked + waited), Some(taken))
}

fn judged(
    facts: &Facts<'_>,
    key: &str,
    ratio: f64,
    per_step: Option<f64>,
) -> Result<Share, Outcome> {
    let text = format::percent(ratio);
    let threshold = facts.threshold(key);
    let Some(of_work) = gravity(&threshold, ratio) else {
        return Err(Outcome::Passed(format!("{text} of the work.")));
    };
    // A large share of little work is a small share of a step.
    let of_step = per_step.zip(facts.step_ps).map(|(part, step)| part / step);
    let most = match of_step {
        Some(share) if share < threshold.good / 2.0 => Severity::Info,
        Some(share) if share < threshold.good => Severity::Warning,
        _ => Severity::Bad,
    };
    Ok(Share {
        severity: of_work.max(most),
        text,
        per_step,
    })
}

/// Parts of a step that take too long somewhere.
pub(super) struct Part {
    pub(super) severity: Severity,
    pub(super) place: Place,
    /// Mean time per step on the place where they have the largest share.
    pub(super) time: f64,
    /// The mean step of that place.
    pub(super) step_ps: f64,
    /// `1.234 ms of its mean step (12.3 %)`, `1.234 ms of the recording (12.3 %)`
    pub(super) text: String,
}

/// How a part of a step was estimated.
pub(super) const PART_ESTIMATE: &str =
    "mean over steps of this part on the device where it has the largest share";

/// A median below this share of the mean means that a few steps contain most of a part.
pub(super) const FEW_STEPS: f64 = 0.5;

/// Compares the largest share of some parts in the mean step of a place with a threshold. Shares in
/// `overview` are means over places, so none of them is larger.
pub(super) fn part(facts: &Facts<'_>, key: &str, parts: &[PartKind]) -> Result<Part, Outcome> {
    let of_row = |row: &_| parts.iter().map(|&part| part_ps(row, part) as f64).sum();
    let places = facts.by_place(of_row);
    if places.is_empty() {
        return Err(Outcome::Skipped(no_steps(facts)));
    }
    // A host without devices keeps none of them waiting.
    let devices = places.into_iter().filter(|place| place.place.1.is_some());
    let Some(worst) = largest_share(devices) else {
        return Err(Outcome::Skipped(NO_WORK.to_owned()));
    };
    if facts.step_ps.is_none() && !facts.has_enough_work() {
        return Err(Outcome::Skipped(LITTLE_WORK.to_owned()));
    }
    match gravity(&facts.threshold(key), worst.share()) {
        None => Err(Outcome::Passed(format!(
            "At most {} of {} on any device.",
            format::percent(worst.share()),
            facts.period()
        ))),
        Some(severity) => Ok(Part {
            severity,
            place: worst.place,
            time: worst.mean,
            step_ps: worst.step_ps,
            text: length_of(facts, &worst),
        }),
    }
}

/// Devices whose times differ by no more than this share of the longest spend alike.
const ALIKE: f64 = 0.05;

/// `GPU:0 spends`, or `Each device spends` where all devices that worked do so alike.
pub(super) fn who_spends(facts: &Facts<'_>, found: &Part, parts: &[PartKind]) -> String {
    let of_row = |row: &_| parts.iter().map(|&part| part_ps(row, part) as f64).sum();
    let places = facts.by_place(of_row);
    let devices = places.iter().filter(|of| of.place.1.is_some());
    let several = devices.clone().count() > 1;
    let least = (1.0 - ALIKE) * found.time;
    let all_alike = devices
        .clone()
        .all(|of| of.mean >= least && of.mean <= found.time / (1.0 - ALIKE));
    if several && all_alike {
        return "Each device spends".to_owned();
    }
    format!("{} spends", facts.place_name(found.place))
}

/// Whether a few steps contain most of a figure.
pub(super) fn is_in_few_steps(figure: &OfPlace) -> bool {
    figure.median < FEW_STEPS * figure.mean
}

/// `1.234 ms of its mean step (12.3 %)`, and whether a few steps contain most of it.
pub(super) fn length_of(facts: &Facts<'_>, figure: &OfPlace) -> String {
    let whose = if facts.step_ps.is_some() {
        "its mean step"
    } else {
        "the recording"
    };
    let share = format::percent(figure.share());
    let few = if is_in_few_steps(figure) {
        let median = format::duration_ps(figure.median);
        format!(", mostly in some of the steps (median {median})")
    } else {
        String::new()
    };
    format!(
        "{} of {whose} ({share}){few}",
        format::duration_ps(figure.mean)
    )
}

/// How long devices are idle while their host works or waits: host overhead and idle time, without
/// input, compilation and pauses of devices that have work.
pub(super) struct Waiting {
    /// Time per step, or in the recording without steps.
    pub(super) time: f64,
    /// Its share.
    pub(super) ratio: f64,
    /// The shares of the parts, as in `overview`, and of the pauses within the idle time.
    overhead: f64,
    idle: f64,
    pub(super) paused: f64,
}

/// Pauses below this share are not mentioned: they round to zero.
const MIN_PAUSED: f64 = 0.0005;

/// Of the mean step, or of the recording without steps; none without work.
pub(super) fn waiting(facts: &Facts<'_>) -> Option<Waiting> {
    let period = facts.period_ps()?;
    let share =
        |time: &dyn Fn(&StepParts) -> i64| Some(facts.mean(|row| time(row) as f64)? / period);
    let overhead = share(&|row| part_ps(row, PartKind::HostOverhead))?;
    let idle = share(&|row| part_ps(row, PartKind::Idle))?;
    let paused = share(&|row| row.lengths.paused_ps)?;
    let ratio = overhead + idle - paused;
    Some(Waiting {
        time: ratio * period,
        ratio,
        overhead,
        idle,
        paused,
    })
}

impl Waiting {
    /// `49.2 % of the mean step while their host works or waits (host overhead 21.1 %, idle 28.1 %)`:
    /// the parts have the names and figures that the overview gives them. Pauses of devices that have work
    /// are idle time, too, and do not count.
    pub(super) fn told(&self, facts: &Facts<'_>) -> String {
        let paused = if self.paused >= MIN_PAUSED {
            let paused = format::percent(self.paused);
            format!(", of which {paused} are pauses of devices that have work and do not count")
        } else {
            String::new()
        };
        format!(
            "{} of {} while their host works or waits (host overhead {}, idle {}{paused})",
            format::percent(self.ratio),
            facts.period(),
            format::percent(self.overhead),
            format::percent(self.idle),
        )
    }
}

/// The parts that [`waiting`] sums.
pub(super) const WAITING: &[PartKind] = &[PartKind::HostOverhead, PartKind::Idle];

/// The device allocator with the largest value of a figure.
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

/// Bytes of a program's memory plan matter from this share of the device's memory.
pub(super) const MIN_OF_MEMORY: f64 = 0.01;

/// Bytes that matter if the size of the device's memory is unknown.
pub(super) const MIN_BYTES: f64 = 256.0 * 1024.0 * 1024.0;

/// Whether this number of bytes matters on the devices that work.
pub(super) fn matters(facts: &Facts<'_>, bytes: i64) -> bool {
    let chips = facts.working().map(|id| &facts.session.device(id).chip);
    let memory = chips.filter_map(|chip| chip.memory_bytes).min();
    bytes as f64 >= memory.map_or(MIN_BYTES, |memory| MIN_OF_MEMORY * memory as f64)
}

/// The outcome of rules about memory if memory was not recorded.
pub(super) fn no_memory(facts: &Facts<'_>) -> Outcome {
    let why = facts.memory().notes.first();
    Outcome::Skipped(why.map_or_else(
        || "No allocator events of devices were recorded.".to_owned(),
        |note| note.text.clone(),
    ))
}

/// A finding of a rule with its severity. Reason, fix, gain and evidence are added to it.
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
        change: String::new(),
        is_replayed: false,
        low_gain_ps_per_step: None,
        high_gain_ps_per_step: None,
        together: Vec::new(),
        estimate: String::new(),
        confidence: Confidence::High,
        evidence: Vec::new(),
        also_seen_as: Vec::new(),
        bound_ps: None,
        parts: rule.parts.to_vec(),
        rows_ps: None,
        may_be_chance: false,
        elsewhere: Elsewhere::default(),
    }
}

/// How severe a figure is; none if the check passes. A figure equal to `good` passes: with a threshold
/// of 0, a figure of 0 is fine.
pub(super) fn gravity(threshold: &Threshold, value: f64) -> Option<Severity> {
    if (value - threshold.good).abs() < f64::EPSILON {
        return None;
    }
    match threshold.judge(value) {
        VerdictKind::Good | VerdictKind::Unknown | VerdictKind::Neutral => None,
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

    /// What to change in programs that do not use JAX.
    pub(super) fn fix_elsewhere(mut self, fix: impl Into<String>) -> Self {
        self.elsewhere.fix = fix.into();
        self
    }

    /// The reason for programs that do not use JAX.
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
        self.bound_ps = gain;
        self
    }

    /// The change of `what_if` that removes the cause, so that its gain can be replayed.
    pub(super) fn without(mut self, change: impl Into<String>) -> Self {
        self.change = change.into();
        self
    }

    /// The gain refers to the steps of one place, whose mean is `step_ps`.
    pub(super) fn of_step(mut self, step_ps: f64) -> Self {
        self.step_ps = Some(step_ps);
        self
    }

    /// The gain comes from parts other than the rule's usual ones.
    pub(super) fn of_parts(mut self, parts: &[PartKind]) -> Self {
        self.parts = parts.to_vec();
        self
    }

    /// What else runs on the machine may be why: it comes after all that the program may be blamed for, and is a
    /// warning at most.
    pub(super) fn by_chance(mut self) -> Self {
        self.may_be_chance = true;
        self.severity = self.severity.max(Severity::Warning);
        self
    }

    /// The time that it is about in each row of the steps, in picoseconds.
    pub(super) fn within(mut self, rows_ps: Vec<f64>) -> Self {
        self.rows_ps = Some(rows_ps);
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

/// The first ops as evidence, each with a text.
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

/// Control flow (loops, branches, calls): its work is the ops in its body, which have their own rows.
pub(super) fn is_control(row: &OpRow) -> bool {
    matches!(row.category.as_str(), "while" | "conditional" | "call")
}

/// Mean self time per execution.
pub(super) fn each_ps(row: &OpRow) -> f64 {
    row.self_ps as f64 / row.executions.max(1) as f64
}
