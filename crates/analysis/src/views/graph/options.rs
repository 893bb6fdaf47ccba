//! Options of `graph`.

use crate::asking::selection::Selection;
use clap::{Args, ValueEnum};

/// Options of [`Graph`].
#[derive(Debug, Clone, Args)]
pub struct GraphOptions {
    /// Which part of the session. `--program` selects the program (if several match, the one with the
    /// most time); steps, devices and hosts select the slices whose time is shown.
    #[command(flatten)]
    pub selection: Selection,
    /// Instruction in the center; default: the one with the most time
    #[arg(long, value_name = "NAME")]
    pub op: Option<String>,
    /// Maximum number of hops from the op, over operands and users
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub radius: usize,
    /// Keep fusions closed, one node each
    #[arg(long)]
    pub merge_fusions: bool,
    /// Maximum number of nodes, nearest first
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub max_nodes: usize,
    /// Find instructions by a part of their name, opcode, scope or source (`model.py:12`)
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// Print HLO text instead: short, or long with sharding, metadata and configuration
    #[arg(long, value_name = "FORM", value_enum)]
    pub text: Option<Form>,
    /// What to print as text
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = What::Op)]
    pub of: What,
    /// Print the graph in DOT (Graphviz) instead
    #[arg(long)]
    pub dot: bool,
    /// With `--dot`: show the scope and source of nodes
    #[arg(long)]
    pub metadata: bool,
}

/// How much text to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Operands, shapes with layouts, and attributes of the opcode.
    Short,
    /// Also sharding, metadata, source, and backend configuration.
    Long,
}

/// What to print as text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// The op alone.
    #[default]
    Op,
    /// The computation it belongs to.
    Computation,
    /// The computations it calls, such as the body of a fusion.
    Called,
    /// The whole program.
    Module,
}
