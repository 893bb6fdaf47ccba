//! Options of `scopes`.

use crate::asking::selection::Selection;
use clap::{Args, ValueEnum};

/// Options of [`Scopes`].
#[derive(Debug, Clone, Default, Args)]
pub struct ScopesOptions {
    /// Which part of the session.
    #[command(flatten)]
    pub selection: Selection,
    /// Tree by JAX name stack, or by source file and line
    #[arg(long, value_name = "KEY", value_enum, default_value_t = ScopeBy::Scope)]
    pub by: ScopeBy,
    /// Maximum number of levels; time below is counted at the last level shown
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
    /// Divide the time of combined ops over the paths they serve (an estimate): by operand bytes if
    /// these distinguish the paths, otherwise equally
    #[arg(long)]
    pub split_combined: bool,
}

/// What the tree is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ScopeBy {
    /// JAX name stack.
    #[default]
    Scope,
    /// Source file and line.
    Source,
}
