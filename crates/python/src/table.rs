//! A table of a report, and the way of its columns to pandas, Polars, DuckDB and PyArrow.
//!
//! Columns leave by the Arrow PyCapsule interface: whoever imports them shares our memory.

use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use stepscope_analysis::cell::to_csv;
use stepscope_analysis::{Cell, Column, Unit};
use stepscope_cli::render::{self, Extent};

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
        py.detach(|| render::table_text(&self.0, Extent { width, rows }))
    }

    /// The first rows as an HTML fragment.
    fn html(&self, py: Python<'_>, rows: usize) -> String {
        py.detach(|| render::table_html(&self.0, Extent { width: 0, rows }))
    }

    fn _repr_html_(&self, py: Python<'_>) -> String {
        self.html(py, ROWS_IN_NOTEBOOK)
    }

    /// CSV by RFC 4180: keys in the first line, figures in the units of their keys.
    fn to_csv(&self, py: Python<'_>) -> String {
        py.detach(|| to_csv(&self.0))
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
        let batch = py.detach(|| batch(&self.0)).map_err(arrow_error)?;
        let schema = batch.schema();
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of map_err")]
fn arrow_error(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(format!("the table is not what Arrow takes: {error}"))
}

fn schema(table: &stepscope_analysis::Table) -> SchemaRef {
    let fields: Vec<Field> = table.columns.iter().map(field).collect();
    let metadata = [("stepscope.table", table.key), ("title", &table.title)];
    let metadata: HashMap<String, String> = metadata
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    Arc::new(Schema::new_with_metadata(fields, metadata))
}

/// The type depends on the column alone, so that every answer of an analysis has the same schema.
fn field(column: &Column) -> Field {
    let kind = match column.unit {
        Unit::Text => DataType::Utf8,
        Unit::Flag => DataType::Boolean,
        _ if column.is_fractional => DataType::Float64,
        _ => DataType::Int64,
    };
    let header = [("header".to_owned(), column.header.to_owned())];
    Field::new(column.key, kind, true).with_metadata(header.into())
}

fn batch(table: &stepscope_analysis::Table) -> Result<RecordBatch, ArrowError> {
    let schema = schema(table);
    let mut arrays = Vec::with_capacity(schema.fields().len());
    for (index, field) in schema.fields().iter().enumerate() {
        let cells = table.rows.iter().map(|row| row.get(index));
        arrays.push(array(field.data_type(), cells).map_err(|cell| {
            let (name, kind) = (field.name(), field.data_type());
            ArrowError::CastError(format!("{name} is declared {kind} and holds {cell:?}"))
        })?);
    }
    RecordBatch::try_new(schema, arrays)
}

/// A column's cells. Fails with a cell that is of another kind: nothing is rounded or dropped.
fn array<'a>(
    kind: &DataType,
    cells: impl Iterator<Item = Option<&'a Cell>>,
) -> Result<ArrayRef, Cell> {
    let cells = cells.map(|cell| cell.filter(|cell| **cell != Cell::Missing));
    Ok(match kind {
        DataType::Utf8 => Arc::new(collect::<StringArray, _>(cells, |cell| match cell {
            Cell::Text(text) => Some(text.as_str()),
            _ => None,
        })?),
        DataType::Boolean => Arc::new(collect::<BooleanArray, _>(cells, |cell| match cell {
            Cell::Flag(value) => Some(*value),
            _ => None,
        })?),
        DataType::Float64 => Arc::new(collect::<Float64Array, _>(cells, |cell| match cell {
            Cell::Float(value) => Some(*value),
            _ => None,
        })?),
        _ => Arc::new(collect::<Int64Array, _>(cells, |cell| match cell {
            Cell::Int(value) => Some(*value),
            _ => None,
        })?),
    })
}

fn collect<'a, A: FromIterator<Option<V>>, V>(
    cells: impl Iterator<Item = Option<&'a Cell>>,
    value: impl Fn(&'a Cell) -> Option<V>,
) -> Result<A, Cell> {
    let value = |cell: Option<&'a Cell>| match cell {
        None => Ok(None),
        Some(cell) => value(cell).map(Some).ok_or_else(|| cell.clone()),
    };
    cells.map(value).collect()
}
