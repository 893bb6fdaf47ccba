//! Tables and slices for pandas, Polars, DuckDB, and PyArrow.
//!
//! Columns are exported through the Arrow PyCapsule interface: importers share our memory. Slices
//! are exported in batches, each created on request.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader as _};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use stepscope_export::arrow::{TextType, batch, schema};
use stepscope_export::{SliceBatches, Slices, TimeUnit};

use crate::errors::Problem;
use crate::released::released;

/// Names that the interface gives its capsules.
const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";

/// Slices of a session that stays open as long as somebody reads them.
pub(crate) type SharedSlices = Arc<Slices<Arc<stepscope_model::Session>>>;

/// Rows for Arrow consumers, with times in a unit. May be read any number of times.
#[pyclass(frozen, module = "stepscope._stepscope")]
pub(crate) struct ArrowStream {
    source: Source,
    unit: TimeUnit,
}

fn batches(
    slices: &SharedSlices,
    columns: &[usize],
) -> SliceBatches<Arc<stepscope_model::Session>> {
    SliceBatches::new(Arc::clone(slices), columns.to_vec(), TextType::Plain)
}

#[derive(Clone)]
pub(crate) enum Source {
    Table(Arc<stepscope_analysis::Table>),
    Slices {
        slices: SharedSlices,
        columns: Vec<usize>,
    },
}

impl ArrowStream {
    /// Rows with times in the unit with this name; picoseconds if `None`.
    pub(crate) fn new(py: Python<'_>, source: Source, units: Option<&str>) -> PyResult<Self> {
        let name = units.unwrap_or("ps");
        let unit = TimeUnit::named(name).ok_or_else(|| {
            let names = TimeUnit::ALL.map(|unit| format!("{:?}", unit.name));
            let message = format!(
                "units={name:?} does not exist; available: {}",
                names.join(", ")
            );
            Problem::new("OptionsError", message).raise(py)
        })?;
        Ok(Self { source, unit })
    }

    fn schema(&self) -> SchemaRef {
        self.unit.schema(match &self.source {
            Source::Table(table) => schema(table),
            Source::Slices { slices, columns } => batches(slices, columns).schema(),
        })
    }
}

#[pymethods]
impl ArrowStream {
    /// The schema, for consumers that request it first.
    pub(crate) fn __arrow_c_schema__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema().as_ref()).map_err(arrow_error)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    /// The rows. A requested schema is only a request; this returns its own.
    #[pyo3(signature = (requested_schema=None))]
    pub(crate) fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let stream = match &self.source {
            Source::Table(table) => {
                let batch = released(py, || batch(table)).map_err(arrow_error)?;
                self.stream([Ok(batch)])
            }
            Source::Slices { slices, columns } => self.stream(batches(slices, columns)),
        };
        PyCapsule::new_with_value(py, stream, STREAM)
    }
}

impl ArrowStream {
    fn stream<I>(&self, batches: I) -> FFI_ArrowArrayStream
    where
        I: IntoIterator<Item = Result<RecordBatch, ArrowError>, IntoIter: Send + 'static>,
    {
        let unit = self.unit;
        let converted = batches
            .into_iter()
            .map(move |batch| batch.and_then(|batch| unit.batch(batch)));
        let reader = RecordBatchIterator::new(converted, self.schema());
        FFI_ArrowArrayStream::new(Box::new(reader))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of map_err")]
pub(crate) fn arrow_error(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(format!("cannot convert the rows to Arrow: {error}"))
}
