//! Analyses: pure functions from a [`Session`](stepscope_model::Session) to a typed report.
//!
//! One analysis is one folder: `report.rs` (what it answers), `mod.rs` (name, options, computation)
//! and its tests. [`registry::ANALYSES`] lists them all; from that one list come the CLI's
//! subcommands, the HTTP routes, the UI's menu and the docs check. Questions about several sessions
//! are folders like these, listed in [`registry::COMPARISONS`].
//!
//! Constraints: no files, no HTML, no terminal in here, and nothing below a report is serialisable.

pub mod activity;
pub mod attribution;
pub mod cell;
pub mod column;
pub(crate) mod communication;
pub mod format;
pub mod group;
pub mod interval;
mod launched_graphs;
pub mod note;
pub mod order;
pub(crate) mod pauses;
mod recording;
pub mod registry;
pub mod selection;
pub mod totals;
pub mod work;

pub mod overview;

pub mod advice;

pub mod verdict;

pub mod timeline;

pub mod regions;

pub mod steps;

pub mod ops;

pub mod op_tree;

pub mod scopes;

pub mod kernels;

pub mod roofline;

pub mod graph;

pub mod counters;

pub mod memory;

pub mod buffers;

pub mod heap;

pub mod idle;

pub mod input;

pub mod compile;

pub mod collectives;

pub mod hosts;

pub mod requests;

pub mod compare;

pub mod scaling;

pub mod check;

pub mod history;

pub use cell::{Adds, Better, Cell, CellRef, Column, Declared, Table, Unit};
pub use group::Group;
pub use note::{Note, NoteKind};
pub use registry::{
    ANALYSES, Analysis, AnalysisError, Answer, COMPARISONS, Compared, Comparison, ComparisonEntry,
    Declaration, Entry, find, find_comparison,
};
pub use selection::Selection;
