//! One collective on all of its participants.

/// One execution of a collective, on all its participants in the session.
#[derive(Debug, Clone)]
pub(crate) struct Instance {
    /// Position of the first member's op in [`Survey::ops`].
    pub(crate) op: usize,
    /// Positions in [`Survey::occurrences`], by device; at least two.
    pub(crate) members: Vec<usize>,
}
