//! The HTTP server: reports as JSON, timeline tiles as binary columns, the embedded UI.
//!
//! ```text
//! Library        sessions below one path, opened once each on a thread of their own
//!    │
//! router ── guard ──┬── api::sessions    what there is, how far opening is
//!   (Host, token)   ├── api::analyses    reports, from the one list of analyses
//!                   ├── api::timeline    tiles, details, search, areas
//!                   └── ui               files embedded at compile time
//! ```
//!
//! Routes and the tile format are described in `docs/wire.md`.
//!
//! Constraints: it reads nothing but the sessions of its [`Library`], and writes nothing. Analyses
//! run on blocking threads, and a panic in one becomes the error of one request.

mod access;
mod api;
mod error;
mod guard;
mod library;
mod opening;
mod parameters;
mod reports;
mod router;
mod serve;
mod ui;

pub use access::{Access, new_token};
pub use error::ServerError;
pub use library::{Library, OpenSession};
pub use opening::{OpenError, open_files};
pub use reports::{
    AnalysisEntry, AnalysisOption, ErrorReport, ProgressReport, SessionState, SessionSummary,
    SessionWarning, SessionsReport, VersionReport,
};
pub use router::router;
pub use serve::{Ready, ServerOptions, serve};
