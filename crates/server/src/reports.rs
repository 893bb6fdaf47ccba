//! Answers of the server other than reports of analyses.

use serde::Serialize;
use stepscope_analysis::views::overview::OverviewReport;
use stepscope_analysis::{Group, Note};
use ts_rs::TS;

/// `GET api/version`.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct VersionReport {
    /// Such as `0.1.0`.
    pub version: String,
}

/// `GET api/sessions/{session}/source`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct SourceReport {
    /// Path of the file on the server's machine.
    pub path: String,
    /// The line that was requested, from 1.
    pub line: usize,
    /// Number of the first line in `lines`.
    pub first_line: usize,
    /// The lines around it, without line breaks; long ones are cut.
    pub lines: Vec<String>,
}

/// Every error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct ErrorReport {
    /// What went wrong, as a sentence.
    pub error: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

/// `GET api/sessions`.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct SessionsReport {
    /// The path the server was started with.
    pub root: String,
    /// Sessions by capture time, latest first.
    pub sessions: Vec<SessionSummary>,
    /// Files at the path that may be histories of runs (`*.jsonl`), by name.
    pub histories: Vec<String>,
    /// Incidents of recorded runs at the path; null without a recorded run.
    pub incident_count: Option<u32>,
    /// Files that were ignored or unreadable, with the reason.
    pub notes: Vec<Note>,
}

/// One session; what is only known after opening is empty or null before.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct SessionSummary {
    /// Its number, as in `stepscope sessions`: 0 is the session captured last. It changes when
    /// another session appears.
    pub id: u32,
    /// Its name in routes and links: derived from its location, so it stays when others appear.
    pub key: String,
    /// Name.
    pub name: String,
    /// Path of the run directory or file; empty for a session that is not in a file.
    pub location: String,
    /// `trace`, `memory` for memory snapshots alone, `programs` for programs alone, or `trace and
    /// memory`.
    pub kind: String,
    /// Host names.
    pub hosts: Vec<String>,
    /// Such as `8 × XLA:CPU`.
    pub devices: String,
    /// Program with the most device time; empty if it is not known (yet).
    pub program: String,
    /// Tags that the capturing program gave the capture, from its manifest.
    pub tags: Vec<String>,
    /// Sum of its files.
    #[ts(type = "number")]
    pub size_bytes: u64,
    /// When its newest file was last written, since the Unix epoch.
    #[ts(type = "number | null")]
    pub modified_epoch_ms: Option<u64>,
    /// From its first to its last slice.
    #[ts(type = "number | null")]
    pub duration_ps: Option<i64>,
    /// Steps.
    pub step_count: Option<usize>,
    /// Whether `stepscope index` computed what follows. It is not computed for a list.
    pub is_indexed: bool,
    /// When it was captured, since the Unix epoch.
    #[ts(type = "number | null")]
    pub captured_epoch_ms: Option<u64>,
    /// Mean step time, as in `overview`.
    pub step_time_ps: Option<f64>,
    /// Longest step.
    #[ts(type = "number | null")]
    pub step_max_ps: Option<i64>,
    /// Steps in order, each as a share of the longest; of many steps, the longest of each of 48 groups.
    pub step_sparkline_ratio: Vec<f32>,
    /// Mean busy ratio of the devices, as in `overview`.
    pub device_busy_ratio: Option<f64>,
    /// Model FLOPs utilization, as in `overview`.
    pub mfu_ratio: Option<f64>,
    /// The worst verdict of `overview`: `bad`, `warning` or `good`; empty if nothing was judged.
    pub verdict: String,
    /// Key figures with that verdict; empty if it is `good`.
    pub verdict_reason: String,
    /// Commit of the program, from its manifest.
    pub git_commit: Option<String>,
    /// Number of warnings, of which the same one of many hosts counts once; `warnings` has them once
    /// it is open.
    pub warning_count: Option<usize>,
    /// What was wrong with the files, and what was repaired.
    pub warnings: Vec<SessionWarning>,
    /// Its state.
    pub state: SessionState,
    /// Why opening failed; otherwise empty.
    pub error: String,
    /// For a remote session: bytes that were not fetched, because no request so far needs them.
    #[ts(type = "number")]
    pub left_out_bytes: u64,
}

/// State of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum SessionState {
    /// Not requested yet.
    Closed,
    /// Being read.
    Opening,
    /// Remote, and open for questions about its devices; the rest is fetched on request.
    InParts,
    /// Open.
    Open,
    /// It cannot be read.
    Failed,
}

/// A warning from ingest.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct SessionWarning {
    /// `damaged`, `truncated`, `recorder`, `repaired` or `missing`.
    pub kind: String,
    /// Host whose file it is about.
    pub host: String,
    /// A sentence.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

/// `GET api/sessions/{session}/progress`.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ProgressReport {
    /// Its state.
    pub state: SessionState,
    /// Bytes read of its files.
    #[ts(type = "number")]
    pub done_bytes: u64,
    /// Bytes of its files.
    #[ts(type = "number")]
    pub total_bytes: u64,
    /// What is being done, or why it failed.
    pub message: String,
}

/// `GET api/sessions/{session}/preview?hosts=N`.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct PreviewReport {
    /// Hosts that the figures are of, spread evenly over all.
    pub host_count: usize,
    /// Hosts of the session.
    pub all_host_count: usize,
    /// What they say.
    pub overview: OverviewReport,
}

/// One entry of `GET api/analyses`.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct AnalysisEntry {
    /// Name in routes and on the command line.
    pub name: &'static str,
    /// Other names it accepts.
    pub aliases: &'static [&'static str],
    /// One line.
    pub summary: &'static str,
    /// Its group in menus.
    pub group: Group,
    /// Answers about TPUs need only device planes and programs, unless times are selected: for a
    /// remote session nothing else is fetched.
    pub reads_devices_only: bool,
    /// Its options, as on the command line.
    pub options: Vec<AnalysisOption>,
}

/// One option of an analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct AnalysisOption {
    /// The long name without its dashes.
    pub name: String,
    /// One line.
    pub help: String,
    /// The default; null for none.
    pub default: Option<String>,
    /// The possible values; empty if it takes any.
    pub values: Vec<String>,
}
