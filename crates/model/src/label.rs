//! Labels: what slices of one kind share. A session has millions of slices and thousands of labels,
//! so everything that depends on the name alone is decided once per label.

use crate::activity::Activity;
use crate::attribution::Attribution;
pub use crate::class::Class;
use crate::ids::{LaunchId, OpId, ProgramId, StringId};
pub use crate::transfer::{Direction, HostMemory, Transfer};

/// What slices of one kind share.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Label {
    /// Name to show: HLO instruction, kernel function, TraceMe name.
    pub name: StringId,
    /// The kind of the slice.
    pub kind: SliceKind,
    /// Its class, for colors and breakdowns.
    pub class: Class,
    /// What the host thread is doing.
    pub activity: Activity,
    /// The HLO op it executes.
    pub op: Option<OpId>,
    /// How the op was found; [`Attribution::None`] if and only if there is none.
    pub attribution: Attribution,
    /// The program it belongs to: its op's, or the one whose launch it was attributed to.
    pub program: Option<ProgramId>,
    /// Launch geometry, for GPU kernels.
    pub launch: Option<LaunchId>,
    /// Direction and bytes, for copies and memsets.
    pub transfer: Option<Transfer>,
    /// The framework's op, as a name stack, if its launch names one and no HLO op is known; otherwise none.
    pub framework_op: Option<StringId>,
    /// The type of that op, if the framework writes one, such as `MatMul`.
    pub framework_type: Option<StringId>,
}

/// The kind of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SliceKind {
    /// Execution of an HLO op by a device without kernels (TPU, XLA:CPU).
    Op,
    /// A GPU kernel.
    Kernel,
    /// A copy or memset of a device.
    Transfer,
    /// An asynchronous op's span from start to done; overlaps ops and does not count as work.
    AsyncOp,
    /// One run of a program.
    ProgramRun,
    /// A recorded step.
    Step,
    /// A row derived by another tool from the same events (name scopes, framework ops).
    Derived,
    /// A TraceMe or API call of a host thread.
    Host,
    /// A Python frame.
    Python,
    /// An instant or bookkeeping marker (`end: op`, thread pool regions).
    Marker,
    /// Something else on a device, such as on-device TraceMe or overlays.
    DeviceOther,
}

impl SliceKind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Op,
        Self::Kernel,
        Self::Transfer,
        Self::AsyncOp,
        Self::ProgramRun,
        Self::Step,
        Self::Derived,
        Self::Host,
        Self::Python,
        Self::Marker,
        Self::DeviceOther,
    ];

    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Op => "op",
            Self::Kernel => "kernel",
            Self::Transfer => "transfer",
            Self::AsyncOp => "async_op",
            Self::ProgramRun => "program_run",
            Self::Step => "step",
            Self::Derived => "derived",
            Self::Host => "host",
            Self::Python => "python",
            Self::Marker => "marker",
            Self::DeviceOther => "device_other",
        }
    }

    /// Whether slices of this kind are work of a device: their union is its busy time.
    pub const fn is_work(self) -> bool {
        matches!(self, Self::Op | Self::Kernel | Self::Transfer)
    }
}

/// Launch geometry of a kernel, as far as recorded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Launch {
    /// Registers per thread.
    pub registers: Option<i64>,
    /// Static and dynamic shared memory per block.
    pub shared_bytes: Option<i64>,
    /// `x,y,z`.
    pub grid: String,
    /// `x,y,z`.
    pub block: String,
    /// Theoretical occupancy, 0..1.
    pub occupancy: Option<f64>,
}
