//! The report of incidents, the same for the command line and the page.

use serde::Serialize;
use ts_rs::TS;

/// The recorded runs of a log directory and their incidents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct IncidentsReport {
    /// Runs that were recorded, oldest first.
    pub runs: Vec<RecordedRun>,
    /// Their incidents, oldest first.
    pub incidents: Vec<Incident>,
}

/// One run that was recorded: what its rings still hold.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct RecordedRun {
    /// Its name: the time at which it began.
    pub name: String,
    /// Ranks that left a ring.
    pub rank_count: u32,
    /// Ranks whose steps are in `points`: those that noticed incidents, then the lowest.
    pub ranks_read: Vec<u32>,
    /// Steps in the rings that were read, without the first step of a rank: its time includes the
    /// start of the program.
    pub step_count: u32,
    /// Median over steps of the time of their slowest rank; null without steps.
    pub median_ps: Option<u64>,
    /// The steps in order, several to a point in a long run.
    pub points: Vec<RunPoint>,
    /// The metrics of the program, each as one rank recorded it.
    pub metrics: Vec<RunMetric>,
}

/// A metric over the steps of a run.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct RunMetric {
    /// Its name.
    pub name: String,
    /// The rank that recorded these values: the one that noticed an incident of the metric, or the
    /// lowest.
    pub rank: u32,
    /// The steps that have it, in order, several to a point in a long run.
    pub points: Vec<MetricPoint>,
}

/// A metric in consecutive steps. Values that are not finite have no place in JSON: they are null, and
/// told as text.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct MetricPoint {
    /// First step.
    pub step_first: i64,
    /// Last step.
    pub step_last: i64,
    /// When the last of them ended, since the Unix epoch.
    pub ended_epoch_ms: u64,
    /// The last finite value; null without one.
    pub last: Option<f64>,
    /// The lowest finite value; null without one.
    pub least: Option<f64>,
    /// The highest finite value; null without one.
    pub most: Option<f64>,
    /// The first step with a value that is not finite; null without one.
    pub not_finite_step: Option<i64>,
    /// That value: `nan`, `inf` or `-inf`; empty without one.
    pub not_finite: String,
}

/// A metric just before an incident that is about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct IncidentMetric {
    /// Its name.
    pub name: String,
    /// The step of the first value.
    pub step_first: i64,
    /// The step of the last value: that of the incident.
    pub step_last: i64,
    /// The values, oldest first, with six digits.
    pub values: Vec<String>,
}

/// Consecutive steps of a run. The time of a step is that of its slowest rank.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct RunPoint {
    /// First step.
    pub step_first: i64,
    /// Last step.
    pub step_last: i64,
    /// When the last of them ended on all ranks, since the Unix epoch.
    pub ended_epoch_ms: u64,
    /// Median of their times.
    pub median_ps: u64,
    /// The longest of their times.
    pub longest_ps: u64,
    /// The step that took this long.
    pub longest_step: i64,
    /// The rank that took this long.
    pub longest_rank: u32,
}

/// One incident, whole or as far as its ranks have answered.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct Incident {
    /// Its name, which is also the name of its folder.
    pub id: String,
    /// Name of its run.
    pub run: String,
    /// What kind of rule noticed it: `step`, `stall`, `metric`, `memory` or `lost`.
    pub kind: String,
    /// What was noticed.
    pub what: String,
    /// The cause as far as it was seen; null until all ranks have answered.
    pub cause: Option<String>,
    /// The rule that noticed it.
    pub rule: String,
    /// When it was noticed, since the Unix epoch.
    pub epoch_ms: u64,
    /// The step in which it was noticed.
    pub step: Option<i64>,
    /// The rank that noticed it.
    pub rank: Option<u32>,
    /// The host of that rank.
    pub host: Option<String>,
    /// Whether its report was written.
    pub is_reported: bool,
    /// Whether no process was left to notice it: it follows from rings that were not ended.
    pub is_derived: bool,
    /// What each rank knew.
    pub ranks: Vec<IncidentRank>,
    /// Ranks that did not answer.
    pub missing_ranks: Vec<u32>,
    /// Its captures.
    pub captures: Vec<IncidentCapture>,
    /// The metrics that the rule is about, in the newest steps before it.
    pub metrics: Vec<IncidentMetric>,
    /// The folder with the stacks of all threads; for a derived one, the folder of the run.
    pub folder: String,
}

/// What a rank knew of an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct IncidentRank {
    /// The rank.
    pub rank: u32,
    /// Its host.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// The step it had reached.
    pub step: i64,
    /// Where its loop was; null if that was not seen.
    pub place: Option<String>,
}

/// A capture of an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct IncidentCapture {
    /// Where it was written.
    pub path: String,
    /// The session's key in the pages; null if it is not there, and on the command line.
    pub session: Option<String>,
}
