//! What `compare` answers: the sessions, how each differs from the baseline, and why.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::measuring::steps::PartKind;
use crate::telling::Note;

/// The answer of the `compare` comparison.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct CompareReport {
    /// The sessions in the order in which they were given; the first is the baseline.
    pub sessions: Vec<ComparedSession>,
    /// How each session except the first differs from the first.
    pub differences: Vec<SessionDifference>,
    /// Ops, kernels and copies of the baseline and of each other session, matched by meaning. Those with
    /// the largest effect on the step come first, unless sorted otherwise.
    pub ops: Vec<ComparedOp>,
    /// Ops before the limit.
    pub op_count: usize,
    /// What is compared kernel by kernel: the sessions, or the work below their name scopes; the first
    /// is the baseline.
    pub methods: Vec<ComparedMethod>,
    /// Kernels of each method compared with those of the first, by name; largest difference first.
    pub kernels: Vec<ComparedKernel>,
    /// Kernels before the limit.
    pub kernel_count: usize,
    /// Confidence of the intervals, 0..1.
    pub confidence_ratio: f64,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One of the sessions.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ComparedSession {
    /// Name of the session, unique among the compared sessions.
    pub name: String,
    /// Kinds of devices of the session with counts, such as `8 × XLA:CPU`.
    pub devices: String,
    /// Number of steps that are compared.
    pub step_count: usize,
    /// Number of compared steps that are not outliers.
    pub typical_step_count: usize,
    /// Mean duration of the typical steps, which exclude outliers. Absent without steps.
    pub step_ps: Option<f64>,
    /// Mean duration of all steps, outliers included. Absent without steps.
    pub all_steps_ps: Option<f64>,
    /// Parts of the mean typical step, in the order of `PartKind`; they sum to it.
    pub parts_ps: Vec<f64>,
    /// Share of the typical steps in which the device is busy, 0..1. Absent without steps.
    pub busy_ratio: Option<f64>,
    /// Hardware FLOPs utilization (HFU) of the typical steps, as in overview. Absent if unknown.
    pub hfu_ratio: Option<f64>,
    /// Model FLOPs utilization (MFU) of the typical steps, as in overview. Absent if unknown.
    pub mfu_ratio: Option<f64>,
    /// Number of slices of work in a typical step, mean over devices. On GPUs, these are kernel
    /// launches and copies.
    pub launch_count: Option<f64>,
    /// Bytes that the collectives of a step move, mean over devices. Absent if no collective has known
    /// shapes.
    pub collective_bytes: Option<f64>,
    /// Compilations in the capture.
    pub compilation_count: usize,
    /// Mean wall time of the captured steps by the program's own clock, from the manifest. Absent
    /// if there is none.
    pub wall_step_ps: Option<f64>,
    /// Wall time of training, from `wall_clock.json` in the log directory. Absent if there is none.
    pub training_wall_ps: Option<f64>,
    /// Wall time of the whole run, from `wall_clock.json` in the log directory. Absent if there is
    /// none.
    pub run_wall_ps: Option<f64>,
    /// Time spent compiling, on the host that compiled most.
    #[ts(type = "number")]
    pub compilation_ps: i64,
    /// Largest memory in use on a device, according to its allocator, else memory snapshots, else
    /// the memory plan of the largest program.
    #[ts(type = "number | null")]
    pub memory_peak_bytes: Option<i64>,
    /// Source of the memory peak: `allocator`, `snapshot` or `plan`; empty without a peak.
    pub memory_peak_source: String,
    /// Every step, so that timelines can be aligned by step.
    pub steps: Vec<ComparedStep>,
}

/// One method: a session, or the work below one of its name scopes.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ComparedMethod {
    /// Position of the method's session in `sessions`.
    pub session: usize,
    /// Name of the session, followed by the name scope if there is one.
    pub name: String,
    /// The name scope; empty for a whole session.
    pub scope: String,
    /// Unit of the figures of the method: per `step`, `run` or `capture`, on each device.
    pub unit: MethodUnit,
    /// Number of steps of the method, or number of its runs on all devices.
    pub count: usize,
    /// Self time of the kernels of the method, per unit (step, run or capture) and device.
    pub device_ps: f64,
    /// Number of launches of the method, per unit (step, run or capture) and device.
    pub launch_count: f64,
    /// Number of different kernels that the method launches.
    pub kernel_count: usize,
    /// Self time ÷ launches of the method. Absent if there are no launches.
    pub mean_launch_ps: Option<f64>,
    /// Device time of the method ÷ device time of the first method. Absent for the first.
    pub ratio: Option<f64>,
}

/// Unit that the figures of a method are per.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum MethodUnit {
    /// A step.
    Step,
    /// A run of the programs that contain the scope.
    Run,
    /// The whole capture, if it has neither.
    Capture,
}

/// One kernel of a method and of the first one.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ComparedKernel {
    /// Method that is compared with the first, by name; in JSON, its position in `methods`.
    pub method: usize,
    /// Name of the kernel. On devices that run ops instead of kernels, the kind of op.
    pub name: String,
    /// Launches of the kernel in the first method, per unit of that method (step, run or capture)
    /// and device.
    pub baseline_count: f64,
    /// Launches of the kernel in the method that is compared with the first, per unit of that
    /// method and device.
    pub count: f64,
    /// Self time of the kernel in the first method, per unit of that method (step, run or capture)
    /// and device.
    pub baseline_ps: f64,
    /// Self time of the kernel in the method that is compared with the first, per unit of that
    /// method and device.
    pub mean_ps: f64,
    /// Self time of the kernel in the compared method − self time in the first method.
    pub difference_ps: f64,
}

/// One step of one session.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ComparedStep {
    /// Step number as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// Start of the step on the first device, since the session began.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// End of the step on the last device, since the session began.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Duration of the step: mean over hosts of the mean over the host's devices.
    pub duration_ps: f64,
    /// Whether the duration is far from the median of the session's steps, by the rule of `steps`.
    pub is_outlier: bool,
}

/// How one session differs from the baseline.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct SessionDifference {
    /// Position of the session in `sessions`.
    pub session: usize,
    /// The answer in a sentence.
    pub conclusion: String,
    /// Mean typical step compared with that of the baseline; absent if either has no steps.
    pub step: Option<TimeDifference>,
    /// The parts of the mean typical step; their differences sum to that of the step.
    pub parts: Vec<ComparedPart>,
    /// The difference of the mean typical step as a sum, largest bar first.
    pub waterfall: Vec<WaterfallBar>,
    /// What outlier steps, which the typical step excludes, add to the mean over all steps.
    pub outliers: Vec<WaterfallBar>,
    /// Causes of the difference, in words, largest effect first.
    pub causes: Vec<ComparedCause>,
    /// Programs, matched by name and content.
    pub programs: Vec<ComparedProgram>,
    /// Differences in versions, chips, flags, options and manifests.
    pub environment: Vec<ComparedFact>,
}

/// A mean time compared with that of the baseline.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct TimeDifference {
    /// Mean over the typical steps of the baseline.
    pub baseline_ps: f64,
    /// Mean over the typical steps of the session.
    pub mean_ps: f64,
    /// Mean of the session − mean of the baseline.
    pub difference_ps: f64,
    /// Difference ÷ baseline; absent if the baseline is 0.
    pub ratio: Option<f64>,
    /// Lower end of the difference's confidence interval, noise between runs included.
    pub low_ps: f64,
    /// Upper end of the confidence interval.
    pub high_ps: f64,
    /// Probability that noise alone produces as large a difference; absent with too few steps.
    pub p_value: Option<f64>,
    /// Whether the difference is more than noise.
    pub evidence: Evidence,
}

/// Whether a difference is more than noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Evidence {
    /// The difference is more than noise explains.
    BeyondNoise,
    /// Noise explains the difference.
    WithinNoise,
    /// Either session has too few steps to tell.
    TooFewSteps,
}

/// One part of the step in the baseline and in the other session.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ComparedPart {
    /// Part of the step that is compared.
    pub part: PartKind,
    /// Time of the part.
    pub time: TimeDifference,
}

/// One bar of a waterfall.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct WaterfallBar {
    /// Kind of the bar, such as `op`, `new_op`, `overlap` or `outlier_steps`.
    pub kind: BarKind,
    /// What the bar represents, in words.
    pub title: String,
    /// Part of the step that the bar belongs to. Absent if it belongs to none.
    pub part: Option<PartKind>,
    /// Contribution of this bar to the difference of the mean typical step, which all bars of the
    /// waterfall sum to. For outlier steps: what they add to the mean over all steps.
    pub difference_ps: f64,
    /// Position of the op among all ops (before sorting and limit, largest effect first); absent if the
    /// bar is not a single op.
    pub op: Option<usize>,
    /// Whether the difference is more than noise.
    pub evidence: Evidence,
}

/// What a bar of a waterfall is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum BarKind {
    /// An op of both sessions takes more or less time.
    Op,
    /// An op that the baseline does not have.
    NewOp,
    /// An op that only the baseline has.
    GoneOp,
    /// All other ops of a part together.
    OtherOps,
    /// Ops of a part overlap with each other, or with other work, less or more than in the baseline.
    Overlap,
    /// The device waits for input.
    InputWait,
    /// The device waits while the host compiles, in typical steps.
    Compilation,
    /// The device waits while the host does other work.
    HostOverhead,
    /// The device waits and nothing is recorded.
    Idle,
    /// Compilation in outlier steps.
    OutlierCompilation,
    /// Other time in outlier steps.
    OutlierSteps,
    /// What no other bar explains.
    Residual,
}

impl BarKind {
    /// Whether it is about outlier steps, which the result excludes.
    pub(crate) const fn is_of_outliers(self) -> bool {
        matches!(self, Self::OutlierCompilation | Self::OutlierSteps)
    }

    /// The word in tables, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Op => "op",
            Self::NewOp => "new_op",
            Self::GoneOp => "gone_op",
            Self::OtherOps => "other_ops",
            Self::Overlap => "overlap",
            Self::InputWait => "input_wait",
            Self::Compilation => "compilation",
            Self::HostOverhead => "host_overhead",
            Self::Idle => "idle",
            Self::OutlierCompilation => "outlier_compilation",
            Self::OutlierSteps => "outlier_steps",
            Self::Residual => "residual",
        }
    }
}

/// One cause of a difference.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ComparedCause {
    /// Stable key for the kind of cause, such as `op_slower` or `recompiled`.
    pub kind: String,
    /// Why the session differs from the baseline, in one sentence.
    pub text: String,
    /// Effect of the cause on the mean step. Absent if unknown.
    pub difference_ps: Option<f64>,
    /// Effect of the cause on the peak of a program's memory plan. Absent if it is not about memory.
    #[ts(type = "number | null")]
    pub difference_bytes: Option<i64>,
    /// Position of the op among all ops; absent if the cause is not about a single op.
    pub op: Option<usize>,
    /// Whether the difference is more than noise. Absent if the cause is not about time.
    pub evidence: Option<Evidence>,
    /// Source line of the op or buffer that the cause is about, as `file:line`. Empty if it is about
    /// neither or the line is unknown.
    pub source: String,
}

/// An op, kernel or copy of the baseline and of another session.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ComparedOp {
    /// Position of the op before sorting and limit, to which bars and causes refer.
    pub index: usize,
    /// Session that is compared with the baseline, by name; in JSON, its position in `sessions`.
    pub session: usize,
    /// How the op matches the baseline: one of `same`, `renamed`, `changed` (shape or content),
    /// `new` or `gone`.
    pub matched: String,
    /// The op in the baseline; absent for a new op.
    pub baseline: Option<ComparedOpSide>,
    /// The op in the other session; absent for an op that is gone.
    pub other: Option<ComparedOpSide>,
    /// Part of a step that the op belongs to.
    pub part: PartKind,
    /// What kind of work the op is, such as `matmul`, in this session; of an op that is gone, in the
    /// baseline.
    pub class: String,
    /// Self time of the op per step, mean over devices.
    pub time: TimeDifference,
    /// Effect of the op on the step: the difference of its self time, scaled so that the ops of a
    /// part sum to the part, because they may overlap.
    pub step_difference_ps: f64,
    /// What changed about the op, in words. Empty if nothing is known.
    pub change: String,
}

/// An op in one session.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ComparedOpSide {
    /// Name of the program without its id; empty for work without one.
    pub program: String,
    /// Program id; empty for work without one.
    pub program_id: String,
    /// Name of the instruction or kernel, or direction of the copy.
    pub name: String,
    /// Category, such as `loop fusion`; `kernel` or `transfer` without an op.
    pub category: String,
    /// Shape of the op's value; empty if unknown.
    pub shape: String,
    /// JAX name stack; empty if unknown.
    pub scope: String,
    /// Source line, as `file:line`; empty if unknown.
    pub source: String,
    /// The kernel with the most time; empty without kernels.
    pub kernel: String,
    /// Slices per step, mean over devices.
    pub occurrences: f64,
}

/// One program in the baseline and in the other session.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ComparedProgram {
    /// One of `same`, `changed`, `new` or `gone`.
    pub matched: String,
    /// Name of the program in the baseline. Empty for a new program.
    pub baseline: String,
    /// Id of the program in the baseline. Empty for a new program.
    pub baseline_id: String,
    /// Name of the program in this session. Empty for a program that is gone.
    pub other: String,
    /// Id of the program in this session. Empty for a program that is gone.
    pub other_id: String,
    /// Number of instructions of the program in the baseline, excluding those inside fusions and
    /// pure bookkeeping. Absent without HLO.
    pub baseline_instructions: Option<usize>,
    /// Number of instructions of the program in this session, excluding those inside fusions and
    /// pure bookkeeping. Absent without HLO.
    pub other_instructions: Option<usize>,
    /// Instructions that only this session has, by name and shape, at most 50.
    pub added: Vec<String>,
    /// Number of instructions that this session has and the baseline does not.
    pub added_count: usize,
    /// Instructions that only the baseline has, by name and shape, at most 50.
    pub removed: Vec<String>,
    /// Number of instructions that the baseline has and this session does not.
    pub removed_count: usize,
    /// Instructions whose shape or content differs, at most 50.
    pub changed: Vec<String>,
    /// Number of instructions whose shape or content differs between the baseline and this session.
    pub changed_count: usize,
    /// Opcodes whose count differs.
    pub opcodes: Vec<ComparedOpcode>,
}

/// How often an opcode occurs in a program.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ComparedOpcode {
    /// Opcode, instructions of fusions included.
    pub opcode: String,
    /// Count in the baseline.
    pub baseline_count: usize,
    /// Count in the other session.
    pub other_count: usize,
}

/// A fact that differs.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ComparedFact {
    /// Name of the fact that differs, such as `jax_version`.
    pub name: String,
    /// Value of the fact in the baseline. Empty if not recorded.
    pub baseline: String,
    /// Value of the fact in the session that is compared with the baseline. Empty if not recorded.
    pub other: String,
}
