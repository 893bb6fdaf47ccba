//! A table of a report, and the way of its columns to pandas, Polars, DuckDB and PyArrow.
//!
//! Columns leave by the Arrow PyCapsule interface: whoever imports them shares our memory.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::RecordBatchIterator;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::ArrowError;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use stepscope_analysis::cell::to_csv;
use stepscope_cli::render::{self, Extent};
use stepscope_export::arrow::{batch, schema};

use crate::released::released;

/// As many rows of a table as a notebook shows.
const ROWS_IN_NOTEBOOK: usize = 50;

/// Names that the interface gives its capsules.
const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";

/// One table of a report: rows under columns that carry their unit in their names.
#[pyclass(frozen, module = "stepscope._stepscope")]
pub(crate) struct Table(Arc<stepscope_analysis::Table>);

impl Table {
    pub(crate) fn new(table: stepscope_analysis::Table) -> Self {
        Self(Arc::new(table))
    }
}

#[pymethods]
impl Table {
    /// Key within the report, such as `rows`.
    #[getter]
    fn key(&self) -> &'static str {
        self.0.key
    }

    /// Title in words.
    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    /// Keys of the columns, in order.
    #[getter]
    fn columns(&self) -> Vec<&'static str> {
        self.0.columns.iter().map(|column| column.key).collect()
    }

    /// Rows before a limit.
    #[getter]
    fn row_count(&self) -> usize {
        self.0.row_count
    }

    fn __len__(&self) -> usize {
        self.0.rows.len()
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = (self.0.rows.len(), self.0.columns.len());
        format!("<Table {:?}: {rows} rows, {columns} columns>", self.0.key)
    }

    /// The first rows as plain text.
    fn text(&self, py: Python<'_>, rows: usize, width: usize) -> String {
        released(py, || render::table_text(&self.0, Extent { width, rows }))
    }

    /// The first rows as an HTML fragment.
    fn html(&self, py: Python<'_>, rows: usize) -> String {
        released(py, || {
            render::table_html(&self.0, Extent { width: 0, rows })
        })
    }

    fn _repr_html_(&self, py: Python<'_>) -> String {
        self.html(py, ROWS_IN_NOTEBOOK)
    }

    /// CSV by RFC 4180: keys in the first line, figures in the units of their keys.
    fn to_csv(&self, py: Python<'_>) -> String {
        released(py, || to_csv(&self.0))
    }

    /// The schema for consumers that ask for it first.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(schema(&self.0).as_ref()).map_err(arrow_error)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    /// The rows as one batch. A requested schema is a wish, and this gives what it has.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batch = released(py, || batch(&self.0)).map_err(arrow_error)?;
        let schema = batch.schema();
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of map_err")]
fn arrow_error(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(format!("the table is not what Arrow takes: {error}"))
}
