//! Where planes and lines stand in their draft.

/// Where a plane stands in its draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PlaneIndex(pub(crate) usize);

/// Where a line stands in its draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LineIndex(pub(crate) u32);
