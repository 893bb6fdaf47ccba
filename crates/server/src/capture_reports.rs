//! What the page sends and gets about captures.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `GET api/capture`.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct CaptureSettings {
    /// The log directory that captures go to; empty where none is possible.
    pub logdir: String,
    /// Why no capture is possible; else empty.
    pub reason: String,
    /// Captures that are running.
    pub running: Vec<u32>,
}

/// The body of `POST api/capture`.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct CaptureRequest {
    /// `HOST:PORT` of each process, separated by commas.
    pub addresses: String,
    /// How long to record.
    pub duration_seconds: f64,
    /// A name that the session carries behind its time; may be empty.
    #[serde(default)]
    pub name: String,
    /// 0 off, 1 annotations, 2 also the runtime, 3 everything.
    #[serde(default = "host_tracer_level")]
    pub host_tracer_level: u32,
    /// 0 off, 1 on.
    #[serde(default = "device_tracer_level")]
    pub device_tracer_level: u32,
    /// 0 off, 1 every Python call.
    #[serde(default)]
    pub python_tracer_level: u32,
    /// Advanced options, each `key=value`.
    #[serde(default)]
    pub options: Vec<String>,
}

const fn host_tracer_level() -> u32 {
    2
}

const fn device_tracer_level() -> u32 {
    1
}

/// `POST api/capture`, `GET api/capture/{id}`, `POST api/capture/{id}/end`.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct CaptureReport {
    /// Its number in routes.
    pub id: u32,
    /// Whether it runs.
    pub state: CaptureState,
    /// When done: `complete`, `partial` or `nothing`.
    pub status: String,
    /// The window that is recorded.
    pub duration_seconds: f64,
    /// Each host, in the order of the request.
    pub hosts: Vec<CaptureHost>,
    /// Name of the session's folder, when done.
    pub session_id: String,
    /// Key of the session in routes, when done and there is one.
    pub session: Option<String>,
    /// Why there is no session; else empty.
    pub error: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

/// Whether a capture runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum CaptureState {
    /// It runs.
    Running,
    /// It was ended early and hands over what it has.
    Ending,
    /// It is over.
    Done,
}

/// How far one host is.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct CaptureHost {
    /// Its address.
    pub address: String,
    /// What it is doing.
    pub phase: CapturePhase,
    /// Time in this phase; while recording, time recorded.
    pub elapsed_seconds: f64,
    /// Bytes that came.
    #[ts(type = "number")]
    pub received_bytes: u64,
    /// What is wrong; else empty.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

/// What a host is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum CapturePhase {
    /// It is being reached.
    Connecting,
    /// Somebody else records; it is asked again.
    Busy,
    /// It waits for the common start.
    Waiting,
    /// It records.
    Recording,
    /// It gathers what it recorded.
    Gathering,
    /// The profile is on its way.
    Receiving,
    /// Its file is written.
    Done,
    /// It gave nothing.
    Failed,
}

impl CaptureHost {
    pub(crate) fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            phase: CapturePhase::Connecting,
            elapsed_seconds: 0.0,
            received_bytes: 0,
            message: String::new(),
            hint: String::new(),
        }
    }
}
