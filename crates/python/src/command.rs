//! The `stepscope` command.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::released::released;

/// Runs the command line, program name first, and returns its exit code.
#[pyfunction]
#[pyo3(text_signature = "(arguments)")]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> i32 {
    released(py, || stepscope_cli::run(arguments))
}
