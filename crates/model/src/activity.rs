//! What a host thread was doing: one classification, decided once per label, that every analysis
//! uses. A label's [`Class`] follows from it.

use crate::label::{Class, Direction};

/// What a host thread was doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activity {
    /// Work of a device, a step, a marker: nothing that a host thread does.
    None,
    /// Something is compiled, or the result of an earlier compilation is fetched.
    Compile(CompilePhase),
    /// Input is waited for or prepared.
    Input(InputStage),
    /// Data goes to or from a device, as the host sees it.
    Transfer(Direction),
    /// Python's or JAX' garbage collection.
    GarbageCollection,
    /// A checkpoint is written or read.
    Checkpoint,
    /// The profiler itself starts or stops.
    Profiler,
    /// A program is handed to a device, or a kernel launched.
    Dispatch,
    /// The thread waits for a device, a lock, another host or thread.
    Blocked,
    /// The thread sleeps because the program asked for it.
    Sleep,
    /// A Python frame that nothing else is known of.
    Python,
    /// The runtime or a library does something else.
    Runtime,
    /// Anything else: annotations of the program, names not known.
    Other,
}

/// Part of a compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompilePhase {
    /// Python is traced to a jaxpr.
    Trace,
    /// The jaxpr is lowered to StableHLO.
    Lower,
    /// An executable is looked up in, read from or written to the persistent cache.
    Cache,
    /// Passes of XLA over HLO.
    Optimise,
    /// LLVM, PTX, TPU or fusion code is made.
    Generate,
    /// Kernels are measured to choose the fastest.
    Autotune,
    /// The compiler, not told apart further.
    Backend,
}

/// What an input pipeline does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InputStage {
    /// The program asks for its next element and waits for it.
    Wait,
    /// Elements are handed to a device's infeed.
    Enqueue,
    /// Files are read.
    Read,
    /// Elements are changed: mapped, batched, shuffled.
    Preprocess,
    /// Elements are made ahead of time.
    Prefetch,
    /// Loading that nothing tells more about, such as what the program annotated.
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
            Self::Optimise => "optimise",
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
