//! `export` and `perfetto` for those who have a session already: Python.

use std::path::Path;

use stepscope_model::Session;
use stepscope_server::handover::{Handover, Offer};

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

/// Writes the part of a session that options select, by name and value, in the format of a name.
/// Gives the size of the file.
///
/// # Errors
///
/// A [`Refusal`] where an option is wrong or the file cannot be written.
pub fn export(
    session: &Session,
    options: &[(String, String)],
    format: &str,
    path: &Path,
) -> Result<u64, Refusal> {
    let wanted = export::wanted_by(session, options)?;
    Ok(export::write(format, session, &wanted, path)?.file_bytes)
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
