//! Options of `op_tree`.

use crate::asking::selection::Selection;
use crate::views::roofline::Choice;
use clap::{Args, ValueEnum};

/// Options of [`OpTree`].
#[derive(Debug, Clone, Default, Args)]
pub struct OpTreeOptions {
    /// Which part of the session.
    #[command(flatten)]
    pub selection: Selection,
    /// How ops are grouped
    #[arg(long, value_name = "KEY", value_enum, default_value_t = TreeBy::Program)]
    pub by: TreeBy,
    /// Whether the tree includes idle time of devices
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Choice::Include)]
    pub idle: Choice,
    /// Whether the instructions of a fusion are listed below it
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Choice::Include)]
    pub fused: Choice,
    /// Maximum number of levels
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
}

/// How ops are grouped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TreeBy {
    /// Program, then category.
    #[default]
    Program,
    /// Category, over all programs.
    Category,
    /// JAX name stack.
    Scope,
}
