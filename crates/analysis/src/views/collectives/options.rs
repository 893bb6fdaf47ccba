//! Options of `collectives`.

use clap::{Args, ValueEnum};

use crate::asking::selection::Selection;

/// Options of [`Collectives`](super::Collectives).
#[derive(Debug, Clone, Default, Args)]
pub struct CollectivesOptions {
    /// Which part of the session.
    #[command(flatten)]
    pub selection: Selection,
    /// What the table of groups sums over
    #[arg(long, value_name = "KEY", value_enum, default_value_t = CollectivesBy::Axis)]
    pub by: CollectivesBy,
    /// Maximum number of single occurrences, costliest first; 0 means all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub instances: usize,
    /// Maximum number of inputs and outputs of programs, largest first; 0 means all
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub shardings: usize,
}

/// What collectives of a group share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum CollectivesBy {
    /// Axes of the device mesh.
    #[default]
    Axis,
    /// Source line.
    Source,
    /// JAX name stack.
    Scope,
    /// How data is exchanged.
    Kind,
    /// Kind of core that runs them: TensorCore or SparseCore of a TPU, GPU, or CPU.
    Core,
}
