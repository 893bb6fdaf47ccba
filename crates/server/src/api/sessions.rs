//! The list of sessions, and the progress of opening one.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use stepscope_analysis::measuring::environment::hardware;
use stepscope_analysis::measuring::workload::main_program;
use stepscope_model::{Reads, Session};
use stepscope_storage::{SessionFiles, histories_at};

use super::slot;
use crate::error::{ApiError, compute};
use crate::key::key_of;
use crate::library::{Library, modified_epoch_ms};
use crate::parameters::Parameters;
use crate::reports::{
    ProgressReport, SessionState, SessionSummary, SessionWarning, SessionsReport, VersionReport,
};
use crate::slot::State as SlotState;

pub(crate) async fn version() -> Json<VersionReport> {
    Json(VersionReport {
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

pub(crate) async fn list(
    State(library): State<Arc<Library>>,
) -> Result<Json<SessionsReport>, ApiError> {
    compute("The search for sessions", move || {
        library.refresh();
        Ok(Json(SessionsReport {
            root: library.root(),
            sessions: library.summaries(),
            histories: library.root_path().map(histories_at).unwrap_or_default(),
            notes: library.notes(),
        }))
    })
    .await
}

/// Opens a session; with `reads=devices`, a remote one only as far as answers about devices need
/// it.
pub(crate) async fn session(
    State(library): State<Arc<Library>>,
    Path(id): Path<String>,
    parameters: Parameters,
) -> Result<Json<SessionSummary>, ApiError> {
    let slot = slot(&library, &id)?;
    let reads = reads(&parameters)?;
    let opened = library.opened_reading(&slot, || reads).await;
    let mut summary = library.summary(&slot);
    if let Err(error) = opened {
        // The fetched parts may be enough for other questions.
        summary.state = SessionState::Failed;
        summary.error = error.message;
    }
    Ok(Json(summary))
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
) -> Result<Json<ProgressReport>, ApiError> {
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
    Ok(Json(ProgressReport {
        state,
        done_bytes,
        total_bytes: size_bytes,
        message,
    }))
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
                    kind(!files.hosts.is_empty(), has_memory, is_programs)
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

    /// Adds what is known once it is open.
    pub fn describe(&mut self, session: &Session) {
        self.state = SessionState::Open;
        let has_memory = !session.heap.snapshots.is_empty();
        let is_programs = session.is_program_only();
        kind(!session.hosts.is_empty(), has_memory, is_programs).clone_into(&mut self.kind);
        self.devices = devices(session);
        self.program = main_program(session);
        self.tags = session.tags();
        self.duration_ps = session.extent().map(|span| span.duration().0);
        // A moment has no steps, not even zero; the same is true of programs that did not run.
        self.step_count = (!session.hosts.is_empty()).then_some(session.steps.len());
        let warnings = session.warnings.iter();
        self.warnings = warnings
            .map(|warning| SessionWarning {
                kind: warning.kind.name().to_owned(),
                host: warning.host.clone(),
                message: warning.message.clone(),
                hint: warning.hint.clone(),
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

/// The type of a session.
const fn kind(has_hosts: bool, has_memory: bool, is_programs: bool) -> &'static str {
    match (has_hosts, has_memory) {
        (false, false) if is_programs => "programs",
        (false, true) => "memory",
        (true, true) => "trace and memory",
        (_, false) => "trace",
    }
}

/// `8 × XLA:CPU`, by chip name, in the order of devices.
fn devices(session: &Session) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for device in &session.devices {
        let name = hardware(device);
        match kinds.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => kinds.push((name, 1)),
        }
    }
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(name, count)| format!("{count} × {name}"))
        .collect();
    kinds.join(", ")
}
