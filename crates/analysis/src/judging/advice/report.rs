//! The report of `advice`: what to change, largest gain first, and what is fine.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::telling::Note;

/// The report of the `advice` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct AdviceReport {
    /// What to change, largest gain first. Findings without an estimate follow, most severe first.
    pub findings: Vec<AdviceFinding>,
    /// Checks that found nothing to change, in the order of the rules.
    pub passed: Vec<AdviceCheck>,
    /// Checks that could not run, and why.
    pub skipped: Vec<AdviceCheck>,
    /// Mean step that gains refer to; absent without steps.
    pub step_ps: Option<f64>,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
    /// The findings in plain sentences, as shown in a terminal.
    #[serde(skip)]
    pub(super) sentences: Vec<String>,
}

/// Something to change.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct AdviceFinding {
    /// Stable name of the rule, such as `input_wait`.
    pub id: String,
    /// Severity of the finding: bad, warning or note.
    pub severity: Severity,
    /// Title of the finding, in a few words.
    pub title: String,
    /// What the rule found, with its figures.
    pub what: String,
    /// Reason for the finding, or why it matters.
    pub why: String,
    /// Recommended change, in plain words.
    pub fix: String,
    /// Example code; empty if none applies.
    pub code: String,
    /// Time saved per step if the cause disappears: replayed, or else an upper bound. Absent if it
    /// cannot be estimated.
    pub gain_ps_per_step: Option<f64>,
    /// The mean step that the gain refers to: that of one device or host if the finding is about one,
    /// otherwise the mean step of the session. Absent without a gain.
    pub step_ps: Option<f64>,
    /// Gain ÷ the mean step that it refers to (that of one device or host if the finding is about one),
    /// at most 1.
    pub gain_ratio: Option<f64>,
    /// Rules of other findings whose gains may cover the same time. Empty if there are none.
    pub overlaps: Vec<String>,
    /// Change of `what_if` that removes the cause, such as `hide:collectives`. Empty if there is none.
    pub change: String,
    /// Whether the gain was replayed with that change; otherwise it is an upper bound.
    pub is_replayed: bool,
    /// Least gain per step under every reading of the recording. Absent unless replayed.
    pub low_gain_ps_per_step: Option<f64>,
    /// Largest gain per step under every reading of the recording. Absent unless replayed.
    pub high_gain_ps_per_step: Option<f64>,
    /// Replayed gains together with each finding that it overlaps with.
    pub together: Vec<AdviceTogether>,
    /// How the gain was estimated. Empty if there is no estimate.
    pub estimate: String,
    /// Confidence in the cause: `high` (recorded), `medium` (follows from the recording under
    /// assumptions) or `low` (a likely guess).
    pub confidence: Confidence,
    /// Evidence for the finding.
    pub evidence: Vec<AdviceEvidence>,
    /// What other rules say of the same time, which this finding explains. Its gain is that of all of
    /// them; theirs are estimates of the same. Empty if no other rule found it.
    pub also_seen_as: Vec<Self>,
    /// The upper bound on the gain, also where the gain was replayed.
    #[serde(skip)]
    pub(super) bound_ps: Option<f64>,
    /// Parts of a step that the gain comes from.
    #[serde(skip)]
    pub(super) parts: Vec<PartKind>,
    /// The time that the finding is about in each row of the steps; without it, its parts scaled to the
    /// bound.
    #[serde(skip)]
    pub(super) rows_ps: Option<Vec<f64>>,
    /// Whether what else runs on the machine may be why.
    #[serde(skip)]
    #[ts(skip)]
    pub(super) may_be_chance: bool,
    /// Reason and fix for programs that do not use JAX; empty where those above apply.
    #[serde(skip)]
    pub(super) elsewhere: Elsewhere,
}

/// The gain of a finding together with another.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct AdviceTogether {
    /// Rule of the other finding.
    pub id: String,
    /// Time saved per step if both causes disappear.
    pub gain_ps_per_step: f64,
}

/// Texts for programs of other frameworks. Empty ones replace nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Elsewhere {
    pub(super) why: String,
    pub(super) fix: String,
}

/// A replay that may also save less than this share of what it says is told as a bound.
const FIRM: f64 = 0.5;

impl AdviceFinding {
    /// `saves`, or `up to` where the gain was not replayed or the recording leaves open whether it is that
    /// large.
    pub fn gain_word(&self) -> &'static str {
        let gain = self.gain_ps_per_step.unwrap_or(0.0);
        let low = self.low_gain_ps_per_step.unwrap_or(gain);
        if self.is_replayed && low >= FIRM * gain {
            "saves"
        } else {
            "up to"
        }
    }

    /// Replaces texts and removes code that refer to JAX. XLA flags stay if the program uses XLA.
    pub(super) fn speak_of_no_jax(&mut self, has_xla: bool) {
        let Elsewhere { why, fix } = std::mem::take(&mut self.elsewhere);
        if !why.is_empty() {
            self.why = why;
        }
        if !fix.is_empty() {
            self.fix = fix;
        }
        if !has_xla || !self.code.starts_with("XLA_FLAGS") {
            self.code.clear();
        }
    }
}

/// How certain a cause is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Confidence {
    /// Recorded.
    High,
    /// Follows from the recording under assumptions that the text names.
    Medium,
    /// A likely guess.
    Low,
}

impl Confidence {
    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// Evidence for a finding, and where to see it.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[ts(export)]
pub struct AdviceEvidence {
    /// The evidence as text, with its figure.
    pub text: String,
    /// The view that shows it; empty for none.
    pub view: String,
    /// Start of the time range to look at, relative to the start of the session.
    #[ts(type = "number | null")]
    pub start_ps: Option<i64>,
    /// End of the time range.
    #[ts(type = "number | null")]
    pub end_ps: Option<i64>,
    /// Step number; absent if it does not refer to one step.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Device it refers to; empty for all.
    pub device: String,
    /// Id of the program, as a decimal string; empty for none.
    pub program_id: String,
    /// Name of the op or kernel; empty for none.
    pub op: String,
    /// Source line, as `file:line`; empty if unknown.
    pub source: String,
}

/// A check and its outcome.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct AdviceCheck {
    /// Name of the rule that ran the check.
    pub id: String,
    /// What the rule checks, in a few words.
    pub title: String,
    /// What the check found, or why it could not run.
    pub text: String,
}
