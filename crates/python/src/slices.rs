//! The slices of a session: as Arrow, as Python rows, and their number.

use std::sync::{Arc, Mutex, OnceLock, TryLockError};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use stepscope_analysis::{Cell, CellRef};
use stepscope_export::slices::{COLUMNS, NAME, Position, TITLE};

use crate::arrow::{ArrowStream, SharedSlices, Source};
use crate::errors::Problem;
use crate::released::released;
use crate::rows::tuple;
use crate::table::Table;

/// How many rows are created at a time for a Python loop.
const ROWS_AT_A_TIME: usize = 1024;

/// Slices selected by a query.
#[pyclass(frozen, module = "stepscope._stepscope")]
pub(crate) struct Slices {
    slices: SharedSlices,
    count: OnceLock<u64>,
}

impl Slices {
    pub(crate) fn new(slices: SharedSlices) -> Self {
        Self {
            slices,
            count: OnceLock::new(),
        }
    }

    fn count(&self) -> u64 {
        *self.count.get_or_init(|| self.slices.count())
    }
}

#[pymethods]
impl Slices {
    /// Keys of all columns, in order.
    #[staticmethod]
    fn columns() -> Vec<&'static str> {
        COLUMNS.iter().map(|column| column.key).collect()
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        let count = released(py, || self.count());
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    /// The columns with these names, or all if none are named, with times in a unit.
    #[pyo3(signature = (columns=None, units=None))]
    fn arrow(
        &self,
        py: Python<'_>,
        columns: Option<Vec<String>>,
        units: Option<&str>,
    ) -> PyResult<ArrowStream> {
        let columns = match columns {
            None => (0..COLUMNS.len()).collect(),
            Some(names) => positions(py, &names)?,
        };
        let slices = Arc::clone(&self.slices);
        ArrowStream::new(py, Source::Slices { slices, columns }, units)
    }

    /// The first rows as a table.
    fn head(&self, py: Python<'_>, rows: usize) -> Table {
        let table = released(py, || {
            let mut first: Vec<Vec<Cell>> = Vec::new();
            let mut position = Position::default();
            while first.len() < rows {
                let room = rows - first.len();
                let read: Result<bool, std::convert::Infallible> =
                    self.slices.read(&mut position, room, &mut |row| {
                        first.push(row.iter().map(owned).collect());
                        Ok(())
                    });
                if matches!(read, Ok(false)) {
                    break;
                }
            }
            let count = usize::try_from(self.count()).unwrap_or(usize::MAX);
            stepscope_analysis::Table::new(NAME, TITLE, COLUMNS, first).with_row_count(count)
        });
        Table::new(table)
    }

    /// Reads them row by row.
    fn reader(&self) -> SliceReader {
        SliceReader {
            slices: Arc::clone(&self.slices),
            position: Mutex::new(Position::default()),
        }
    }
}

/// Reads slices in chunks of rows.
#[pyclass(frozen, module = "stepscope._stepscope")]
pub(crate) struct SliceReader {
    slices: SharedSlices,
    position: Mutex<Position>,
}

#[pymethods]
impl SliceReader {
    /// The next rows, each a tuple of all columns; empty at the end.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        // Two threads that read from one reader take turns; neither waits here for the interpreter.
        let Ok(mut position) = self.position.try_lock().or_else(|error| match error {
            TryLockError::Poisoned(poisoned) => Ok(poisoned.into_inner()),
            TryLockError::WouldBlock => Err(()),
        }) else {
            let message = "another thread is reading from this iterator";
            return Err(Problem::new("OptionsError", message).raise(py));
        };
        let mut rows = Vec::new();
        while rows.is_empty() {
            let is_more = self
                .slices
                .read(&mut position, ROWS_AT_A_TIME, &mut |row| {
                    rows.push(tuple(py, row.iter().copied())?);
                    Ok::<(), PyErr>(())
                })?;
            if !is_more {
                break;
            }
        }
        Ok(rows)
    }
}

fn owned(cell: &CellRef<'_>) -> Cell {
    match *cell {
        CellRef::Text(text) => Cell::Text(text.to_owned()),
        CellRef::Int(value) => Cell::Int(value),
        CellRef::Float(value) => Cell::Float(value),
        CellRef::Flag(value) => Cell::Flag(value),
        CellRef::Missing => Cell::Missing,
    }
}

/// The positions of the columns with these names.
fn positions(py: Python<'_>, names: &[String]) -> PyResult<Vec<usize>> {
    let position = |name: &String| {
        let found = COLUMNS.iter().position(|column| column.key == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = COLUMNS.iter().map(|column| column.key).collect();
            let message = format!(
                "slices have no column {name:?}; available: {}",
                known.join(", ")
            );
            Problem::new("OptionsError", message).raise(py)
        })
    };
    names.iter().map(position).collect()
}
