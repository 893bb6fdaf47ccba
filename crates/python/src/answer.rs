//! A report whose type is determined in Python: JSON, CSV, text, HTML, tables.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use stepscope_analysis::Note;
use stepscope_cli::render::{self, Extent};

use crate::errors;
use crate::released::released;
use crate::table::Table;

/// The answer of an analysis.
#[pyclass(frozen, module = "stepscope._stepscope")]
pub(crate) struct Answer {
    // Reports may be sent to another thread but not shared; the interpreter shares its objects.
    answer: Mutex<stepscope_analysis::Answer>,
}

impl Answer {
    pub(crate) fn new(answer: stepscope_analysis::Answer) -> Self {
        Self {
            answer: Mutex::new(answer),
        }
    }

    /// Locked only while the interpreter is released, so that no two threads deadlock.
    fn locked(&self) -> MutexGuard<'_, stepscope_analysis::Answer> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Answer {
    /// The report as JSON text, as with `--json` and over HTTP.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        released(py, || self.locked().json_text())
            .map_err(|error| errors::analysis(py, &error, "", &[]))
    }

    /// The report as tables, main table first.
    fn tables(&self, py: Python<'_>) -> Vec<Table> {
        let tables = released(py, || self.locked().tables());
        tables.into_iter().map(Table::new).collect()
    }

    /// Kind (`warning` or `info`), text and hint of each note.
    fn notes(&self, py: Python<'_>) -> Vec<(&'static str, String, String)> {
        let kind = |note: &Note| match note.kind {
            stepscope_analysis::NoteKind::Warning => "warning",
            stepscope_analysis::NoteKind::Info => "info",
        };
        released(py, || {
            let answer = self.locked();
            let notes = answer.notes().iter();
            notes
                .map(|note| (kind(note), note.text.clone(), note.hint.clone()))
                .collect()
        })
    }

    /// The headline, the first rows of the main table and the notes as plain text.
    fn text(&self, py: Python<'_>, rows: usize, width: usize) -> String {
        released(py, || render::text(&self.locked(), Extent { width, rows }))
    }

    /// The same as an HTML fragment.
    fn html(&self, py: Python<'_>, rows: usize) -> String {
        let extent = Extent { width: 0, rows };
        released(py, || render::html(&self.locked(), extent))
    }
}
