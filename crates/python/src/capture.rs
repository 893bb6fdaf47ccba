//! `stepscope.capture`: records running jobs while Python waits, and reacts to Ctrl-C.

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;
use stepscope_capture::{
    Cancel, CaptureError, HostOutcome, NoProgress, OptionValue, Outcome, Request, TracerLevels,
};

use crate::errors::Problem;

/// How often to check whether Ctrl-C was pressed.
const SIGNALS: Duration = Duration::from_millis(100);

/// The result of one host: address, path, size in bytes, recorded nothing, error, hint.
type Host = (
    String,
    Option<PathBuf>,
    Option<u64>,
    bool,
    Option<String>,
    String,
);

/// The value of a profiler option. In Python a bool is also an int, so it comes first.
#[derive(FromPyObject)]
pub(crate) enum Value {
    /// `bool`.
    Truth(bool),
    /// `int`.
    Number(i64),
    /// `str`.
    Text(String),
}

/// What to capture; `stepscope.on_demand` has the names and meanings.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    addresses: Vec<String>,
    logdir: PathBuf,
    duration_seconds: f64,
    name: Option<String>,
    tracer_levels: (u32, u32, u32),
    options: Vec<(String, Value)>,
    start_delay_seconds: Option<f64>,
    busy_wait_seconds: f64,
    connect_timeout_seconds: f64,
    reply_timeout_seconds: f64,
}

/// Captures. Returns the session's ID and folder, the status, whether it was ended early, and the
/// result of each host. Ctrl-C ends the capture early, keeps what arrived, and is raised
/// afterwards.
#[pyfunction]
#[pyo3(text_signature = "(wanted)")]
pub(crate) fn capture(
    py: Python<'_>,
    wanted: Wanted,
) -> PyResult<(String, PathBuf, &'static str, bool, Vec<Host>)> {
    let request = request(wanted).map_err(|error| raised(py, &error))?;
    let cancel = Cancel::new();
    let (send, receive) = channel();
    let worker_cancel = cancel.clone();
    let work = move || {
        // If this fails, nobody is waiting anymore.
        let _ = send.send(stepscope_capture::capture(
            &request,
            &NoProgress,
            &worker_cancel,
        ));
    };
    std::thread::Builder::new()
        .name("capture".to_owned())
        .spawn(work)?;
    let receive = std::sync::Mutex::new(receive);
    let mut interrupt = None;
    let captured = loop {
        let next = py.detach(|| {
            let receive = receive
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            receive.recv_timeout(SIGNALS)
        });
        match next {
            Ok(captured) => break captured,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(crate::errors::panic(py, "the capture", &"its thread ended"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = py.check_signals() {
            if interrupt.is_some() {
                cancel.abort();
            }
            cancel.finish();
            interrupt = Some(error);
        }
    };
    if let Some(interrupt) = interrupt {
        return Err(interrupt);
    }
    let outcome = captured.map_err(|error| raised(py, &error))?;
    Ok(told(&outcome))
}

fn request(wanted: Wanted) -> Result<Request, CaptureError> {
    let seconds = |seconds: f64| {
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| CaptureError::Setting(format!("{seconds} is not a number of seconds")))
    };
    let (host, device, python) = wanted.tracer_levels;
    let options = wanted.options.into_iter().map(|(key, value)| {
        let value = match value {
            Value::Truth(value) => OptionValue::Truth(value),
            Value::Number(value) => OptionValue::Number(value),
            Value::Text(value) => OptionValue::Text(value),
        };
        (key, value)
    });
    let request = Request {
        duration: seconds(wanted.duration_seconds)?,
        name: wanted.name,
        tracers: TracerLevels {
            host,
            device,
            python,
        },
        options: options.collect(),
        start_delay: wanted.start_delay_seconds.map(seconds).transpose()?,
        busy_wait: seconds(wanted.busy_wait_seconds)?,
        connect_timeout: seconds(wanted.connect_timeout_seconds)?,
        reply_timeout: seconds(wanted.reply_timeout_seconds)?,
        ..Request::new(&wanted.addresses, wanted.logdir)?
    };
    request.check()?;
    Ok(request)
}

/// An invalid request is a mistake of the caller; other errors come from the machine.
fn raised(py: Python<'_>, error: &CaptureError) -> PyErr {
    let class = match error {
        CaptureError::NoAddress | CaptureError::Address { .. } | CaptureError::Setting(_) => {
            "OnDemandOptionsError"
        }
        _ => "OnDemandError",
    };
    let mut problem = Problem::new(class, error.to_string());
    if !error.hint().is_empty() {
        problem = problem.hint(error.hint());
    }
    problem.raise(py)
}

fn told(outcome: &Outcome) -> (String, PathBuf, &'static str, bool, Vec<Host>) {
    let hosts = outcome.hosts.iter().map(host).collect();
    let status = outcome.status().name();
    let (id, folder) = (outcome.session_id.clone(), outcome.folder.clone());
    (id, folder, status, outcome.was_ended_early, hosts)
}

fn host(host: &HostOutcome) -> Host {
    let (file, failure) = (host.file(), host.failure());
    (
        host.address.to_string(),
        file.map(|file| file.path.clone()),
        file.map(|file| file.size_bytes),
        file.is_some_and(|file| file.is_empty),
        failure.map(ToString::to_string),
        failure
            .map(|failure| failure.hint().to_owned())
            .unwrap_or_default(),
    )
}
