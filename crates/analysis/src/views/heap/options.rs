//! Options of `heap`.

use super::amount::HeapBy;
use crate::asking::selection::Selection;
use clap::Args;

/// Options of [`Heap`].
#[derive(Debug, Clone, Default, Args)]
pub struct HeapOptions {
    /// Which part of the session. `--device` and `--match` (function or file, folded frames
    /// included) choose samples; steps, hosts and programs have no meaning for a moment.
    #[command(flatten)]
    pub selection: Selection,
    /// Allocations of this kind: `buffer` or `executable`
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
    /// Rank and share by bytes or by number of allocations
    #[arg(long, value_name = "MEASURE", value_enum, default_value_t = HeapBy::Bytes)]
    pub by: HeapBy,
    /// Which snapshot: name, number, first, previous or last; the last if not given
    #[arg(long, value_name = "SNAPSHOT")]
    pub snapshot: Option<String>,
    /// Compare with this earlier snapshot; on the command line also a memory profile's path
    #[arg(long, value_name = "SNAPSHOT")]
    pub against: Option<String>,
    /// Show frames of JAX, of libraries and of Python too
    #[arg(long)]
    pub internal: bool,
}
