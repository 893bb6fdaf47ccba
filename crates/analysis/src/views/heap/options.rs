//! Options of `heap`.

use super::amount::HeapBy;
use crate::asking::selection::Selection;
use clap::Args;

/// Options of [`Heap`].
#[derive(Debug, Clone, Default, Args)]
pub struct HeapOptions {
    /// Which part of the session. `--device` and `--match` (function or file, including folded
    /// frames) select samples. Steps, hosts and programs have no effect on a snapshot.
    #[command(flatten)]
    pub selection: Selection,
    /// Allocations of this kind: `buffer` or `executable`
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
    /// Rank rows and compute shares by bytes or by number of allocations
    #[arg(long, value_name = "MEASURE", value_enum, default_value_t = HeapBy::Bytes)]
    pub by: HeapBy,
    /// Snapshot to show: name, number, first, previous or last (default: last)
    #[arg(long, value_name = "SNAPSHOT")]
    pub snapshot: Option<String>,
    /// Compare with this earlier snapshot; on the command line, also the path of a memory profile
    #[arg(long, value_name = "SNAPSHOT")]
    pub against: Option<String>,
    /// Also show frames of JAX, libraries and Python
    #[arg(long)]
    pub internal: bool,
}
