//! How device work was attributed to ops.

/// How a slice of work was joined with its op, the most certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Attribution {
    /// Recorded: the slice is the op's own execution, or it carries the op's name.
    Recorded,
    /// The kernel names no op, but its function is named after exactly one op of its program.
    ExactName,
    /// The kernel is between kernels of known ops, and only the ops between those can explain it.
    BetweenAnchors,
    /// Only the order of the kernels: their sequence fits the order of the program's ops.
    ByOrder,
    /// No op is known. The slice may still have a program and a framework op.
    #[default]
    None,
}

impl Attribution {
    /// All, the most certain first.
    pub const ALL: [Self; 5] = [
        Self::Recorded,
        Self::ExactName,
        Self::BetweenAnchors,
        Self::ByOrder,
        Self::None,
    ];

    /// The word on the wire and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::ExactName => "exact_name",
            Self::BetweenAnchors => "between_anchors",
            Self::ByOrder => "by_order",
            Self::None => "none",
        }
    }

    /// The op is our best guess: nothing recorded names it.
    pub const fn is_inferred(self) -> bool {
        matches!(self, Self::ExactName | Self::BetweenAnchors | Self::ByOrder)
    }
}
