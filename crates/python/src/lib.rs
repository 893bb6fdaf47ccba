//! The extension module `stepscope._stepscope`: sessions, reports and tables for Python.
//!
//! ```text
//! python/stepscope/session.py   what people use: typed reports, keyword options
//!    │
//! _stepscope.Session  ── run(name, pairs) ──►  Answer  ── tables() ──►  Table
//!    storage + model        one list of analyses   JSON, CSV, text, HTML    Arrow (PyCapsule)
//! ```
//!
//! Constraints: nothing here computes or formats; the interpreter is released while work is done;
//! errors are the classes of `stepscope.engine_errors`, one for each error of storage and analyses.

#![expect(
    clippy::needless_pass_by_value,
    reason = "arguments come from the interpreter by value"
)]

mod answer;
mod arrow;
mod capture;
mod catalogue;
mod command;
mod errors;
mod listing;
mod pages;
mod released;
mod rows;
mod session;
mod slices;
mod table;
mod words;

use pyo3::prelude::*;

/// The engine of the Python package `stepscope`.
#[pymodule]
mod _stepscope {
    use super::{PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use super::answer::Answer;
    #[pymodule_export]
    use super::arrow::ArrowStream;
    #[pymodule_export]
    use super::capture::capture;
    #[pymodule_export]
    use super::catalogue::analyses;
    #[pymodule_export]
    use super::command::main;
    #[pymodule_export]
    use super::listing::sessions;
    #[pymodule_export]
    use super::pages::Pages;
    #[pymodule_export]
    use super::session::{Session, compare, every_session, gate_settings};
    #[pymodule_export]
    use super::slices::{SliceReader, Slices};
    #[pymodule_export]
    use super::table::{Table, table_of_arrow};

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, PyModule>) -> PyResult<()> {
        super::released::remember_process();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
