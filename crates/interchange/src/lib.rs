//! Traces of other tools: Chrome's JSON and Perfetto's protobuf, read into profiles and written from
//! sessions.
//!
//! Reading turns a trace into the bytes of an XSpace, so that there is one ingest, and every analysis,
//! view and search works on it unchanged:
//!
//! ```text
//! *.trace.json[.gz] ─► chrome::read ──┐
//!                                     ├─► draft (planes, lines, events as they come) ─► XSpace bytes
//! *.pftrace ─────────► perfetto::read ┘
//! ```
//!
//! Both read a stream once and hold no more than the profile that comes of it.

pub mod chrome;
mod draft;
pub mod perfetto;
mod sniff;
mod window;
pub mod write;

pub use sniff::sniff;

/// A trace as profiles, one for each host that it tells apart.
#[derive(Debug)]
pub struct Trace {
    /// At least one.
    pub hosts: Vec<HostTrace>,
    /// Where the trace was cut off or damaged: what happened.
    pub problem: Option<String>,
}

/// The profile of one host.
#[derive(Debug)]
pub struct HostTrace {
    /// Its name, where the trace has one.
    pub name: Option<String>,
    /// A serialized XSpace.
    pub bytes: Vec<u8>,
}

/// Why there is no profile.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceError {
    /// The bytes are something else.
    NotATrace {
        /// What they look like.
        found: &'static str,
    },
}

impl std::fmt::Display for TraceError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self::NotATrace { found } = self;
        write!(formatter, "not a trace that can be shown: {found}")
    }
}

impl std::error::Error for TraceError {}

/// Which format a trace has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Chrome's JSON.
    Chrome,
    /// Perfetto's protobuf.
    Perfetto,
}
