//! The pages of a session without a port: their requests, answered by this process.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use stepscope_server::InProcess;

use crate::released::released;
use crate::session::Session;

/// Status, names and values of headers, body.
type Answered<'py> = (u16, Vec<(String, String)>, Bound<'py, PyBytes>);

/// The server's routes for one session, answered within this process.
#[pyclass(frozen, module = "stepscope._stepscope")]
pub(crate) struct Pages(InProcess);

#[pymethods]
impl Pages {
    #[new]
    fn new(session: &Session) -> PyResult<Self> {
        let pages = InProcess::new(session.model());
        pages.map(Self).map_err(|error| {
            PyRuntimeError::new_err(format!("cannot start the threads of the pages: {error}"))
        })
    }

    /// Key of the session in routes.
    #[getter]
    fn key(&self) -> &str {
        self.0.key()
    }

    /// Answers a request by its URL relative to the page, such as `api/sessions`.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        url: &str,
        body: Vec<u8>,
    ) -> PyResult<Answered<'py>> {
        let answered = released(py, || self.0.answer(method, url, body));
        let answered = answered.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let body = PyBytes::new(py, &answered.body);
        Ok((answered.status, answered.headers, body))
    }
}
