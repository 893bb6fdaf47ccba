//! `export` and `perfetto` for callers that already have a session: Python.

use std::path::PathBuf;

use stepscope_model::Session;
use stepscope_server::handover::{Handover, Offer};
use stepscope_server::share::about_now;

use crate::commands::export::share;
use crate::commands::{export, perfetto};
pub use crate::refusal::Refusal;

/// Options for files to share.
#[derive(Debug, Clone, Default)]
pub struct Sharing {
    /// Replace names, paths, and sources with other names.
    pub is_redacted: bool,
    /// The key used to derive the new names; `None` for a random key.
    pub redact_key: Option<String>,
    /// Maximum size of the HTML in bytes; `None` for the default.
    pub most_bytes: Option<u64>,
}

/// Writes the part of a session selected by `options` (names and values) in the formats with these
/// names. Returns the size of each file, or the total size of each folder.
///
/// # Errors
///
/// A [`Refusal`] if an option is wrong or a file cannot be written.
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
    let mut kept = None;
    let (session, about, options) = match redacted {
        Some(mut one) => {
            let options = one.renames.options(options);
            (&*kept.insert(one.session), one.about, options)
        }
        None => (session, about_now(), options.to_vec()),
    };
    let mut sizes = Vec::with_capacity(files.len());
    for (format, path) in files {
        let bytes = if share::OPTIONS.contains(&format.as_str()) {
            let most = sharing.most_bytes;
            share::write(format, session, &about, &options, path, most)?.bytes
        } else {
            let wanted = export::wanted_by(session, &options)?;
            export::write(format, session, &wanted, path)?.file_bytes
        };
        sizes.push((format.clone(), bytes));
    }
    Ok(sizes)
}

/// Listens on a port, 0 for any, and offers the selected part of a session there to
/// ui.perfetto.dev.
///
/// # Errors
///
/// A [`Refusal`] if an option is wrong, the port is taken, or there is no space for the trace.
pub fn offer(session: &Session, options: &[(String, String)], port: u16) -> Result<Offer, Refusal> {
    let handover: Handover = perfetto::bind(port)?;
    let wanted = export::wanted_by(session, options)?;
    let (offer, _) = perfetto::offer(handover, session, &wanted)?;
    Ok(offer)
}
