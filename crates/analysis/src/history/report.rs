//! What `history` answers: the runs, the series of each figure, and where it changed.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::check::FigureUnit;
use crate::note::Note;

/// The answer of the `history` comparison.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct HistoryReport {
    /// The answer in a sentence.
    pub conclusion: String,
    /// Every change point, the latest first.
    pub changes: Vec<HistoryChange>,
    /// One series per figure; what changed comes first.
    pub rows: Vec<HistorySeries>,
    /// The runs, oldest first.
    pub runs: Vec<HistoryRun>,
    /// Confidence of each series: at most 1 − it of series without a change get a change point.
    pub confidence_ratio: f64,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One run.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HistoryRun {
    /// Name of its session.
    pub name: String,
    /// When it was captured or recorded, in seconds since the Unix epoch; absent if unknown.
    #[ts(type = "number | null")]
    pub recorded_unix_s: Option<i64>,
    /// Commit of the program; empty if unknown.
    pub commit: String,
    /// What `check` said of it when it was recorded; empty where nothing was checked.
    pub verdict: String,
    /// Its level was accepted: baselines begin with it.
    pub is_accepted: bool,
    /// The file in which it stands; `session` for one that was measured now.
    pub source: String,
}

/// One figure over the runs, in the unit that `unit` names.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HistorySeries {
    /// Name, such as `step_time`.
    pub metric: String,
    /// The same in words.
    pub title: String,
    /// In what it is measured.
    pub unit: FigureUnit,
    /// More is better.
    pub is_better_higher: bool,
    /// The figure in each run, in the order of the runs; absent where a run has none.
    pub values: Vec<Option<f64>>,
    /// Runs that have it.
    pub run_count: usize,
    /// The latest.
    pub last: f64,
    /// Median of the runs since the last change point: the level.
    pub level: f64,
    /// Standard deviation of these runs; absent with fewer than two.
    pub spread: Option<f64>,
    /// Runs since the last change point.
    pub level_run_count: usize,
    /// Change points.
    pub change_count: usize,
}

/// One change point.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HistoryChange {
    /// Name of the figure.
    pub metric: String,
    /// In what it is measured.
    pub unit: FigureUnit,
    /// Position of the first run at the new level in `runs`.
    pub run: usize,
    /// Its name.
    pub run_name: String,
    /// Its commit; empty if unknown.
    pub commit: String,
    /// Commit of the run before; empty if unknown.
    pub previous_commit: String,
    /// Median of the runs between the change point before and this one.
    pub before: f64,
    /// Median of the runs from this one to the next change point.
    pub after: f64,
    /// (After − before) ÷ before; absent where that is 0.
    pub ratio: Option<f64>,
    /// Whether it got worse.
    pub is_worse: bool,
    /// How often chance alone gives as much; absent for a figure that is counted and was constant.
    pub p_value: Option<f64>,
    /// The same in a sentence.
    pub text: String,
}
