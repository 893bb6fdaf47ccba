//! The nodes of a graph, and the ops that they may execute.

use stepscope_hlo::CollectiveKind;

use crate::attribution::Attribution;
use crate::vendor::graphs::LibraryWork;

/// One node of a graph, and what it says about its op.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub(super) work: NodeWork,
    /// The only op it can be, by its instruction's position: recorded, or from a unique name.
    pub(super) known: Option<(u32, Attribution)>,
}

/// What a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum NodeWork {
    /// A kernel that XLA made for an op, or for any op that computes the same: they share the
    /// symbol. A further kernel is one of several of an op.
    Own { symbol: u32, is_further: bool },
    /// A kernel of a library.
    Library(LibraryWork),
    /// A copy, with its bytes if recorded.
    Copy(Option<u64>),
    /// A memset, with its bytes if recorded.
    Fill(Option<u64>),
}

/// An op of the schedule that may launch something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScopeOp {
    /// Position of its instruction in the program.
    pub(super) instruction: u32,
    /// The name of its own kernel, the same for ops that compute the same.
    pub(super) symbol: Option<u32>,
    pub(super) kind: OpKind,
    /// Bytes of its value, and of the first leaf of a tuple.
    pub(super) bytes: (u64, u64),
}

/// The launches that an op may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpKind {
    /// Its own kernel; or only a memset or copies, depending on its contents.
    Fusion(Contents),
    Matmul,
    Convolution,
    Attention,
    Collective(CollectiveKind),
    Sort,
    Copy,
    /// A call with unknown contents.
    Custom,
    /// A loop or branch that the graph decides by itself.
    Control,
    /// Its own kernel ran already: only further kernels of its own can follow.
    Done,
}

/// What a fusion computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents {
    Computed,
    /// A single constant, which needs a memset instead of a kernel.
    Constant,
    /// A slice that is read or written at a place that depends on data: a copy may do.
    Slice,
}

impl Node {
    /// A kernel that XLA made, which is an op's first.
    pub(super) const fn is_own(&self) -> bool {
        matches!(self.work, NodeWork::Own { .. })
    }
}

impl ScopeOp {
    /// The op before its own kernel: what prepares it may come first, but nothing of a library.
    pub(super) const fn due(self) -> Self {
        let kind = match self.kind {
            OpKind::Custom => OpKind::Fusion(Contents::Computed),
            kind => kind,
        };
        Self { kind, ..self }
    }

    /// The op after its own kernel.
    pub(super) const fn done(self) -> Self {
        Self {
            kind: OpKind::Done,
            ..self
        }
    }
}

impl OpKind {
    /// Whether a single op may have several kernels.
    pub(super) const fn has_several(self) -> bool {
        !matches!(self, Self::Fusion(_) | Self::Copy | Self::Done)
    }
}

/// The candidate ops for the nodes of one graph, in execution order.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) ops: Vec<ScopeOp>,
    /// The start of each sequence in it, the first at 0: bodies of loops follow.
    pub(super) starts: Vec<usize>,
    /// Both ends are known, so that order alone is sufficient.
    pub(super) is_bounded: bool,
}
