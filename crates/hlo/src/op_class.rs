//! The kinds of work, and sets of them.

/// Kind of work, coarser than a category and independent of how the compiler wrapped it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum OpClass {
    /// Matrix products and convolutions, alone, in a fusion or as a library call.
    Matmul,
    /// A kernel that computes attention as a whole, such as flash or splash attention.
    Attention,
    /// Communication between devices.
    Collective,
    /// Copies, also between memory spaces.
    Copy,
    /// Transposes and reshapes: the data stays, its order changes.
    DataFormatting,
    /// Loops, branches and calls, whose bodies are counted on their own.
    Control,
    /// Communication with the host.
    HostTransfer,
    /// A call of Python on the host, in the middle of the program.
    HostCallback,
    /// Everything else.
    #[default]
    Other,
}

/// The classes among the instructions of one computation and of all it calls: a set of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct BodySummary(u16);

impl BodySummary {
    pub(crate) fn of(class: OpClass) -> Self {
        Self(1 << class as u8)
    }

    fn contains(self, class: OpClass) -> bool {
        self.0 & Self::of(class).0 != 0
    }

    pub(crate) fn merge(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The dearest work wins; copying and formatting only where there is nothing else.
    pub(crate) fn class(self) -> OpClass {
        let dearest_first = [
            OpClass::Attention,
            OpClass::Matmul,
            OpClass::Collective,
            OpClass::HostCallback,
            OpClass::HostTransfer,
            OpClass::Control,
            OpClass::Other,
            OpClass::DataFormatting,
            OpClass::Copy,
        ];
        dearest_first
            .into_iter()
            .find(|&class| self.contains(class))
            .unwrap_or_default()
    }
}
