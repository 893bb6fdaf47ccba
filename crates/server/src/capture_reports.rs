//! Messages about captures between the page and the server.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `GET api/capture`.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct CaptureSettings {
    /// The log directory for captures; empty if captures are not possible.
    pub logdir: String,
    /// Why captures are not possible; otherwise empty.
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
    /// A name to append to the session's time; may be empty.
    #[serde(default)]
    pub name: String,
    /// 0 off, 1 annotations, 2 also the runtime, 3 everything.
    #[serde(default = "host_tracer_level")]
    pub host_tracer_level: u32,
    /// 0 off, 1 on.
    #[serde(default = "device_tracer_level")]
    pub device_tracer_level: u32,
    /// 1 records every Python call; 0 off.
    #[serde(default)]
    pub python_tracer_level: u32,
    /// Advanced options, each `key=value`.
    #[serde(default)]
    pub options: Vec<String>,
}

impl Default for CaptureRequest {
    fn default() -> Self {
        Self {
            addresses: String::new(),
            duration_seconds: 1.0,
            name: String::new(),
            host_tracer_level: host_tracer_level(),
            device_tracer_level: device_tracer_level(),
            python_tracer_level: 0,
            options: Vec::new(),
        }
    }
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
    /// Whether it is running.
    pub state: CaptureState,
    /// When done: `complete`, `partial` or `nothing`.
    pub status: String,
    /// Length of the recorded window.
    pub duration_seconds: f64,
    /// Each host, in the order of the request.
    pub hosts: Vec<CaptureHost>,
    /// Name of the session's folder, when done.
    pub session_id: String,
    /// Key of the session in routes, when done, if there is a session.
    pub session: Option<String>,
    /// Why there is no session; otherwise empty.
    pub error: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

/// Whether a capture is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum CaptureState {
    /// Running.
    Running,
    /// Ended early; it is sending what it has.
    Ending,
    /// Over.
    Done,
}

/// Progress of one host.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct CaptureHost {
    /// Its address.
    pub address: String,
    /// What it is doing.
    pub phase: CapturePhase,
    /// Time in this phase; while recording, time recorded.
    pub elapsed_seconds: f64,
    /// Bytes received.
    #[ts(type = "number")]
    pub received_bytes: u64,
    /// What is wrong; otherwise empty.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

/// What a host is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum CapturePhase {
    /// Connecting.
    Connecting,
    /// Another capture is running; retrying.
    Busy,
    /// Waiting for the shared start time.
    Waiting,
    /// Recording.
    Recording,
    /// Collecting what it recorded.
    Gathering,
    /// Receiving the profile.
    Receiving,
    /// The file is written.
    Done,
    /// No profile.
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
