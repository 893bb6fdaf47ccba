//! The long steps, and how much of one has to be explained.

use std::collections::BTreeSet;

pub(super) use crate::measuring::steps::EXPLAINS;

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
