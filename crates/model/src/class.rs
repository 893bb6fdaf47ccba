//! Classes of slices, for colors and breakdowns.

/// The class of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Matrix products and convolutions.
    Matmul,
    /// Fused attention.
    Attention,
    /// Other computation of a device, and memsets.
    Compute,
    /// Communication between devices.
    Collective,
    /// Copies.
    Copy,
    /// A program run.
    Program,
    /// A step.
    Step,
    /// Python, on the host or called by a program.
    Python,
    /// Other host work.
    Host,
    /// The host is waiting for the device, a lock, a rendezvous.
    Wait,
    /// The host is waiting for or preparing input.
    Input,
    /// Compilation.
    Compile,
    /// Markers.
    Marker,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 13] = [
        Self::Matmul,
        Self::Attention,
        Self::Compute,
        Self::Collective,
        Self::Copy,
        Self::Program,
        Self::Step,
        Self::Python,
        Self::Host,
        Self::Wait,
        Self::Input,
        Self::Compile,
        Self::Marker,
    ];

    /// The word on the wire and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Matmul => "matmul",
            Self::Attention => "attention",
            Self::Compute => "compute",
            Self::Collective => "collective",
            Self::Copy => "copy",
            Self::Program => "program",
            Self::Step => "step",
            Self::Python => "python",
            Self::Host => "host",
            Self::Wait => "wait",
            Self::Input => "input",
            Self::Compile => "compile",
            Self::Marker => "marker",
        }
    }
}
