//! The long steps, and how much of one has to be explained.

use std::collections::BTreeSet;

/// Work explains a long step if its time is at least this share of the excess over the median.
pub(super) const EXPLAINS: f64 = 1.0 / 3.0;
/// One op, a late participant, or a wait is what the excess is from this share on.
pub(super) const MOSTLY: f64 = 0.5;

/// Positions of the long steps in `Session::steps`.
pub(super) struct LongSteps {
    pub(super) long: BTreeSet<usize>,
    /// One of them.
    pub(super) typical: usize,
    /// What it takes beyond the median.
    pub(super) excess_ps: f64,
}
