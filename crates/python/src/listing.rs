//! The list of sessions at a path.

use std::path::PathBuf;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use stepscope_catalog::Catalog;
use stepscope_server::{SessionList, list_sessions};
use stepscope_storage::{SessionFiles, StorageError, find};

use crate::errors;
use crate::released::released;
use crate::session::{Refused, open_files};
use crate::table::Table;

/// The sessions at a path, latest capture first, as JSON and as a table. Each is opened for its
/// devices, duration, and steps unless `quick`; remote ones only if already fetched, unless
/// `fetch`.
#[pyfunction]
#[pyo3(signature = (path, quick=false, fetch=false))]
pub(crate) fn sessions(
    py: Python<'_>,
    path: PathBuf,
    quick: bool,
    fetch: bool,
) -> PyResult<(String, Table)> {
    let is_opened = |files: &SessionFiles| !quick && (fetch || files.is_here());
    let list = || -> Result<SessionList, StorageError> {
        let found = find(&path)?;
        let known = Catalog::of_user().summaries();
        Ok(list_sessions(&path, &found, &known, |_, files| {
            is_opened(files).then(|| open_files(files).map_err(|refused| refused.to_string()))
        }))
    };
    let SessionList { report, times_ns } =
        released(py, list).map_err(|error| errors::storage(py, &error))?;
    let table = stepscope_cli::sessions_table(&report.sessions, &times_ns);
    let json = serde_json::to_string(&report).map_err(|error| {
        PyRuntimeError::new_err(format!(
            "cannot write the list as JSON: \
            {error}"
        ))
    })?;
    Ok((json, Table::new(table)))
}

impl std::fmt::Display for Refused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Storage(error) => error.fmt(formatter),
            Self::NoSuchSession(message) => formatter.write_str(message),
            Self::Open(error) => error.fmt(formatter),
        }
    }
}
