//! What a host thread was doing: one classification, decided once per label, that every analysis
//! uses. A label's [`Class`] follows from it.

use crate::class::Class;
use crate::transfer::Direction;

/// What a host thread was doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activity {
    /// Device work, a step, a marker: nothing that a host thread does.
    None,
    /// Compiling, or fetching the result of an earlier compilation.
    Compile(CompilePhase),
    /// Waiting for input or preparing it.
    Input(InputStage),
    /// Transferring data to or from a device, as seen by the host.
    Transfer(Direction),
    /// Garbage collection of Python or JAX.
    GarbageCollection,
    /// Writing or reading a checkpoint.
    Checkpoint,
    /// The profiler itself is starting or stopping.
    Profiler,
    /// Handing a program to a device, or launching a kernel.
    Dispatch,
    /// Waiting for a device, a lock, another host or thread.
    Blocked,
    /// Sleeping at the program's request.
    Sleep,
    /// A Python frame with nothing else known about it.
    Python,
    /// Other work of the runtime or a library.
    Runtime,
    /// Anything else: annotations of the program, unknown names.
    Other,
}

/// Part of a compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompilePhase {
    /// Tracing Python to a jaxpr.
    Trace,
    /// Lowering the jaxpr to StableHLO.
    Lower,
    /// Looking up, reading, or writing an executable in the persistent cache.
    Cache,
    /// XLA's passes over HLO.
    Optimize,
    /// Generating LLVM, PTX, TPU, or fusion code.
    Generate,
    /// Measuring kernels to choose the fastest.
    Autotune,
    /// The compiler, not further distinguished.
    Backend,
}

/// What an input pipeline does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InputStage {
    /// The program waits for its next element.
    Wait,
    /// Passing elements to a device's infeed.
    Enqueue,
    /// Reading files.
    Read,
    /// Transforming elements: map, batch, shuffle.
    Preprocess,
    /// Prefetching elements.
    Prefetch,
    /// Unspecified loading, such as what the program annotated.
    Load,
}

impl Activity {
    /// The class of a slice that is not a Python frame.
    pub const fn class(self) -> Class {
        match self {
            Self::Compile(_) => Class::Compile,
            Self::Input(_) => Class::Input,
            Self::Transfer(_) => Class::Copy,
            Self::Blocked => Class::Wait,
            Self::Python => Class::Python,
            Self::None => Class::Marker,
            _ => Class::Host,
        }
    }

    /// The class of a Python frame.
    pub const fn python_class(self) -> Class {
        match self {
            Self::Compile(_) => Class::Compile,
            Self::Input(_) => Class::Input,
            Self::Blocked => Class::Wait,
            _ => Class::Python,
        }
    }
}

impl CompilePhase {
    /// The word on the wire and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Lower => "lower",
            Self::Cache => "cache",
            Self::Optimize => "optimize",
            Self::Generate => "generate",
            Self::Autotune => "autotune",
            Self::Backend => "backend",
        }
    }
}

impl InputStage {
    /// The word on the wire and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Enqueue => "enqueue",
            Self::Read => "read",
            Self::Preprocess => "preprocess",
            Self::Prefetch => "prefetch",
            Self::Load => "load",
        }
    }
}
