//! Options of `regions`.

use crate::asking::selection::Selection;
use clap::{Args, ValueEnum};

/// Options of [`Regions`].
#[derive(Debug, Clone, Default, Args)]
pub struct RegionsOptions {
    /// Which part of the session. Devices and programs select device time; `--match` selects regions
    /// by name or source (with `--by stack`, including everything within them).
    #[command(flatten)]
    pub selection: Selection,
    /// One row per region, per region and thread, or per stack of regions
    #[arg(long, value_name = "KEY", value_enum, default_value_t = GroupBy::Name)]
    pub by: GroupBy,
    /// Which regions to show: `user` means annotations and Python functions
    #[arg(long, value_name = "KIND", value_enum, default_value_t = KindFilter::User)]
    pub kind: KindFilter,
    /// Fold names that differ only in numbers: `layer_0`, `layer_1`, … become `layer_*`
    #[arg(long, value_name = "PATTERN", value_enum, default_value_t = Fold::None)]
    pub fold: Fold,
}

/// What a row represents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum GroupBy {
    /// A region.
    #[default]
    Name,
    /// A region on one thread.
    Thread,
    /// A region, with the regions around it.
    Stack,
}

impl GroupBy {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Thread => "thread",
            Self::Stack => "stack",
        }
    }
}

/// Which regions are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum KindFilter {
    /// Annotations and Python functions.
    #[default]
    User,
    /// Annotations of the program.
    Annotation,
    /// Python functions.
    Python,
    /// Regions of the runtime, the compiler and drivers.
    Runtime,
    /// Everything.
    All,
}

/// Which names are folded into one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Fold {
    /// No names are folded.
    #[default]
    None,
    /// Names that differ only in numbers.
    Numbers,
}
