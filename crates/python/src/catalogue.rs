//! The list of analyses.

use pyo3::prelude::*;
use stepscope_analysis::ANALYSES;

/// Name and summary of every analysis, in the order of menus.
#[pyfunction]
pub(crate) fn analyses() -> Vec<(&'static str, &'static str)> {
    let all = ANALYSES.iter();
    all.map(|entry| (entry.name, entry.summary)).collect()
}
