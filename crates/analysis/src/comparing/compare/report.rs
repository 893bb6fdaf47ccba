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
    /// Every session but the first against the first.
    pub differences: Vec<SessionDifference>,
    /// Ops, kernels and copies of the baseline and of each other session, matched by meaning; what
    /// changed the step most comes first, unless sorted otherwise.
    pub ops: Vec<ComparedOp>,
    /// Ops before the limit.
    pub op_count: usize,
    /// What is held against each other kernel by kernel: the sessions, or what ran below name scopes
    /// of theirs; the first is the baseline.
    pub methods: Vec<ComparedMethod>,
    /// Kernels of each method against those of the first, by name; the largest difference first.
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
    /// Name, by which no two of the sessions are called.
    pub name: String,
    /// Kinds of devices of the session with counts, such as `8 × XLA:CPU`.
    pub devices: String,
    /// Number of steps that are compared.
    pub step_count: usize,
    /// Number of compared steps that are not outliers.
    pub typical_step_count: usize,
    /// Mean duration of the typical steps, which exclude outliers. Absent without steps.
    pub step_ps: Option<f64>,
    /// Mean of all steps; absent without steps.
    pub all_steps_ps: Option<f64>,
    /// Parts of the mean typical step, in the order of `PartKind`; they sum to it.
    pub parts_ps: Vec<f64>,
    /// Share of the typical steps in which the device is busy, 0..1. Absent without steps.
    pub busy_ratio: Option<f64>,
    /// Number of slices of work in a typical step, mean over devices. On GPUs, these are kernel
    /// launches and copies.
    pub launch_count: Option<f64>,
    /// Bytes that the collectives of a step move, mean over devices. Absent if there is no
    /// collective with known shapes.
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
    /// Which of them: `allocator`, `snapshot`, `plan`; empty without a peak.
    pub memory_peak_source: String,
    /// Every step, so that timelines can be aligned by step.
    pub steps: Vec<ComparedStep>,
}

/// What is held against others kernel by kernel.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ComparedMethod {
    /// Position of its session in `sessions`.
    pub session: usize,
    /// Name of the session, with the scope where there is one.
    pub name: String,
    /// The name scope; empty for a whole session.
    pub scope: String,
    /// What the figures of the method are per, on each device: `step`, `run` or `capture`.
    pub unit: MethodUnit,
    /// Number of steps, or of runs on all devices, that the method had.
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

/// What the figures of a method are per.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum MethodUnit {
    /// A step.
    Step,
    /// A run of the programs that hold the scope.
    Run,
    /// The whole capture, which has neither.
    Capture,
}

/// One kernel of a method and of the first one.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ComparedKernel {
    /// Method that is compared with the first, by name; in JSON, its position in `methods`.
    pub method: usize,
    /// Name of the kernel; of the kind of op where devices run ops.
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
    /// Start since the session began, of the first device that begins it.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// End since the session began, of the last device that ends it.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Mean over hosts of the mean over the host's devices.
    pub duration_ps: f64,
    /// Far from the median of the session's steps, by the rule of `steps`.
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
    /// Mean typical step against that of the baseline; absent where either has no step.
    pub step: Option<TimeDifference>,
    /// The parts of the mean typical step; their differences sum to that of the step.
    pub parts: Vec<ComparedPart>,
    /// The difference of the mean step (of all steps, outliers included) as a sum, the largest first.
    pub waterfall: Vec<WaterfallBar>,
    /// Why, in plain words, what weighs most first.
    pub causes: Vec<ComparedCause>,
    /// Programs, matched by name and content.
    pub programs: Vec<ComparedProgram>,
    /// What differs of versions, chips, flags, options and manifests.
    pub environment: Vec<ComparedFact>,
}

/// A mean time against that of the baseline.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct TimeDifference {
    /// Mean over the typical steps of the baseline.
    pub baseline_ps: f64,
    /// Mean over the typical steps of the session.
    pub mean_ps: f64,
    /// The latter − the former.
    pub difference_ps: f64,
    /// Difference ÷ baseline; absent where that is 0.
    pub ratio: Option<f64>,
    /// Lower end of the difference's confidence interval, noise between runs included.
    pub low_ps: f64,
    /// Upper end.
    pub high_ps: f64,
    /// How often noise alone gives as much; absent with too few steps.
    pub p_value: Option<f64>,
    /// What may be said.
    pub evidence: Evidence,
}

/// What may be said of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Evidence {
    /// It is more than noise explains.
    BeyondNoise,
    /// Noise explains it.
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
    /// Its time.
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
    /// Contribution of this bar to the difference of the mean step, outlier steps included. All
    /// bars sum to that difference.
    pub difference_ps: f64,
    /// Position among all ops (before sorting and limit, in the order of weight); absent where it is
    /// no single op.
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
    /// An op that the baseline has not.
    NewOp,
    /// An op that only the baseline has.
    GoneOp,
    /// All other ops of a part together.
    OtherOps,
    /// Ops of a part run beside each other, or behind other work, less or more than before.
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
    /// What none of the others explains.
    Residual,
}

impl BarKind {
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

/// One reason, in plain words.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ComparedCause {
    /// Stable key for the kind of cause, such as `op_slower` or `recompiled`.
    pub kind: String,
    /// Why the session differs from the baseline, in one sentence.
    pub text: String,
    /// Effect of the cause on the mean step. Absent if unknown.
    pub difference_ps: Option<f64>,
    /// What it does to the memory that a program plans to hold; absent where it is about no memory.
    #[ts(type = "number | null")]
    pub difference_bytes: Option<i64>,
    /// Position among all ops; absent where it is about no single op.
    pub op: Option<usize>,
    /// Whether the difference is more than noise; absent where it is no time.
    pub evidence: Option<Evidence>,
    /// Source line, as `file:line`, of its op or buffer; empty if it is about none or that is unknown.
    pub source: String,
}

/// An op, kernel or copy of the baseline and of another session.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ComparedOp {
    /// Its position before sorting and limit, to which bars and causes refer.
    pub index: usize,
    /// Session that is compared with the baseline, by name; in JSON, its position in `sessions`.
    pub session: usize,
    /// How the op matches the baseline: one of `same`, `renamed`, `changed` (shape or content),
    /// `new` or `gone`.
    pub matched: String,
    /// In the baseline; absent for a new op.
    pub baseline: Option<ComparedOpSide>,
    /// In the other session; absent for one that is gone.
    pub other: Option<ComparedOpSide>,
    /// Part of a step in which it stands.
    pub part: PartKind,
    /// Self time per step, mean over devices.
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
    /// Instruction or kernel.
    pub name: String,
    /// Category, such as `loop fusion`; `kernel` or `transfer` without an op.
    pub category: String,
    /// Shape of its value; empty if unknown.
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
    /// Its id.
    pub baseline_id: String,
    /// Name of the program in this session. Empty for a program that is gone.
    pub other: String,
    /// Its id.
    pub other_id: String,
    /// Number of instructions of the program in the baseline, excluding those inside fusions and
    /// mere bookkeeping. Absent without HLO.
    pub baseline_instructions: Option<usize>,
    /// Number of instructions of the program in this session, excluding those inside fusions and
    /// mere bookkeeping. Absent without HLO.
    pub other_instructions: Option<usize>,
    /// Instructions that only the other has, by name and shape, at most 50.
    pub added: Vec<String>,
    /// Number of instructions that this session has and the baseline does not.
    pub added_count: usize,
    /// Instructions that only the baseline has, at most 50.
    pub removed: Vec<String>,
    /// Number of instructions that the baseline has and this session does not.
    pub removed_count: usize,
    /// Instructions whose shape or content differs, at most 50.
    pub changed: Vec<String>,
    /// Number of instructions whose shape or content differs between the baseline and this session.
    pub changed_count: usize,
    /// Opcodes whose number differs.
    pub opcodes: Vec<ComparedOpcode>,
}

/// How often an opcode stands in a program.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ComparedOpcode {
    /// Opcode, instructions of fusions included.
    pub opcode: String,
    /// In the baseline.
    pub baseline_count: usize,
    /// In the other.
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
