//! What `steps` answers: every step, its parts, and outliers.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::measuring::steps::{StepSource, StepTime};
use crate::telling::Note;

/// The answer of the `steps` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct StepsReport {
    /// How the steps were found. Absent if there are none.
    pub source: Option<StepSource>,
    /// Statistics over the step durations. One value per step: the mean over hosts of its
    /// annotation if it has one, otherwise the mean over devices.
    pub step_time_ps: Option<StepTime>,
    /// One row per step, host and device; `device` is empty for a host without devices.
    pub rows: Vec<StepRow>,
    /// Number of rows before the limit.
    pub row_count: usize,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One step on one device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct StepRow {
    /// Step number as recorded, or counted if steps are inferred.
    #[ts(type = "number")]
    pub step: i64,
    /// Name of the host that ran the step.
    pub host: String,
    /// Name of the device. Empty if the host has none.
    pub device: String,
    /// Start of the step on this device, since the session started.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Duration of the step on this device. The parts of the step sum to it.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Time the device is busy: the union of its work intervals inside the step.
    #[ts(type = "number")]
    pub busy_ps: i64,
    /// Step time in which the device computes.
    #[ts(type = "number")]
    pub device_compute_ps: i64,
    /// Exposed communication: step time in which the device communicates and computes nothing.
    #[ts(type = "number")]
    pub collectives_ps: i64,
    /// Step time of exposed host-to-device copies.
    #[ts(type = "number")]
    pub host_to_device_ps: i64,
    /// Step time of exposed device-to-host copies.
    #[ts(type = "number")]
    pub device_to_host_ps: i64,
    /// Step time of exposed device-to-device copies.
    #[ts(type = "number")]
    pub device_to_device_ps: i64,
    /// Step time in which the program calls Python on the host and the device waits.
    #[ts(type = "number")]
    pub python_callbacks_ps: i64,
    /// Step time in which the device is idle while the host prepares input, waits for it, or copies to the device.
    #[ts(type = "number")]
    pub input_wait_ps: i64,
    /// Step time in which the device is idle while its host compiles.
    #[ts(type = "number")]
    pub compilation_ps: i64,
    /// Step time in which the device is idle while the host does other recorded work.
    #[ts(type = "number")]
    pub host_overhead_ps: i64,
    /// Step time in which the device is idle while the host waits or recorded nothing.
    #[ts(type = "number")]
    pub idle_ps: i64,
    /// Whether the step is more than 3.5 robust deviations and at least 5 % away from the median.
    /// Also true if it exceeds twice the median and the gap below it is wider than the range of all
    /// other steps.
    pub is_outlier: bool,
}
