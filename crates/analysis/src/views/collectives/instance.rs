//! One collective on all of its participants.

/// One time a collective happened on all of its participants that are in the session.
#[derive(Debug, Clone)]
pub(crate) struct Instance {
    /// Position in [`Survey::ops`], of its first member.
    pub(crate) op: usize,
    /// Positions in [`Survey::occurrences`], by device; at least two.
    pub(crate) members: Vec<usize>,
}
