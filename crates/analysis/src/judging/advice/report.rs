//! What `advice` answers: what to change, best first, and what is fine.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::telling::Note;

/// The answer of the `advice` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct AdviceReport {
    /// What to change, most time to gain first; what has no estimate comes after, gravest first.
    pub findings: Vec<AdviceFinding>,
    /// Checks that found nothing to change, in the order of the rules.
    pub passed: Vec<AdviceCheck>,
    /// Checks that could not be made, and why.
    pub skipped: Vec<AdviceCheck>,
    /// Mean step that the gains are of; absent without steps.
    pub step_ps: Option<f64>,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
    /// The findings in plain sentences, as people read them in a terminal.
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
    /// What it is, in a few words.
    pub title: String,
    /// What the rule found, with its figures.
    pub what: String,
    /// Reason for the finding, or why it matters.
    pub why: String,
    /// Recommended change, in plain words.
    pub fix: String,
    /// Code that shows how; empty where none helps.
    pub code: String,
    /// Upper bound on the time that one step gains if the cause disappears. Absent if it cannot be
    /// estimated.
    pub gain_ps_per_step: Option<f64>,
    /// The step that the gain is of: the mean step, of the device or host that the finding is about where
    /// it is about one.
    pub step_ps: Option<f64>,
    /// Gain ÷ the mean step that the gain refers to (that of one device or host if the finding is
    /// about one), at most 1.
    pub gain_ratio: Option<f64>,
    /// Rules of other findings whose gains may cover the same time. Empty if there are none.
    pub overlaps: Vec<String>,
    /// How the gain was estimated. Empty if there is no estimate.
    pub estimate: String,
    /// Confidence in the cause: `high` (it was recorded), `medium` (it follows from what was
    /// recorded, with assumptions) or `low` (it is a likely guess).
    pub confidence: Confidence,
    /// What it is seen from.
    pub evidence: Vec<AdviceEvidence>,
    /// Parts of a step that the gain is of.
    #[serde(skip)]
    pub(super) parts: Vec<PartKind>,
    /// Why and what to change where the program is not of JAX; empty where the words above do.
    #[serde(skip)]
    pub(super) elsewhere: Elsewhere,
}

/// Words for programs of other frameworks; empty ones replace nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Elsewhere {
    pub(super) why: String,
    pub(super) fix: String,
}

impl AdviceFinding {
    /// Names no API of JAX any more. Flags of XLA hold for whoever compiles with it.
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

/// How sure a cause is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Confidence {
    /// It was recorded.
    High,
    /// It follows from what was recorded, with assumptions that the text names.
    Medium,
    /// It is a likely guess.
    Low,
}

impl Confidence {
    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// Something a finding is seen from, and where to look at it.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[ts(export)]
pub struct AdviceEvidence {
    /// What it says, with its figure.
    pub text: String,
    /// The view that shows it; empty for none.
    pub view: String,
    /// Start of the time to look at, since the session began.
    #[ts(type = "number | null")]
    pub start_ps: Option<i64>,
    /// Its end.
    #[ts(type = "number | null")]
    pub end_ps: Option<i64>,
    /// Step, where it is of one.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Device it is of; empty for all.
    pub device: String,
    /// Program id of an op, as a decimal string; empty for none.
    pub program_id: String,
    /// Op or kernel; empty for none.
    pub op: String,
    /// Source line, as `file:line`; empty if unknown.
    pub source: String,
}

/// A check and its outcome.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct AdviceCheck {
    /// Name of the rule behind the check.
    pub id: String,
    /// What the rule checks, in a few words.
    pub title: String,
    /// What the check found, or why it could not run.
    pub text: String,
}
