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
    /// No budget is broken, and every one could be checked or may be unknown.
    pub is_passed: bool,
    /// The answer in a sentence.
    pub conclusion: String,
    /// Name of the session that is checked.
    pub session: String,
    /// What it is held against.
    pub baseline: BaselineKind,
    /// Names of the baselines, or of the runs of a history since its last change.
    pub baselines: Vec<String>,
    /// The budgets in the order in which they were given.
    pub rows: Vec<CheckedBudget>,
    /// Whether the session is slower than the nearest baseline, in a sentence; empty without one.
    pub comparison: String,
    /// Why the session differs from the nearest baseline, what weighs most first.
    pub causes: Vec<CheckedCause>,
    /// What differs of versions, chips, flags, options and manifests.
    pub environment: Vec<ComparedFact>,
    /// All figures of the session that may have a budget, as a history keeps them.
    pub figures: Vec<CheckedFigure>,
    /// Confidence of the intervals, 0..1.
    pub confidence_ratio: f64,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// What may be said of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum CheckVerdict {
    /// The value keeps to the limit.
    Passed,
    /// The value is beyond the limit, and noise explains it: it passes.
    WithinNoise,
    /// It cannot be checked.
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

/// What a session is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum BaselineKind {
    /// Nothing: budgets are bounds.
    None,
    /// One session or several.
    Sessions,
    /// The runs of a history since its last change.
    History,
}

/// In what a figure is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum FigureUnit {
    /// Picoseconds.
    Picos,
    /// Bytes.
    Bytes,
    /// How many; means have fractions.
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
    /// The same in words.
    pub title: String,
    /// Unit of the figures of the budget: `picos`, `bytes`, `count` or `ratio`.
    pub unit: FigureUnit,
    /// More is better, so that the limit is a least value.
    pub is_better_higher: bool,
    /// What may be said of it.
    pub verdict: CheckVerdict,
    /// Figure of the baseline, the median of several; absent without one.
    pub baseline: Option<f64>,
    /// How far the value may go; absent where that depends on a baseline that is missing.
    pub limit: Option<f64>,
    /// Figure of the session; absent where it was not measured.
    pub value: Option<f64>,
    /// Value − baseline, as a number in the unit of the figure.
    pub difference: Option<f64>,
    /// Difference ÷ baseline. Absent if the baseline is 0.
    pub ratio: Option<f64>,
    /// Lowest value that the figure may truly have, noise within and between runs included. Absent
    /// if there are too few steps to determine it.
    pub low: Option<f64>,
    /// Highest value that the figure may truly have, noise within and between runs included. Absent
    /// if there are too few steps to determine it.
    pub high: Option<f64>,
    /// Reason for the verdict, in one sentence.
    pub text: String,
    /// Source line of the op that the budget is about, as `file:line`. Empty if the budget is about
    /// no op or the line is unknown.
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
    /// What it does to the memory that a program plans to hold; absent where it is about no memory.
    #[ts(type = "number | null")]
    pub difference_bytes: Option<i64>,
    /// Whether the difference is larger than noise explains. Absent if the cause is not about time.
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
    /// Name of the figure, in words.
    pub title: String,
    /// Unit of the figure: `picos`, `bytes`, `count` or `ratio`.
    pub unit: FigureUnit,
    /// Figure of the checked session, as a number in its unit.
    pub value: f64,
}
