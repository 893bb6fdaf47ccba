//! Options of `graph`.

use crate::asking::selection::Selection;
use clap::{Args, ValueEnum};

/// Options of [`Graph`].
#[derive(Debug, Clone, Args)]
pub struct GraphOptions {
    /// Which part of the session. `--program` chooses the program (of several that match the one
    /// with most time), steps, devices and hosts the slices whose time is shown.
    #[command(flatten)]
    pub selection: Selection,
    /// Instruction in the middle; the one with most time if not given
    #[arg(long, value_name = "NAME")]
    pub op: Option<String>,
    /// Steps to go from there, over operands and users
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub radius: usize,
    /// Keep fusions closed, one node each
    #[arg(long)]
    pub merge_fusions: bool,
    /// At most this many nodes, the nearest
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub max_nodes: usize,
    /// Find instructions by a part of their name, opcode, scope or source (`model.py:12`)
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// Print HLO text instead: short, or long with sharding, metadata and configuration
    #[arg(long, value_name = "FORM", value_enum)]
    pub text: Option<Form>,
    /// Of what to print the text
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = What::Op)]
    pub of: What,
    /// Print the graph in Graphviz's language instead
    #[arg(long)]
    pub dot: bool,
    /// With `--dot`: nodes say their scope and source
    #[arg(long)]
    pub metadata: bool,
}

/// How much text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Operands, shapes with layouts, what the opcode needs.
    Short,
    /// And sharding, metadata, source, configuration of the backend.
    Long,
}

/// Of what to print text.
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
