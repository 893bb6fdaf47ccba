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
    /// What the levels above ops are
    #[arg(long, value_name = "KEY", value_enum, default_value_t = TreeBy::Program)]
    pub by: TreeBy,
    /// Whether idle time of devices is part of the tree
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Choice::Include)]
    pub idle: Choice,
    /// Whether the instructions of a fusion stand beneath it
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Choice::Include)]
    pub fused: Choice,
    /// At most this many levels
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
}

/// What the levels above ops are.
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
