//! Figures that may have a budget, by the names people type. Each figure is defined by an analysis.

use super::report::FigureUnit;
use crate::measuring::steps::PartKind;

/// A figure that may have a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Metric {
    /// Mean of the typical steps.
    StepTime,
    /// Mean of all steps.
    AllStepsTime,
    /// 95th percentile of all steps.
    StepTimeP95,
    /// A part of the mean typical step.
    Part(PartKind),
    /// Communication of a typical step, hidden or exposed.
    Communication,
    /// Device busy ÷ step.
    DeviceBusy,
    /// FLOPs that the model needs, of what the peak allows.
    Mfu,
    /// FLOPs executed, of what the peak allows.
    Hfu,
    /// Largest memory in use on a device.
    MemoryPeak,
    /// Compilations in the capture.
    CompilationCount,
    /// Time spent compiling, on the host that compiled most.
    CompilationTime,
    /// Slices of work in a typical step.
    LaunchCount,
    /// Bytes that the collectives of a typical step move.
    CollectiveBytes,
    /// Self time of an op, matched by meaning.
    Op(String),
    /// Self time of all ops in a scope.
    Scope(String),
}

/// A metric with a fixed name.
pub struct Known {
    /// The metric.
    pub metric: Metric,
    /// Name that people type.
    pub name: &'static str,
    /// Readable name.
    pub title: &'static str,
    /// Definition, in one sentence.
    pub definition: &'static str,
}

const fn known(
    metric: Metric,
    name: &'static str,
    title: &'static str,
    definition: &'static str,
) -> Known {
    Known {
        metric,
        name,
        title,
        definition,
    }
}

/// All metrics with fixed names, in the order in which they are listed.
pub const METRICS: &[Known] = &[
    known(
        Metric::StepTime,
        "step_time",
        "Typical step",
        "mean of the typical steps, as in compare: all but outliers",
    ),
    known(
        Metric::AllStepsTime,
        "all_steps_time",
        "All steps",
        "mean of all steps, outliers included: the step time of steps and overview",
    ),
    known(
        Metric::StepTimeP95,
        "step_time_p95",
        "All steps, p95",
        "95th percentile of all steps by nearest rank",
    ),
    known(
        Metric::Part(PartKind::DeviceCompute),
        "compute_time",
        "Device compute",
        "the part device_compute of the mean typical step",
    ),
    known(
        Metric::Communication,
        "communication_time",
        "Communication",
        "union of a device's communication in a typical step, hidden or exposed, as in collectives",
    ),
    known(
        Metric::Part(PartKind::Collectives),
        "exposed_communication",
        "Exposed communication",
        "the part collectives of the mean typical step: the device communicates and computes nothing",
    ),
    known(
        Metric::Part(PartKind::HostToDevice),
        "host_to_device_time",
        "Host to device",
        "the part host_to_device of the mean typical step",
    ),
    known(
        Metric::Part(PartKind::DeviceToHost),
        "device_to_host_time",
        "Device to host",
        "the part device_to_host of the mean typical step",
    ),
    known(
        Metric::Part(PartKind::DeviceToDevice),
        "device_to_device_time",
        "Device to device",
        "the part device_to_device of the mean typical step",
    ),
    known(
        Metric::Part(PartKind::PythonCallbacks),
        "python_callback_time",
        "Python callbacks",
        "the part python_callbacks of the mean typical step",
    ),
    known(
        Metric::Part(PartKind::InputWait),
        "input_wait",
        "Input wait",
        "the part input_wait of the mean typical step",
    ),
    known(
        Metric::Part(PartKind::Compilation),
        "compilation_wait",
        "Waiting for compilation",
        "the part compilation of the mean typical step",
    ),
    known(
        Metric::Part(PartKind::HostOverhead),
        "host_time",
        "Host overhead",
        "the part host_overhead of the mean typical step",
    ),
    known(
        Metric::Part(PartKind::Idle),
        "idle_time",
        "Idle",
        "the part idle of the mean typical step",
    ),
    known(
        Metric::DeviceBusy,
        "device_busy",
        "Device busy",
        "device busy ÷ step, in typical steps; higher is better",
    ),
    known(
        Metric::Mfu,
        "mfu",
        "MFU",
        "FLOPs without rematerialization ÷ (peak of their type × device time), in typical steps; higher is better",
    ),
    known(
        Metric::Hfu,
        "hfu",
        "HFU",
        "FLOPs executed ÷ (peak of their type × device time), in typical steps; higher is better",
    ),
    known(
        Metric::MemoryPeak,
        "memory_peak",
        "Memory peak",
        "largest memory in use on a device, as in compare",
    ),
    known(
        Metric::CompilationCount,
        "compilation_count",
        "Compilations",
        "compilations in the capture",
    ),
    known(
        Metric::CompilationTime,
        "compilation_time",
        "Compilation time",
        "time spent compiling, on the host that compiled most; measured once per run",
    ),
    known(
        Metric::LaunchCount,
        "launch_count",
        "Launches",
        "slices of work in a typical step, mean over devices",
    ),
    known(
        Metric::CollectiveBytes,
        "collective_bytes",
        "Communicated",
        "bytes that the collectives of a typical step move, mean over devices",
    ),
];

const OP: &str = "op:";
const SCOPE: &str = "scope:";

impl Metric {
    /// The metric with a name.
    pub fn of(name: &str) -> Option<Self> {
        let rest = |prefix: &str| {
            let rest = name.strip_prefix(prefix)?.trim();
            (!rest.is_empty()).then(|| rest.to_owned())
        };
        let known = METRICS.iter().find(|known| known.name == name);
        known
            .map(|known| known.metric.clone())
            .or_else(|| rest(OP).map(Self::Op))
            .or_else(|| rest(SCOPE).map(Self::Scope))
    }

    fn known(&self) -> Option<&'static Known> {
        METRICS.iter().find(|known| known.metric == *self)
    }

    /// Name that people type.
    pub fn name(&self) -> String {
        match self {
            Self::Op(name) => format!("{OP}{name}"),
            Self::Scope(path) => format!("{SCOPE}{path}"),
            _ => self.known().map_or("", |known| known.name).to_owned(),
        }
    }

    /// Readable name.
    pub fn title(&self) -> String {
        match self {
            Self::Op(name) => format!("Op {name}"),
            Self::Scope(path) => format!("Scope {path}"),
            _ => self.known().map_or("", |known| known.title).to_owned(),
        }
    }

    /// Unit of the metric.
    pub const fn unit(&self) -> FigureUnit {
        match self {
            Self::DeviceBusy | Self::Mfu | Self::Hfu => FigureUnit::Ratio,
            Self::MemoryPeak | Self::CollectiveBytes => FigureUnit::Bytes,
            Self::CompilationCount | Self::LaunchCount => FigureUnit::Count,
            _ => FigureUnit::Picos,
        }
    }

    /// Whether it is a step time, or a part or share of it.
    pub(super) const fn is_of_step_time(&self) -> bool {
        matches!(
            self,
            Self::StepTime
                | Self::AllStepsTime
                | Self::StepTimeP95
                | Self::Part(_)
                | Self::DeviceBusy
                | Self::Mfu
                | Self::Hfu
        )
    }

    /// Whether its value depends on what a step is.
    pub(super) const fn is_per_step(&self) -> bool {
        !matches!(
            self,
            Self::DeviceBusy
                | Self::Mfu
                | Self::Hfu
                | Self::MemoryPeak
                | Self::CompilationCount
                | Self::CompilationTime
        )
    }

    /// Whether a higher value is better.
    pub const fn is_better_higher(&self) -> bool {
        matches!(self, Self::DeviceBusy | Self::Mfu | Self::Hfu)
    }

    /// All valid names, for messages.
    pub(super) fn names() -> String {
        let names: Vec<&str> = METRICS.iter().map(|known| known.name).collect();
        format!("{}, op:NAME, scope:PATH", names.join(", "))
    }
}
