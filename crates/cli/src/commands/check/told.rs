//! What the formats of a result are written from.

use stepscope_analysis::comparing::check::CheckReport;

use super::place::Places;

/// A result, and what formats add to it.
pub(super) struct Told<'a> {
    pub(super) report: &'a CheckReport,
    /// The command line that reproduces it.
    pub(super) command: String,
    pub(super) places: Places<'a>,
}
