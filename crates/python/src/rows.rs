//! Rows of tables as Python objects.

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use stepscope_analysis::CellRef;

/// Cells as a Python tuple.
pub(crate) fn tuple<'py, 'c>(
    py: Python<'py>,
    cells: impl Iterator<Item = CellRef<'c>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let cells: PyResult<Vec<Bound<'py, PyAny>>> = cells.map(|cell| object(py, cell)).collect();
    PyTuple::new(py, cells?)
}

fn object<'py>(py: Python<'py>, cell: CellRef<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match cell {
        CellRef::Text(text) => PyString::new(py, text).into_any(),
        CellRef::Int(value) => value.into_pyobject(py)?.into_any(),
        CellRef::Float(value) => value.into_pyobject(py)?.into_any(),
        CellRef::Flag(value) => value.into_pyobject(py)?.to_owned().into_any(),
        CellRef::Missing => py.None().into_bound(py),
    })
}
