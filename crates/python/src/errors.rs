//! Errors of storage and analyses as Python exceptions, one class each.

use std::any::Any;
use std::path::Path;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stepscope_analysis::{AnalysisError, find};
use stepscope_model::ingest::IngestError;
use stepscope_storage::{OpenSessionError, RemoteErrorKind, StorageError};

use crate::words;

/// Where the classes are.
const MODULE: &str = "stepscope.engine_errors";

/// The contents of an exception.
pub(crate) struct Problem<'a> {
    /// The class in [`MODULE`].
    pub(crate) class: &'static str,
    /// A sentence.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// The path it is about.
    pub(crate) path: Option<&'a Path>,
    /// The system's error number.
    pub(crate) errno: Option<i32>,
}

impl Problem<'_> {
    pub(crate) fn new(class: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            class,
            message,
            hint: None,
            path: None,
            errno: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The exception. If the Python part of the package is missing, a plain `RuntimeError`.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        let made = || -> PyResult<PyErr> {
            let class = py.import(MODULE)?.getattr(self.class)?;
            let keywords = PyDict::new(py);
            keywords.set_item("hint", self.hint.as_deref())?;
            keywords.set_item("path", self.path)?;
            keywords.set_item("errno", self.errno)?;
            let exception = class.call((self.message.as_str(),), Some(&keywords))?;
            Ok(PyErr::from_value(exception))
        };
        made().unwrap_or_else(|_| PyRuntimeError::new_err(self.message.clone()))
    }
}

/// See the module.
pub(crate) fn storage(py: Python<'_>, error: &StorageError) -> PyErr {
    let class = match error {
        StorageError::NotFound { .. } => "PathNotFoundError",
        StorageError::NoProfiles { .. } => "NoProfilesError",
        StorageError::Io { source, .. } => match source.kind() {
            std::io::ErrorKind::PermissionDenied => "UnreadablePermissionError",
            _ => "UnreadableError",
        },
        StorageError::Remote { error, .. } => match error.kind {
            RemoteErrorKind::NotFound | RemoteErrorKind::NoBucket => "PathNotFoundError",
            RemoteErrorKind::Credentials | RemoteErrorKind::Refused => "UnreadablePermissionError",
            _ => "UnreadableError",
        },
        StorageError::Corrupt { .. } => "CorruptError",
        StorageError::NotATrace { .. } => "NotAProfileError",
        StorageError::TooLarge { .. } | StorageError::OverBudget { .. } => "TooLargeError",
        StorageError::Changed { .. } => "UnreadableError",
    };
    let errno = match error {
        StorageError::Io { source, .. } => source.raw_os_error(),
        _ => None,
    };
    let problem = Problem {
        class,
        message: error.to_string(),
        hint: error.hint(),
        path: Some(error.path()),
        errno,
    };
    problem.raise(py)
}

/// See the module.
pub(crate) fn opening(py: Python<'_>, error: &OpenSessionError) -> PyErr {
    let class = match error {
        OpenSessionError::Undecodable { error, .. } => match error {
            IngestError::NoInput => "NoProfilesError",
            IngestError::NotAMemoryProfile { .. } => "NotAMemoryProfileError",
            _ => "NotAProfileError",
        },
        OpenSessionError::Unread(_) | OpenSessionError::NoHosts => "NoProfilesError",
    };
    let mut problem = Problem::new(class, error.to_string()).hint(error.hint());
    if let OpenSessionError::Undecodable { file, .. } = error {
        problem.path = Some(Path::new(file));
    }
    problem.raise(py)
}

/// See the module. `name` is the question, `options` its options.
pub(crate) fn analysis(
    py: Python<'_>,
    error: &AnalysisError,
    name: &str,
    options: &[(String, String)],
) -> PyErr {
    let of_one = match error {
        AnalysisError::OfSession { source, .. } => source,
        _ => error,
    };
    let class = match of_one {
        AnalysisError::Options(_) | AnalysisError::TooFewSessions { .. } => "OptionsError",
        AnalysisError::NothingSelected { .. } => "NothingSelectedError",
        AnalysisError::NoEvents { .. } | AnalysisError::NeverRan { .. } => "NoEventsError",
        _ => "AnalysisFailedError",
    };
    let mut problem = Problem::new(class, words::in_python(&error.to_string(), options));
    if matches!(of_one, AnalysisError::Options(_)) {
        let owner = if find(name).is_some() || name == "slices" {
            "stepscope.Session"
        } else {
            "stepscope"
        };
        problem = problem.hint(format!("help({owner}.{name}) lists its options"));
    }
    problem.raise(py)
}

/// A panic during `what`, as an exception that `except Exception` catches.
pub(crate) fn panic(py: Python<'_>, what: &str, payload: &(dyn Any + Send)) -> PyErr {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    let message = format!("{what} failed with an internal error: {text}");
    Problem::new("AnalysisFailedError", message)
        .hint("please report it, with the capture if possible")
        .raise(py)
}
