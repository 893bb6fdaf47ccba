//! Flows: arrows between slices.

use crate::ids::SliceId;

/// One arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flow {
    /// Slice the arrow leaves.
    pub from: SliceId,
    /// Slice it points at.
    pub to: SliceId,
    /// What it means.
    pub kind: FlowKind,
}

/// What an arrow means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlowKind {
    /// A host call launched a kernel or copy (equal correlation ids).
    Launch,
    /// A producer handed work to a consumer (equal context type and id).
    ProducerConsumer,
    /// An asynchronous op's start and its span.
    Async,
}

impl FlowKind {
    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::ProducerConsumer => "producer_consumer",
            Self::Async => "async",
        }
    }
}

/// All arrows, found from either end.
#[derive(Debug, Clone, Default)]
pub struct Flows {
    by_from: Vec<Flow>,
    by_to: Vec<Flow>,
}

impl Flows {
    /// From arrows in any order; equal ones are kept once.
    pub fn new(mut flows: Vec<Flow>) -> Self {
        flows.sort_unstable();
        flows.dedup();
        let mut by_to = flows.clone();
        by_to.sort_unstable_by_key(|flow| (flow.to, flow.from, flow.kind));
        Self {
            by_from: flows,
            by_to,
        }
    }

    /// All arrows, by origin.
    pub fn all(&self) -> &[Flow] {
        &self.by_from
    }

    /// Arrows that leave the slice.
    pub fn from_slice(&self, slice: SliceId) -> &[Flow] {
        let first = self.by_from.partition_point(|flow| flow.from < slice);
        let last = self.by_from.partition_point(|flow| flow.from <= slice);
        &self.by_from[first..last]
    }

    /// Arrows that point at the slice.
    pub fn to_slice(&self, slice: SliceId) -> &[Flow] {
        let first = self.by_to.partition_point(|flow| flow.to < slice);
        let last = self.by_to.partition_point(|flow| flow.to <= slice);
        &self.by_to[first..last]
    }
}
