//! A session: found, opened, decoded, analyzed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use stepscope_analysis::asking::NamedText;
use stepscope_analysis::{ANALYSES, AnalysisError, COMPARISONS, Compared, find, find_comparison};
use stepscope_cli::exporting;
use stepscope_export::SliceQuery;
use stepscope_model::{Reads, Warning};
use stepscope_storage::{
    Found, HostFile, NoProgress, OpenSessionError, SessionFiles, StorageError, open_bytes,
    open_session, session_of,
};

use crate::answer::Answer;
use crate::errors::{self, Problem};
use crate::released::released;
use crate::slices::Slices;
use crate::words;

/// One capture over all its hosts, decoded. It is immutable and may be used from any thread.
#[pyclass(frozen, module = "stepscope._stepscope")]
pub(crate) struct Session {
    model: Arc<stepscope_model::Session>,
    /// `None` if it was opened from bytes.
    path: Option<PathBuf>,
    /// Manifest files next to its profiles, each of a host.
    manifests: Vec<HostFile>,
}

/// Why there is no session.
pub(crate) enum Refused {
    Storage(StorageError),
    NoSuchSession(String),
    Open(OpenSessionError),
}

impl Refused {
    fn raise(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Storage(error) | Self::Open(OpenSessionError::Unread(error)) => {
                errors::storage(py, &error)
            }
            Self::Open(error) => errors::opening(py, &error),
            Self::NoSuchSession(message) => Problem::new("NoSuchSessionError", message)
                .hint(
                    "give a name, a unique part of a name, or a number; stepscope.sessions(path) \
                    lists them",
                )
                .raise(py),
        }
    }
}

impl Session {
    /// The decoded session.
    pub(crate) fn model(&self) -> Arc<stepscope_model::Session> {
        Arc::clone(&self.model)
    }
}

#[pymethods]
impl Session {
    /// Opens the requested session at a path; the newest if none is requested.
    #[staticmethod]
    #[pyo3(signature = (path, session=None))]
    fn open(py: Python<'_>, path: PathBuf, session: Option<String>) -> PyResult<Self> {
        let opened = released(py, || {
            catch_unwind(AssertUnwindSafe(|| open_at(&path, session.as_deref())))
        });
        match opened {
            Ok(opened) => opened.map_err(|refused| refused.raise(py)),
            Err(payload) => Err(errors::panic(py, "opening the session", payload.as_ref())),
        }
    }

    /// Opens the bytes of one file.
    #[staticmethod]
    fn open_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let data = data.to_vec();
        let opened = released(py, || {
            catch_unwind(AssertUnwindSafe(move || from_bytes(data)))
        });
        match opened {
            Ok(opened) => opened.map_err(|refused| refused.raise(py)),
            Err(payload) => Err(errors::panic(py, "opening the bytes", payload.as_ref())),
        }
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.model.name
    }

    /// The run directory or the file; `None` if it was opened from bytes.
    #[getter]
    fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Names of its hosts.
    #[getter]
    fn hosts(&self) -> Vec<&str> {
        let hosts = self.model.hosts.iter();
        hosts.map(|host| host.name.as_str()).collect()
    }

    /// Names of its devices.
    #[getter]
    fn devices(&self) -> Vec<String> {
        let devices = self.model.device_ids();
        devices.map(|id| self.model.device_title(id)).collect()
    }

    /// Numbers of its steps.
    #[getter]
    fn step_numbers(&self) -> Vec<i64> {
        self.model.steps.iter().map(|step| step.number).collect()
    }

    /// Name of the analysis that sums up what the session contains.
    #[getter]
    fn main_analysis(&self) -> &'static str {
        if self.model.is_memory_only() {
            "heap"
        } else if self.model.is_program_only() {
            "buffers"
        } else {
            "overview"
        }
    }

    /// Kind, host, message and hint of what was wrong with the files and what was repaired.
    #[getter]
    fn warnings(&self) -> Vec<(&'static str, &str, &str, &str)> {
        let warnings = self.model.warnings.iter();
        warnings
            .map(|warning| {
                let Warning {
                    host,
                    message,
                    hint,
                    ..
                } = warning;
                (
                    warning.kind.name(),
                    host.as_str(),
                    message.as_str(),
                    hint.as_str(),
                )
            })
            .collect()
    }

    /// Host and text of each readable manifest next to its profiles.
    fn manifests(&self, py: Python<'_>) -> Vec<(String, String)> {
        released(py, || {
            let texts = self.manifests.iter().filter_map(|file| {
                let bytes = stepscope_storage::open(file, &NoProgress).ok()?;
                let text = String::from_utf8_lossy(bytes.as_ref()).into_owned();
                Some((file.host.clone(), text))
            });
            texts.collect()
        })
    }

    /// The slices selected by options (names and values): those of a selection, and `track`,
    /// `kind`, `class`.
    fn slices(&self, py: Python<'_>, options: Vec<(String, String)>) -> PyResult<Slices> {
        let made = released(py, || {
            let query = SliceQuery::of_pairs(&options)?;
            stepscope_export::Slices::new(Arc::clone(&self.model), &query)
        });
        let slices = made.map_err(|error| errors::analysis(py, &error, "slices", &options))?;
        Ok(Slices::new(Arc::new(slices)))
    }

    /// Writes the selected part in the formats with these names; returns the size of each file.
    fn export(
        &self,
        py: Python<'_>,
        files: Vec<(String, PathBuf)>,
        options: Vec<(String, String)>,
        redact: bool,
        redact_key: Option<String>,
        max_bytes: Option<u64>,
    ) -> PyResult<Vec<(String, u64)>> {
        let session = &self.model;
        let sharing = exporting::Sharing {
            is_redacted: redact,
            redact_key,
            most_bytes: max_bytes,
        };
        let written = released(py, || {
            let write = || exporting::export(session, &options, &files, &sharing);
            catch_unwind(AssertUnwindSafe(write))
        });
        match written {
            Ok(written) => written.map_err(|refusal| refused(py, refusal, &options)),
            Err(payload) => Err(errors::panic(py, "the export", payload.as_ref())),
        }
    }

    /// Offers the selected part to ui.perfetto.dev on a separate thread, until it was fetched or
    /// the timeout has passed. Returns the link.
    fn perfetto(
        &self,
        py: Python<'_>,
        seconds: f64,
        port: u16,
        options: Vec<(String, String)>,
    ) -> PyResult<String> {
        let session = &self.model;
        let timeout = Duration::try_from_secs_f64(seconds).map_err(|_| {
            Problem::new("OptionsError", "timeout= must be a number of seconds").raise(py)
        })?;
        let offer = released(py, || exporting::offer(session, &options, port));
        let offer = offer.map_err(|refusal| refused(py, refusal, &options))?;
        let link = offer.link().to_owned();
        // Nobody joins it: it ends by itself, or with the process.
        std::thread::spawn(move || offer.serve(timeout));
        Ok(link)
    }

    /// Runs an analysis by name or alias, with options as name and value: `("steps", "3..8")`.
    fn run(&self, py: Python<'_>, name: &str, options: Vec<(String, String)>) -> PyResult<Answer> {
        let entry = find(name).ok_or_else(|| {
            let names: Vec<&str> = ANALYSES.iter().map(|entry| entry.name).collect();
            Problem::new("NoSuchAnalysisError", format!("unknown analysis {name:?}"))
                .hint(format!("available: {}", names.join(", ")))
                .raise(py)
        })?;
        let pairs = || {
            options
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
        };
        let answer = released(py, || {
            catch_unwind(AssertUnwindSafe(|| entry.run_pairs(&self.model, pairs())))
        });
        told(py, answer, entry.name, &options)
    }
}

/// Every session at a path, in the order of their names, and names and texts of the benchmarks
/// there.
type Everything = (Vec<Session>, Vec<(String, String)>);

/// Opens every session at a path; a JSON file is a benchmark.
#[pyfunction]
pub(crate) fn every_session(py: Python<'_>, path: PathBuf) -> PyResult<Everything> {
    let opened = released(py, || {
        catch_unwind(AssertUnwindSafe(|| everything_at(&path)))
    });
    match opened {
        Ok(opened) => opened.map_err(|refused| refused.raise(py)),
        Err(payload) => Err(errors::panic(py, "opening the sessions", payload.as_ref())),
    }
}

fn everything_at(path: &Path) -> Result<Everything, Refused> {
    let files = stepscope_storage::benchmarks_at(path);
    let files = files.into_iter().map(|file| (file.name, file.text));
    let files: Vec<(String, String)> = files.collect();
    // A history is JSON as well, and not a trace.
    if path.is_file() && !files.is_empty() {
        return Ok((Vec::new(), files));
    }
    let found = match stepscope_storage::find(path) {
        Ok(found) => found,
        Err(_) if !files.is_empty() => return Ok((Vec::new(), files)),
        Err(error) => return Err(Refused::Storage(error)),
    };
    let sessions = found.sessions.iter().map(|files| opened(&found, files));
    Ok((sessions.collect::<Result<Vec<Session>, Refused>>()?, files))
}

/// The settings of a `stepscope.toml`, the nearest one if none is named, as JSON.
#[pyfunction]
#[pyo3(signature = (path=None, target=None))]
pub(crate) fn gate_settings(
    py: Python<'_>,
    path: Option<PathBuf>,
    target: Option<&str>,
) -> PyResult<String> {
    let settings = stepscope_cli::gate_settings(path.as_deref(), target);
    let settings = settings.map_err(|refusal| {
        Problem::new("OptionsError", words::in_python(&refusal.message, &[]))
            .hint(words::in_python(&refusal.hint, &[]))
            .raise(py)
    })?;
    Ok(settings.to_string())
}

/// Runs a comparison of sessions, the baseline first, with options as name and value; `files` are
/// names and texts of files that are not sessions.
#[pyfunction]
#[pyo3(signature = (name, sessions, options, files=Vec::new()))]
pub(crate) fn compare(
    py: Python<'_>,
    name: &str,
    sessions: Vec<Py<Session>>,
    options: Vec<(String, String)>,
    files: Vec<(String, String)>,
) -> PyResult<Answer> {
    let entry = find_comparison(name).ok_or_else(|| {
        let names: Vec<&str> = COMPARISONS.iter().map(|entry| entry.name).collect();
        let message = format!("unknown comparison {name:?}");
        Problem::new("NoSuchAnalysisError", message)
            .hint(format!("available: {}", names.join(", ")))
            .raise(py)
    })?;
    let places: Vec<String> = sessions
        .iter()
        .map(|one| match &one.get().path {
            Some(path) => stepscope_storage::shown(path),
            None => one.get().name().to_owned(),
        })
        .collect();
    let named = sessions.iter().zip(&places);
    let told_apart = entry.names(named.map(|(one, place)| (one.get().name(), place.as_str())));
    let compared: Vec<Compared<'_>> = told_apart
        .iter()
        .zip(&sessions)
        .map(|(name, one)| Compared {
            name,
            session: &one.get().model,
        })
        .collect();
    let pairs = || {
        options
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    };
    let files: Vec<NamedText> = files
        .into_iter()
        .map(|(name, text)| NamedText { name, text })
        .collect();
    let answer = released(py, || {
        catch_unwind(AssertUnwindSafe(|| {
            entry.run_pairs_with_files(&compared, files, pairs())
        }))
    });
    told(py, answer, entry.name, &options)
}

/// The result of a question, for Python.
fn told(
    py: Python<'_>,
    answer: std::thread::Result<Result<stepscope_analysis::Answer, AnalysisError>>,
    name: &str,
    options: &[(String, String)],
) -> PyResult<Answer> {
    match answer {
        Ok(answer) => answer
            .map(Answer::new)
            .map_err(|error| errors::analysis(py, &error, name, options)),
        Err(payload) => Err(errors::panic(py, &format!("{name}()"), payload.as_ref())),
    }
}

fn refused(py: Python<'_>, refusal: exporting::Refusal, options: &[(String, String)]) -> PyErr {
    let class = if refusal.is_usage {
        "OptionsError"
    } else {
        "ExportError"
    };
    Problem::new(class, words::in_python(&refusal.message, options))
        .hint(words::in_python(&refusal.hint, options))
        .raise(py)
}

fn open_at(path: &Path, wanted: Option<&str>) -> Result<Session, Refused> {
    let found = stepscope_storage::find(path).map_err(Refused::Storage)?;
    let files = match wanted {
        Some(wanted) => found
            .pick(wanted)
            .ok_or_else(|| Refused::NoSuchSession(not_one(&found, wanted)))?,
        None => found
            .newest()
            .ok_or_else(|| Refused::NoSuchSession("no session was found".to_owned()))?,
    };
    opened(&found, files)
}

fn opened(found: &Found, files: &SessionFiles) -> Result<Session, Refused> {
    Ok(Session {
        model: Arc::new(open_files(files)?),
        path: Some(found.path_of(files)),
        manifests: files.manifests.clone(),
    })
}

/// Name of files that were given as bytes.
const IN_MEMORY: &str = "in-memory";

fn from_bytes(data: Vec<u8>) -> Result<Session, Refused> {
    let opened = open_bytes(IN_MEMORY, Arc::new(data)).map_err(Refused::Storage)?;
    let opened = session_of(IN_MEMORY, IN_MEMORY, opened).map_err(Refused::Open)?;
    Ok(Session {
        model: Arc::new(opened.session),
        path: None,
        manifests: Vec::new(),
    })
}

fn not_one(found: &Found, wanted: &str) -> String {
    const SHOWN: usize = 12;
    let sessions = found.newest_first();
    let names = sessions
        .iter()
        .take(SHOWN)
        .map(|session| session.name.as_str());
    let more = if sessions.len() > SHOWN { ", …" } else { "" };
    let names: Vec<&str> = names.collect();
    format!(
        "{wanted:?} does not match exactly one session; available: {}{more}",
        names.join(", ")
    )
}

/// Opens all files. Files that cannot be read become warnings, as long as one can be read.
pub(crate) fn open_files(files: &SessionFiles) -> Result<stepscope_model::Session, Refused> {
    let opened = open_session(files, Reads::Everything, |_| NoProgress);
    Ok(opened.map_err(Refused::Open)?.session)
}
