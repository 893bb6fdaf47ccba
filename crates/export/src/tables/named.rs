//! A table of an analysis that becomes a file.

use stepscope_analysis::{Note, Table};

/// A table with its file name.
pub(super) struct NamedTable {
    /// File name without extension.
    pub(super) name: String,
    /// Its analysis.
    pub(super) analysis: &'static str,
    pub(super) table: Table,
    /// Notes of the analysis about its figures; only with its first table.
    pub(super) notes: Vec<Note>,
}
