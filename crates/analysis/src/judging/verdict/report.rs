//! What `verdict` answers: what the capture holds, and what is wrong with it.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::measuring::steps::{StepPart, StepTime};
use crate::telling::attribution::AttributionShare;

/// The answer of the `verdict` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct VerdictReport {
    /// Name of the session.
    pub session: String,
    /// The verdict in a few plain sentences, as people read it right after a capture.
    pub lines: Vec<String>,
    /// What is wrong with the capture or worth knowing, gravest first.
    pub findings: Vec<Finding>,
    /// Hosts whose files were read.
    pub host_count: usize,
    /// Memory profiles of the session; one with nothing else has no findings.
    pub memory_profile_count: usize,
    /// Devices by chip.
    pub devices: Vec<VerdictDevices>,
    /// Layers of the program, from Python down to kernels, with what was recorded of each.
    pub layers: Vec<VerdictLayer>,
    /// Annotated steps that the recording saw, cut ones included; zero where none was annotated.
    pub annotated_step_count: usize,
    /// Step time of `overview`; absent where no step was recorded or inferred.
    pub step_time_ps: Option<StepTime>,
    /// Parts of the mean step of `overview`, in display order; empty without steps.
    pub step_parts: Vec<StepPart>,
    /// Wall-clock length of the capture: first to last recorded slice.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Mean busy ratio of `overview`; absent where no device recorded work.
    pub device_busy_ratio: Option<f64>,
    /// Kernel time by how its ops were found, the surest first, as `kernels` has it; empty without
    /// GPUs.
    pub attribution: Vec<AttributionShare>,
    /// The ops of `ops` with the largest self time, at most five.
    pub top_ops: Vec<VerdictOp>,
    /// Decompressed bytes of all files.
    #[ts(type = "number")]
    pub size_bytes: i64,
    /// Events decoded from all files, of all kinds.
    #[ts(type = "number")]
    pub event_count: i64,
}

/// How many devices of one chip there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct VerdictDevices {
    /// Hardware model; the kind of device where the model is not known.
    pub chip: String,
    /// Devices of it.
    pub count: usize,
    /// Of these, how many recorded work.
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
    /// Number of different names recorded in the layer.
    pub name_count: usize,
    /// Some of the recorded names of the layer. Empty if there are none.
    pub examples: String,
}

/// One op at the top.
#[derive(Debug, Clone, PartialEq, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct VerdictOp {
    /// Name of the HLO instruction or kernel.
    pub name: String,
    /// Self time of the op as a share of the self time of all ops, 0..1.
    pub self_ratio: f64,
}

/// Something wrong with a capture, or worth knowing about it.
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

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Severity {
    /// The capture misses what it was taken for.
    Bad,
    /// Figures are incomplete, doubtful, or not those of the steady state.
    Warning,
    /// Worth knowing; nothing is wrong.
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
    /// A finding of a rule, not yet explained.
    pub(super) fn new(id: &str, severity: Severity, what: impl Into<String>) -> Self {
        Self {
            id: id.to_owned(),
            severity,
            what: what.into(),
            why: String::new(),
            fix: String::new(),
        }
    }

    /// Why it is so, or why it matters.
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
