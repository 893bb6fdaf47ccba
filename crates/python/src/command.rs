//! The `stepscope` command.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command line, program name first, and gives its exit code.
#[pyfunction]
#[pyo3(text_signature = "(arguments)")]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> i32 {
    py.detach(|| stepscope_cli::run(arguments))
}
