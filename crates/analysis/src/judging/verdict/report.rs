//! The report of `verdict`: what the capture contains, and what is wrong with it.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::measuring::steps::{StepPart, StepTime};
use crate::telling::attribution::AttributionShare;

/// The report of the `verdict` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct VerdictReport {
    /// Name of the session.
    pub session: String,
    /// The verdict as a few plain lines, as printed right after a capture.
    pub lines: Vec<String>,
    /// What is wrong with the capture or worth knowing, most severe first.
    pub findings: Vec<Finding>,
    /// Number of hosts whose files were read.
    pub host_count: usize,
    /// Number of memory profiles in the session. A session with nothing else can only have the finding
    /// `heap_growth`.
    pub memory_profile_count: usize,
    /// Devices by chip.
    pub devices: Vec<VerdictDevices>,
    /// Layers of the program, from Python down to kernels, with what was recorded of each.
    pub layers: Vec<VerdictLayer>,
    /// Number of annotated steps in the recording, including cut ones; zero if none were annotated.
    pub annotated_step_count: usize,
    /// Step time as in `overview`; absent if no steps were recorded or inferred.
    pub step_time_ps: Option<StepTime>,
    /// Parts of the mean step as in `overview`, in display order; empty without steps.
    pub step_parts: Vec<StepPart>,
    /// Wall-clock duration of the capture: first to last recorded slice.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Mean busy ratio as in `overview`; absent if no device recorded work.
    pub device_busy_ratio: Option<f64>,
    /// Model FLOPs utilization (MFU) as in `overview`; absent if peaks or FLOPs are unknown.
    pub mfu_ratio: Option<f64>,
    /// Hardware FLOPs utilization (HFU) as in `overview`.
    pub hfu_ratio: Option<f64>,
    /// Share of work time in ops whose FLOPs are known, or that compute nothing, as in `overview`.
    pub flops_known_ratio: Option<f64>,
    /// Kernel time by how its ops were found, most reliable first, as in `kernels`; empty without
    /// GPUs.
    pub attribution: Vec<AttributionShare>,
    /// The ops with the largest self time, as in `ops`; at most five.
    pub top_ops: Vec<VerdictOp>,
    /// Decompressed size of all files.
    #[ts(type = "number")]
    pub size_bytes: i64,
    /// Number of events of all kinds decoded from all files.
    #[ts(type = "number")]
    pub event_count: i64,
}

/// Number of devices with the same chip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct VerdictDevices {
    /// Hardware model, or the kind of device if the model is unknown.
    pub chip: String,
    /// Number of devices with this chip.
    pub count: usize,
    /// Number of these devices that recorded work.
    pub working_count: usize,
}

/// One layer of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct VerdictLayer {
    /// Stable name of the layer, such as `hlo_ops`.
    pub key: String,
    /// Name of the layer in words.
    pub title: String,
    /// Whether anything of the layer was recorded.
    pub is_recorded: bool,
    /// Number of distinct names recorded in the layer.
    pub name_count: usize,
    /// Up to three names recorded in the layer. Empty if there are none.
    pub examples: String,
}

/// One of the top ops.
#[derive(Debug, Clone, PartialEq, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct VerdictOp {
    /// Name of the HLO instruction or kernel.
    pub name: String,
    /// Program that the op belongs to, as `module(program id)`. Empty if unknown.
    pub program: String,
    /// Self time of the op as a share of the self time of all ops, 0..1.
    pub self_ratio: f64,
}

/// A problem with a capture, or something worth knowing about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct Finding {
    /// Stable name of the rule that made the finding, such as `no_device_work`.
    pub id: String,
    /// Severity of the finding: `bad`, `warning`, or `info` (`note` in tables).
    pub severity: Severity,
    /// What was found, with its figures.
    pub what: String,
    /// Why the finding occurs, or why it matters.
    pub why: String,
    /// What to change, with code in backquotes.
    pub fix: String,
}

/// How severe a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Severity {
    /// The capture lacks what it was taken for.
    Bad,
    /// Figures are incomplete, unreliable, or do not represent the steady state.
    Warning,
    /// Worth knowing, but not a problem.
    Info,
}

impl Severity {
    /// The word before a line: `bad`, `warning`, `note`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Bad => "bad",
            Self::Warning => "warning",
            Self::Info => "note",
        }
    }
}

impl Finding {
    /// A finding of a rule, without `why` and `fix`.
    pub(super) fn new(id: &str, severity: Severity, what: impl Into<String>) -> Self {
        Self {
            id: id.to_owned(),
            severity,
            what: what.into(),
            why: String::new(),
            fix: String::new(),
        }
    }

    /// Why it occurs, or why it matters.
    #[must_use]
    pub(super) fn why(mut self, why: impl Into<String>) -> Self {
        self.why = why.into();
        self
    }

    /// What to change.
    #[must_use]
    pub(super) fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = fix.into();
        self
    }
}
