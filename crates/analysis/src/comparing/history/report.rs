//! What `history` answers: the runs, the series of each figure, and where it changed.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::comparing::check::FigureUnit;
use crate::telling::Note;

/// The answer of the `history` comparison.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct HistoryReport {
    /// The answer in a sentence.
    pub conclusion: String,
    /// Every change point, the latest first.
    pub changes: Vec<HistoryChange>,
    /// Runs of one program on the same devices, most runs first; figures are compared within a group
    /// alone.
    pub groups: Vec<HistoryGroup>,
    /// One series per group and figure, by group; figures that changed come first.
    pub rows: Vec<HistorySeries>,
    /// The runs, oldest first.
    pub runs: Vec<HistoryRun>,
    /// Confidence of the change points: at most 1 − confidence of the unchanged series get one.
    pub confidence_ratio: f64,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// Runs of one program on the same devices.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HistoryGroup {
    /// Program and devices of the runs in words; where one is unknown, also what the runs are from.
    pub name: String,
    /// Program with the most device time in the runs. Empty if unknown.
    pub program: String,
    /// Devices that worked in the runs, by chip, such as `8 × XLA:CPU`. Empty if unknown.
    pub devices: String,
    /// Why the runs stand apart from the other groups. Empty if program and devices are known.
    pub apart_because: String,
    /// Number of runs in the group.
    pub run_count: usize,
    /// The answer for the group in a sentence.
    pub conclusion: String,
}

/// One run.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HistoryRun {
    /// Name of the run's session.
    pub name: String,
    /// Position of the run's group in `groups`.
    pub group: usize,
    /// Time at which the run was captured or recorded, in seconds since the Unix epoch; absent if
    /// unknown.
    #[ts(type = "number | null")]
    pub recorded_unix_s: Option<i64>,
    /// Commit of the program in the run. Empty if unknown.
    pub commit: String,
    /// Verdict of `check` when the run was recorded. Empty if nothing was checked.
    pub verdict: String,
    /// Whether the level of the run was accepted, so that baselines start with it.
    pub is_accepted: bool,
    /// History file that contains the run; `session` if the run was measured from a session.
    pub source: String,
}

/// One figure over the runs, in the unit that `unit` names.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HistorySeries {
    /// Position of the series' group in `groups`.
    pub group: usize,
    /// Name of the figure, such as `step_time`.
    pub metric: String,
    /// Readable name of the figure.
    pub title: String,
    /// Unit in which the figure is measured.
    pub unit: FigureUnit,
    /// Whether a higher value is better.
    pub is_better_higher: bool,
    /// The figure in each run, in the order of the runs; absent for runs of other groups, and where a
    /// run has none.
    pub values: Vec<Option<f64>>,
    /// Number of runs that have the figure.
    pub run_count: usize,
    /// Value of the figure in the latest run that has it.
    pub last: f64,
    /// Level of the figure: its median over the runs since the last change point.
    pub level: f64,
    /// Standard deviation of the figure over the runs since the last change point. Absent with
    /// fewer than two runs.
    pub spread: Option<f64>,
    /// Number of runs since the figure's last change point.
    pub level_run_count: usize,
    /// Number of change points of the figure.
    pub change_count: usize,
}

/// One change point.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HistoryChange {
    /// Position of the change's group in `groups`.
    pub group: usize,
    /// Name of the figure that changed.
    pub metric: String,
    /// Unit in which the figure is measured.
    pub unit: FigureUnit,
    /// Position of the first run at the new level in `runs`.
    pub run: usize,
    /// Name of the first run at the new level.
    pub run_name: String,
    /// Commit of the first run at the new level. Empty if unknown.
    pub commit: String,
    /// Commit of the group's last run before the change point. Empty if unknown.
    pub previous_commit: String,
    /// Median of the figure over the runs from the previous change point to this one.
    pub before: f64,
    /// Median of the figure over the runs from this change point to the next one.
    pub after: f64,
    /// (After − before) ÷ before, with the medians on both sides of the change point. Absent if
    /// before is 0.
    pub ratio: Option<f64>,
    /// Whether the figure got worse at the change point.
    pub is_worse: bool,
    /// Probability that chance alone produces as large a change. Absent for counts and bytes that were
    /// constant.
    pub p_value: Option<f64>,
    /// Description of the change in one sentence.
    pub text: String,
}
