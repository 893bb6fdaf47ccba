//! The HTTP server: reports as JSON, timeline tiles as binary columns, the embedded UI.
//!
//! ```text
//! Library        sessions below one path, each opened once on its own thread
//!    │
//! router ── guard ──┬── api::sessions    the list of sessions, progress of opening
//!  (origin, token)  ├── api::analyses    reports, from the registry of analyses
//!                   ├── capture          captures of running jobs, into the library's folder
//!                   ├── api::timeline    tiles, search, what is known about a slice
//!                   ├── api::area        areas of the timeline
//!                   ├── agents           the service for agents that was handed in
//!                   ├── api::incidents   what the flight recorder noticed
//!                   └── ui               files embedded at compile time
//! ```
//!
//! Routes and the tile format are described in `docs/internals/wire.md`.
//!
//! Constraints: it reads nothing but the sessions of its [`Library`], and writes nothing but
//! captures that its own pages request, below the same path. Analyses run on blocking threads, and
//! a panic in one becomes the error of one request.

mod access;
mod agents;
mod api;
mod capture;
mod capture_reports;
mod capture_routes;
mod confines;
mod connections;
mod encoding;
mod error;
mod guard;
pub mod handover;
mod in_process;
mod inside;
mod key;
mod library;
mod listing;
mod opener;
mod opening;
mod origin;
mod parameters;
mod patient;
mod prefix;
mod queries;
pub mod redirection;
mod report_cache;
mod reports;
mod router;
mod serve;
pub mod share;
mod shares;
mod sizes;
mod slot;
mod source;
mod timely;
mod turns;
mod ui;

pub use access::{Access, new_token, token_query};
pub use agents::{AGENT_PATH, AgentRoute};
pub use capture::Captures;
pub use capture_reports::{
    CaptureHost, CapturePhase, CaptureReport, CaptureRequest, CaptureSettings, CaptureState,
};
pub use error::ServerError;
pub use in_process::{Answered, InProcess};
pub use inside::QueryAnswer;
pub use library::Library;
pub use listing::{SessionList, list_sessions};
pub use opening::{OpenError, open_files};
pub use prefix::normal_prefix;
pub use queries::{
    FLEET_PROGRAM, SQL_PROGRAM, fleet_program, no_fleet_program, no_sql_program, sql_program,
};
pub use reports::{
    AnalysisEntry, AnalysisOption, ErrorReport, PreviewReport, ProgressReport, SessionState,
    SessionSummary, SessionWarning, SessionsReport, SourceReport, VersionReport,
};
pub use router::{router, router_below};
pub use serve::{Ready, ServerOptions, Token, asked_to_stop, serve, serve_on_loopback};
pub use slot::OpenSession;
