//! What `check` answers: every budget with its verdict, and why.

use documented::DocumentedFields;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::comparing::compare::{ComparedFact, Evidence};
use crate::telling::Note;

/// The answer of the `check` comparison.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct CheckReport {
    /// The worst verdict of all budgets; `unknown` without any.
    pub verdict: CheckVerdict,
    /// Whether no budget is broken, and every budget could be checked or is allowed to be unknown.
    pub is_passed: bool,
    /// The answer in a sentence.
    pub conclusion: String,
    /// Name of the checked session.
    pub session: String,
    /// Program with the most device time in the checked session. Empty if unknown.
    pub program: String,
    /// Devices that worked in the checked session, by chip, such as `8 × XLA:CPU`. Empty if unknown.
    pub devices: String,
    /// What the session is compared with.
    pub baseline: BaselineKind,
    /// Names of the baselines; for a history, the names of its files with their numbers of runs.
    pub baselines: Vec<String>,
    /// The budgets in the order in which they were given.
    pub rows: Vec<CheckedBudget>,
    /// Whether the session is slower than the nearest baseline, in a sentence; empty without one.
    pub comparison: String,
    /// Why the session differs from the nearest baseline; causes that explain figures beyond their limit
    /// come first, then largest effect first.
    pub causes: Vec<CheckedCause>,
    /// Differences in versions, chips, flags, options and manifests.
    pub environment: Vec<ComparedFact>,
    /// All figures of the session that may have a budget, as stored in a history.
    pub figures: Vec<CheckedFigure>,
    /// Confidence of the intervals, 0..1.
    pub confidence_ratio: f64,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// Verdict on a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum CheckVerdict {
    /// The value is within the limit.
    Passed,
    /// The value is beyond the limit, but noise explains it: the budget passes.
    WithinNoise,
    /// The budget cannot be checked.
    Unknown,
    /// The value is beyond the limit, by more than noise explains.
    Broken,
}

impl CheckVerdict {
    /// The word in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::WithinNoise => "within_noise",
            Self::Unknown => "unknown",
            Self::Broken => "broken",
        }
    }

    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::WithinNoise => "within noise",
            Self::Unknown => "unknown",
            Self::Broken => "broken",
        }
    }
}

/// What a session is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum BaselineKind {
    /// Nothing; only bounds can be checked.
    None,
    /// One or more sessions.
    Sessions,
    /// The runs of a history since its last change.
    History,
}

/// Unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum FigureUnit {
    /// Picoseconds.
    Picos,
    /// Bytes.
    Bytes,
    /// A count; means may be fractional.
    Count,
    /// A share, 0..1.
    Ratio,
}

impl FigureUnit {
    /// The word in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Picos => "picos",
            Self::Bytes => "bytes",
            Self::Count => "count",
            Self::Ratio => "ratio",
        }
    }
}

/// One budget. Its figures are in the unit that `unit` names.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CheckedBudget {
    /// Budget as it was written, such as `step_time=+2%`.
    pub budget: String,
    /// Name of the figure that the budget limits, such as `step_time`.
    pub metric: String,
    /// Readable name of the figure.
    pub title: String,
    /// Unit of the figures of the budget: `picos`, `bytes`, `count` or `ratio`.
    pub unit: FigureUnit,
    /// Whether a higher value is better, so that the limit is a minimum.
    pub is_better_higher: bool,
    /// Verdict on the budget.
    pub verdict: CheckVerdict,
    /// Figure of the baseline; with several baselines, their median. Absent without a baseline.
    pub baseline: Option<f64>,
    /// Last value that still passes. Absent if it depends on a baseline that is missing.
    pub limit: Option<f64>,
    /// Figure of the session. Absent if it was not measured.
    pub value: Option<f64>,
    /// Value − baseline, as a number in the unit of the figure.
    pub difference: Option<f64>,
    /// Difference ÷ baseline. Absent if the baseline is 0.
    pub ratio: Option<f64>,
    /// Lower end of the confidence interval of the value, including noise within and between runs. Absent
    /// if there are too few steps to determine it.
    pub low: Option<f64>,
    /// Upper end of the confidence interval of the value, including noise within and between runs. Absent
    /// if there are too few steps to determine it.
    pub high: Option<f64>,
    /// Reason for the verdict, in one sentence.
    pub text: String,
    /// Source line of the op that the budget is about, as `file:line`. Empty if the budget is not
    /// about an op or the line is unknown.
    pub source: String,
}

/// Why the session differs from the baseline.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CheckedCause {
    /// Stable key for the kind of cause, such as `op_slower` or `recompiled`.
    pub kind: String,
    /// Why the session differs from the baseline, in one sentence.
    pub text: String,
    /// Effect of the cause on the mean step. Absent if unknown.
    pub difference_ps: Option<f64>,
    /// Effect of the cause on the peak of a program's memory plan. Absent if it is not about memory.
    #[ts(type = "number | null")]
    pub difference_bytes: Option<i64>,
    /// Whether the difference is more than noise explains. Absent if the cause is not about time.
    pub evidence: Option<Evidence>,
    /// Source line of the op or buffer that the cause is about, as `file:line`. Empty if it is
    /// about neither or the line is unknown.
    pub source: String,
}

/// One figure of the checked session.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CheckedFigure {
    /// Name of the figure, such as `step_time`.
    pub metric: String,
    /// Readable name of the figure.
    pub title: String,
    /// Unit of the figure: `picos`, `bytes`, `count` or `ratio`.
    pub unit: FigureUnit,
    /// Figure of the checked session, as a number in its unit.
    pub value: f64,
}
