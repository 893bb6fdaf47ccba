//! A table of a report.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use stepscope_analysis::Cell;
use stepscope_analysis::telling::csv::to_csv;
use stepscope_cli::render::{self, Extent};
use stepscope_export::arrow::table_of_stream;

use crate::arrow::{ArrowStream, Source, arrow_error};
use crate::released::released;
use crate::rows::tuple;

/// How many rows of a table a notebook shows.
const ROWS_IN_NOTEBOOK: usize = 50;

/// One table of a report: rows under columns whose names include their unit.
#[pyclass(frozen, module = "stepscope._stepscope")]
pub(crate) struct Table(Arc<stepscope_analysis::Table>);

impl Table {
    pub(crate) fn new(table: stepscope_analysis::Table) -> Self {
        Self(Arc::new(table))
    }
}

/// A table from an Arrow IPC stream; columns have the unit that their names end in.
#[pyfunction]
pub(crate) fn table_of_arrow(py: Python<'_>, data: &[u8]) -> PyResult<Table> {
    let table = released(py, || table_of_stream(data));
    table.map(Table::new).map_err(arrow_error)
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

    /// What each column is in a plot: `text`, `flag`, `position` or `figure`.
    #[getter]
    fn roles(&self) -> Vec<&'static str> {
        self.0.columns.iter().map(render::role).collect()
    }

    /// Titles of the columns, without units.
    #[getter]
    fn titles(&self) -> Vec<&'static str> {
        self.0.columns.iter().map(|column| column.header).collect()
    }

    /// Title with unit, and the first values, of columns of figures; columns that measure the same
    /// share a unit. `None` for an unknown column.
    fn axes(&self, keys: Vec<String>, rows: usize) -> Option<Vec<(String, Vec<Option<f64>>)>> {
        let axes = render::axes(&self.0, &keys, rows)?.into_iter();
        Some(axes.map(|axis| (axis.title, axis.values)).collect())
    }

    /// Number of rows before a limit.
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

    /// The rows, each a tuple of all columns.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let rows = self.0.rows.iter();
        rows.map(|row| tuple(py, row.iter().map(Cell::borrowed)))
            .collect()
    }

    /// CSV (RFC 4180): keys in the first line, figures in the units of their keys.
    fn to_csv(&self, py: Python<'_>) -> String {
        released(py, || to_csv(&self.0))
    }

    /// The rows for Arrow consumers, with times in a unit.
    #[pyo3(signature = (units=None))]
    fn arrow(&self, py: Python<'_>, units: Option<&str>) -> PyResult<ArrowStream> {
        ArrowStream::new(py, Source::Table(Arc::clone(&self.0)), units)
    }

    /// The schema, for consumers that request it first.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        self.arrow(py, None)?.__arrow_c_schema__(py)
    }

    /// The rows as one batch.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let stream = self.arrow(py, None)?;
        stream.__arrow_c_stream__(py, requested_schema)
    }

    /// A `pandas.DataFrame`; `units="ms"` gives times in milliseconds.
    #[pyo3(signature = (*, units=None))]
    fn to_pandas<'py>(&self, py: Python<'py>, units: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        self.frame(py, "to_pandas", units)
    }

    /// A `polars.DataFrame`; `units="ms"` gives times in milliseconds.
    #[pyo3(signature = (*, units=None))]
    fn to_polars<'py>(&self, py: Python<'py>, units: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        self.frame(py, "to_polars", units)
    }

    /// A `pyarrow.Table`; `units="ms"` gives times in milliseconds.
    #[pyo3(signature = (*, units=None))]
    fn to_arrow<'py>(&self, py: Python<'py>, units: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        self.frame(py, "to_arrow", units)
    }
}

impl Table {
    /// Calls a function of the Python package to convert the rows.
    fn frame<'py>(
        &self,
        py: Python<'py>,
        function: &str,
        units: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let stream = self.arrow(py, units)?;
        let frames = py.import("stepscope.frames")?;
        frames.call_method1(function, (stream,))
    }
}
