//! The list of sessions, and the progress of opening one.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use stepscope_catalog::{Facts, Summary, kind_of};
use stepscope_model::{Reads, Session, alike};

use stepscope_storage::SessionFiles;

use super::slot;
use crate::error::{ApiError, compute};
use crate::key::key_of;
use crate::library::{Library, modified_epoch_ms};
use crate::parameters::Parameters;
use crate::reports::{ProgressReport, SessionState, SessionSummary, SessionWarning, VersionReport};
use crate::sizes;
use crate::slot::State as SlotState;

/// What makes the list smaller.
const FEWER_SESSIONS: &str = "Start the server with a path that has fewer sessions.";

pub(crate) async fn version() -> Json<VersionReport> {
    Json(VersionReport {
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

pub(crate) async fn list(State(library): State<Arc<Library>>) -> Result<Response, ApiError> {
    compute("The search for sessions", move || {
        library.refresh();
        sizes::json(&library.list(), FEWER_SESSIONS)
    })
    .await
}

/// Opens a session; with `reads=devices`, a remote one only as far as answers about devices need
/// it.
pub(crate) async fn session(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let slot = slot(&library, &id)?;
    let reads = reads(&parameters)?;
    let opened = library.opened_reading(&slot, || reads).await;
    let mut summary = library.summary(&slot);
    if let Err(error) = opened {
        // The fetched parts may be enough for other questions.
        summary.state = SessionState::Failed;
        summary.error = error.message;
    }
    sizes::json(&summary, "")
}

fn reads(parameters: &Parameters) -> Result<Reads, ApiError> {
    match parameters.get("reads") {
        None | Some("everything") => Ok(Reads::Everything),
        Some("devices") => Ok(Reads::Devices),
        Some(other) => {
            let error = ApiError::bad_request(format!(
                "Unknown value {other:?} for the parameter \
                reads."
            ));
            Err(error.with_hint("Available: everything, devices."))
        }
    }
}

pub(crate) async fn progress(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let slot = slot(&library, &id)?;
    let size_bytes = slot.files.as_ref().map_or(0, |files| files.size_bytes);
    let (state, done_bytes, message) = match slot.state() {
        SlotState::Closed => (SessionState::Closed, 0, String::new()),
        SlotState::Opening { progress, .. } => {
            let (done, total) = progress.bytes();
            let message = if done < total { "Reading" } else { "Decoding" };
            (SessionState::Opening, done, message.to_owned())
        }
        SlotState::InParts(parts) => {
            let here_bytes = size_bytes.saturating_sub(parts.left_out_bytes);
            (SessionState::InParts, here_bytes, String::new())
        }
        SlotState::Open(_) => (SessionState::Open, size_bytes, String::new()),
        SlotState::Failed { error, .. } => (SessionState::Failed, 0, error.message),
    };
    let report = ProgressReport {
        state,
        done_bytes,
        total_bytes: size_bytes,
        message,
    };
    sizes::json(&report, "")
}

impl SessionSummary {
    /// What the files tell about a session before it is opened; `location` is the path to show.
    pub fn closed(id: u32, location: &str, files: Option<&SessionFiles>) -> Self {
        Self {
            id,
            key: files.map(key_of).unwrap_or_default(),
            name: files.map(|files| files.name.clone()).unwrap_or_default(),
            location: location.to_owned(),
            kind: files
                .map_or("trace", |files| {
                    let has_memory = !files.memory.is_empty();
                    let is_programs = !files.programs.is_empty() && !has_memory;
                    kind_of(!files.hosts.is_empty(), has_memory, is_programs)
                })
                .to_owned(),
            hosts: files.map_or_else(Vec::new, |files| {
                files.hosts.iter().map(|host| host.host.clone()).collect()
            }),
            devices: String::new(),
            program: String::new(),
            tags: Vec::new(),
            size_bytes: files.map_or(0, |files| files.size_bytes),
            modified_epoch_ms: files.and_then(modified_epoch_ms),
            duration_ps: None,
            step_count: None,
            is_indexed: false,
            captured_epoch_ms: None,
            step_time_ps: None,
            step_max_ps: None,
            step_sparkline_ratio: Vec::new(),
            device_busy_ratio: None,
            mfu_ratio: None,
            verdict: String::new(),
            verdict_reason: String::new(),
            git_commit: None,
            warning_count: None,
            warnings: Vec::new(),
            state: SessionState::Closed,
            error: String::new(),
            left_out_bytes: 0,
        }
    }

    /// Adds what is known once the planes of its devices are open.
    pub fn describe_parts(&mut self, session: &Session, left_out_bytes: u64) {
        self.describe(session);
        self.state = SessionState::InParts;
        self.left_out_bytes = left_out_bytes;
        // Host threads may start before the devices and end after them.
        self.duration_ps = None;
    }

    /// Adds what is known without opening it, because it was indexed.
    pub fn add_roll_up(&mut self, known: &Summary) {
        let Summary { facts, figures } = known;
        self.is_indexed = true;
        self.add_facts(facts);
        self.step_time_ps = figures.step_time_ps;
        self.step_max_ps = figures.step_max_ps;
        self.step_sparkline_ratio
            .clone_from(&figures.sparkline_ratio);
        self.device_busy_ratio = figures.device_busy_ratio;
        self.mfu_ratio = figures.mfu_ratio;
        self.verdict.clone_from(&figures.verdict);
        self.verdict_reason.clone_from(&figures.verdict_reason);
    }

    fn add_facts(&mut self, facts: &Facts) {
        self.kind.clone_from(&facts.kind);
        self.devices.clone_from(&facts.devices);
        self.program.clone_from(&facts.program);
        self.tags.clone_from(&facts.tags);
        self.git_commit.clone_from(&facts.git_commit);
        self.captured_epoch_ms = facts.captured_epoch_ns.map(|ns| ns / 1_000_000);
        self.duration_ps = facts.extent_ps;
        // A moment has no steps, not even zero; the same is true of programs that did not run.
        self.step_count = (facts.host_count > 0).then_some(facts.step_count);
        self.warning_count = Some(facts.warning_count);
    }

    /// Adds what is known once it is open.
    pub fn describe(&mut self, session: &Session) {
        self.state = SessionState::Open;
        self.add_facts(&Facts::of(session));
        self.warnings = alike(&session.warnings)
            .iter()
            .map(|alike| SessionWarning {
                kind: alike.first.kind.name().to_owned(),
                host: alike.first.host.clone(),
                message: alike.message(),
                hint: alike.first.hint.clone(),
            })
            .collect();
        if self.name.is_empty() {
            self.name.clone_from(&session.name);
            self.hosts = session.hosts.iter().map(|host| host.name.clone()).collect();
            let bytes = session
                .hosts
                .iter()
                .map(|host| (*host.bytes).as_ref().len());
            self.size_bytes = bytes.sum::<usize>() as u64;
        }
    }
}
