//! `export` and `perfetto` for those who have a session already: Python.

use std::path::PathBuf;

use stepscope_model::Session;
use stepscope_server::handover::{Handover, Offer};
use stepscope_server::share::about_now;

use crate::commands::export::share;
use crate::commands::{export, perfetto};
use crate::exit::{Exit, Failure};

/// Why nothing was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// A sentence.
    pub message: String,
    /// What to do about it; empty if nothing.
    pub hint: String,
    /// An option asks for something that does not exist.
    pub is_usage: bool,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let message = failure.to_string();
        match failure {
            Failure::Told { exit, hint, .. } => Self {
                message,
                hint,
                is_usage: exit == Exit::Usage,
            },
            Failure::BrokenPipe => Self {
                message,
                hint: String::new(),
                is_usage: false,
            },
        }
    }
}

/// How files are written that others get.
#[derive(Debug, Clone, Default)]
pub struct Sharing {
    /// Other names in the place of names, paths and sources.
    pub is_redacted: bool,
    /// The key that names are made with; one that nobody knows where there is none.
    pub redact_key: Option<String>,
    /// Bytes of the HTML at most; the usual where there are none.
    pub most_bytes: Option<u64>,
}

/// Writes the part of a session that options select, by name and value, in the formats of some names.
/// Gives the size of each file, of all files of a folder.
///
/// # Errors
///
/// A [`Refusal`] where an option is wrong or a file cannot be written.
pub fn export(
    session: &Session,
    options: &[(String, String)],
    files: &[(String, PathBuf)],
    sharing: &Sharing,
) -> Result<Vec<(String, u64)>, Refusal> {
    let redacted = if sharing.is_redacted {
        Some(share::redacted_with(
            session,
            sharing.redact_key.as_deref(),
        )?)
    } else {
        None
    };
    let (session, about) = match &redacted {
        Some((session, about)) => (session, about.clone()),
        None => (session, about_now()),
    };
    let mut sizes = Vec::with_capacity(files.len());
    for (format, path) in files {
        let bytes = if share::OPTIONS.contains(&format.as_str()) {
            let most = sharing.most_bytes;
            share::write(format, session, &about, options, path, most)?.bytes
        } else {
            let wanted = export::wanted_by(session, options)?;
            export::write(format, session, &wanted, path)?.file_bytes
        };
        sizes.push((format.clone(), bytes));
    }
    Ok(sizes)
}

/// Takes a port, 0 for any, and offers the selected part of a session there to ui.perfetto.dev.
///
/// # Errors
///
/// A [`Refusal`] where an option is wrong, the port is taken or there is no room for the trace.
pub fn offer(session: &Session, options: &[(String, String)], port: u16) -> Result<Offer, Refusal> {
    let handover: Handover = perfetto::bind(port)?;
    let wanted = export::wanted_by(session, options)?;
    let (offer, _) = perfetto::offer(handover, session, &wanted)?;
    Ok(offer)
}
