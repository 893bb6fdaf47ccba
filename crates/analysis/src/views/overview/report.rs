//! What `overview` answers: step time, where it goes, and what to look at first.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::measuring::busy::DeviceBusy;
use crate::measuring::environment::EnvironmentReport;
use crate::measuring::steps::{StepBar, StepPart, StepTime};
use crate::telling::Note;
use crate::telling::format;
use crate::telling::thresholds::VerdictKind;
use crate::views::ops::{OpRow, beside};

/// The answer of the `overview` analysis.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct OverviewReport {
    /// Name of the session.
    pub session: String,
    /// Wall-clock length of the capture: first to last recorded slice, without what the profiler did
    /// after it had stopped.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Start of the capture in nanoseconds since the Unix epoch, as a decimal string. Absent in old files.
    pub start_epoch_ns: Option<String>,
    /// Statistics over the selected steps. Absent if no step was recorded or inferred.
    pub step_time_ps: Option<StepTime>,
    /// Where the mean step goes (without steps, the observed time), in one sentence. Empty if no device
    /// recorded work.
    pub headline: String,
    /// The mean step divided into named parts that sum to it, in display order.
    pub step_parts: Vec<StepPart>,
    /// The mean step on the host and on the devices, and why devices are idle within it. Absent if
    /// no device worked in a step.
    pub step_balance: Option<StepBalance>,
    /// Every selected step with its parts, for the chart.
    pub step_series: Vec<StepBar>,
    /// Share of the observed window in which the device ran at least one op or kernel, 0..1; the mean
    /// over the devices that work in the steps (without steps, over those that recorded work), absent
    /// without any.
    pub device_busy_ratio: Option<f64>,
    /// Number of devices that it is the mean of.
    pub device_busy_count: usize,
    /// Hardware FLOPs utilization (HFU): FLOPs executed ÷ (peak of their operand type × device time of
    /// the steps). Absent if the peak or all FLOPs are unknown.
    pub hfu_ratio: Option<f64>,
    /// Model FLOPs utilization (MFU): the same with the FLOPs that the model needs (products alone,
    /// without rematerialized, masked and copied ones), or with those stated by `--model-flops`.
    pub mfu_ratio: Option<f64>,
    /// Share of work time in ops whose FLOPs are known, or that compute nothing, 0..1. HFU and MFU
    /// count the others as 0.
    pub flops_known_ratio: Option<f64>,
    /// How HFU and MFU were derived, or why they are unknown.
    pub utilization: String,
    /// The busy ratio per device.
    pub devices: Vec<DeviceBusy>,
    /// The ten ops (or kernels) with the largest self time.
    pub top_ops: Vec<OpRow>,
    /// Verdicts on the key figures.
    pub verdicts: Vec<Verdict>,
    /// Versions, options and chips.
    pub environment: EnvironmentReport,
    /// What the figures do not cover, what was repaired, and what to record next time.
    pub notes: Vec<Note>,
}

/// The mean step on the host and on the devices.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct StepBalance {
    /// Host step time: mean over steps of the mean over hosts of the duration of the host's
    /// annotation. Absent if no host annotated its steps.
    pub host_step_ps: Option<f64>,
    /// Device step time: mean over steps of the mean over hosts of the mean over the host's devices of
    /// the step's duration on the device.
    pub device_step_ps: f64,
    /// Part of the device step time in which the device works.
    pub device_busy_ps: f64,
    /// Part of the device step time in which the device is idle.
    pub device_idle_ps: f64,
    /// Idle time ÷ device step time, 0..1.
    pub device_idle_ratio: f64,
    /// Why devices are idle. The shares sum to `device_idle_ps`.
    pub idle: Vec<IdleShare>,
}

/// One cause of a device's idle time within steps.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct IdleShare {
    /// Cause of the idle time.
    pub kind: IdleKind,
    /// Idle time with this cause in the mean step.
    pub mean_ps: f64,
    /// Idle time with this cause ÷ device step time, 0..1.
    pub ratio: f64,
    /// For all others: what the host does in most of that time. Empty for the other causes.
    pub mostly: String,
}

/// Why devices are idle within a step, in the categories of performance guides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum IdleKind {
    /// The host prepares input, waits for it, or copies it to the device (the step part *input wait*).
    Input,
    /// The host compiles (the step part *compilation*).
    Compilation,
    /// The host dispatches work to the device, in gaps that are long enough to have a cause.
    KernelLaunch,
    /// Everything else.
    AllOthers,
}

/// A key figure, compared with its thresholds.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct Verdict {
    /// Stable key of the figure, such as `device_busy_ratio`.
    pub key: String,
    /// Name of the figure in words.
    pub title: String,
    /// Value of the figure, in the unit of the key's suffix. Absent if the profile does not provide
    /// it.
    pub value: Option<f64>,
    /// Verdict on the figure: `good`, `warning`, `bad`, or `unknown` if there is no figure.
    pub verdict: VerdictKind,
    /// Thresholds of the verdict, as text: `good > 80 %, bad < 50 %`.
    pub thresholds: String,
    /// What decides the verdict if it is not the value itself: `computing 3.1 %` for devices that are busy
    /// with something else, `bound by memory` for MFU. Empty otherwise.
    pub judged_as: String,
    /// Whether more of the figure is better.
    pub is_larger_better: bool,
    /// How the figure was obtained, or what is missing and how to record it.
    pub explanation: String,
}

impl OverviewReport {
    /// MFU, and what stands beside it: HFU, and the share of the time for which nothing is known. None if
    /// either is unknown.
    pub fn mfu_in_words(&self) -> Option<(String, String)> {
        let (mfu, hfu) = self.mfu_ratio.zip(self.hfu_ratio)?;
        let unknown = beside(1.0 - self.flops_known_ratio.unwrap_or(0.0));
        let hfu = format::exact_percent(hfu);
        Some((format::exact_percent(mfu), format!("(HFU {hfu}){unknown}")))
    }
}

impl Verdict {
    /// What decides the verdict: the thresholds, or for a neutral one, which they would contradict, what
    /// decides instead.
    pub fn judged_by(&self) -> &str {
        match self.verdict {
            VerdictKind::Neutral => &self.judged_as,
            _ => &self.thresholds,
        }
    }

    /// The same with the value that the thresholds are of if it is not the figure's: `94.1 % of the mean step;
    /// good < 1 %, bad > 10 %`.
    pub fn judged_in_words(&self) -> String {
        let judged_by = self.judged_by();
        match self.judged_beside() {
            "" => judged_by.to_owned(),
            beside => format!("{beside}; {judged_by}"),
        }
    }

    /// The value that the thresholds are of if it is not the figure's; empty otherwise.
    pub(super) fn judged_beside(&self) -> &str {
        match self.verdict {
            VerdictKind::Neutral => "",
            _ => &self.judged_as,
        }
    }
}
