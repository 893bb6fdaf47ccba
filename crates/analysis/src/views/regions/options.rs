//! Options of `regions`.

use crate::asking::selection::Selection;
use clap::{Args, ValueEnum};

/// Options of [`Regions`].
#[derive(Debug, Clone, Default, Args)]
pub struct RegionsOptions {
    /// Which part of the session. Devices and programs select device time; `--match` keeps regions
    /// by name or source, by stack with all that runs within them.
    #[command(flatten)]
    pub selection: Selection,
    /// One row per region, per region and thread, or per stack of regions
    #[arg(long, value_name = "KEY", value_enum, default_value_t = GroupBy::Name)]
    pub by: GroupBy,
    /// Which regions to show: `user` is annotations and functions of Python
    #[arg(long, value_name = "KIND", value_enum, default_value_t = KindFilter::User)]
    pub kind: KindFilter,
    /// Fold names that differ in numbers only: `layer_0`, `layer_1`, … become `layer_*`
    #[arg(long, value_name = "PATTERN", value_enum, default_value_t = Fold::None)]
    pub fold: Fold,
}

/// What a row is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum GroupBy {
    /// A region.
    #[default]
    Name,
    /// A region on one thread.
    Thread,
    /// A region with those around it.
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
    /// Annotations and functions of Python.
    #[default]
    User,
    /// Annotations of the program.
    Annotation,
    /// Functions of Python.
    Python,
    /// What the runtime, the compiler and drivers do.
    Runtime,
    /// Everything.
    All,
}

/// Which names are folded into one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Fold {
    /// Every name stands for itself.
    #[default]
    None,
    /// Names that differ in numbers only.
    Numbers,
}
