//! Single-file reports, for the command line and for the page's own button: the page without
//! answers that was built into this crate, and answers of routes other than those of analyses.

use std::io;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use stepscope_export::html::{DEFAULT_MOST_BYTES, Html, HtmlOptions};
use stepscope_export::{About, ExportError, Redacted};
use stepscope_model::Session;
use stepscope_model::redact::{Key, Memory, RedactError, Renames, redact_within};
use stepscope_storage::Reserved;

use crate::access::new_token;
use crate::api::analyses::entries;
use crate::error::ServerError;
use crate::reports::{AnalysisEntry, SessionSummary, SessionsReport};
use crate::ui;

/// The key of the session in a single-file report; its own key would reveal the capture's location.
const SESSION: &str = "report";

/// A redacted session.
pub struct RedactedSession {
    /// The session with other names.
    pub session: Session,
    /// What its reports say about that.
    pub about: About,
    /// The new names, to translate options that select a part of it.
    pub renames: Renames,
}

/// Why a session cannot be redacted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedactionError {
    /// No random bytes for a key.
    #[error("{0}")]
    NoKey(#[from] ServerError),
    /// The session cannot be rebuilt with other names.
    #[error("{0}")]
    Session(#[from] RedactError),
}

/// The part of a session selected by options, as one HTML file; with the default maximum size if
/// none is given.
///
/// # Errors
///
/// See [`ExportError`].
pub fn html(
    session: &Session,
    about: &About,
    options: &[(String, String)],
    most_bytes: Option<u64>,
) -> Result<Html, ExportError> {
    let page = ui::share_page().ok_or(ExportError::NoPage)?;
    let shell = shell(session).map_err(io::Error::other)?;
    let with = HtmlOptions {
        page: &page,
        shell: &shell,
        most_bytes: most_bytes.unwrap_or(DEFAULT_MOST_BYTES),
    };
    stepscope_export::html::html(session, about, options, &with)
}

/// The redacted session, with names derived from the given key or from a random one.
///
/// # Errors
///
/// See [`RedactionError`].
pub fn redacted(session: &Session, key: Option<&str>) -> Result<RedactedSession, RedactionError> {
    let key = match key {
        Some(text) => Key::from_text(text),
        None => Key::from_text(&new_token()?),
    };
    let (session, redaction) = redact_within(session, &key, &mut reserved)?;
    let about = About {
        redacted: Some(Redacted {
            replaced: redaction.replaced,
            removed: redaction.removed,
            kept: redaction.kept,
        }),
        ..about_now()
    };
    Ok(RedactedSession {
        session,
        about,
        renames: redaction.renames,
    })
}

/// Memory for the rewritten files of a session, from the budget of the process.
fn reserved(bytes: u64) -> Result<Memory, String> {
    let mut reserved = Reserved::default();
    match reserved.grow_to(bytes) {
        Ok(()) => Ok(Arc::new(reserved)),
        Err(short) => Err(format!(
            "{} of {} bytes are left; set STEPSCOPE_MEMORY_BYTES, or redact fewer hosts at a time",
            short.free, short.total
        )),
    }
}

/// What a report that is written now says about itself.
pub fn about_now() -> About {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    About {
        written_epoch_ms: now.and_then(|since| u64::try_from(since.as_millis()).ok()),
        redacted: None,
        marks: String::new(),
    }
}

/// Answers of routes, as JSON, by their relative URL.
fn shell(session: &Session) -> Result<Vec<(String, String)>, serde_json::Error> {
    let mut summary = SessionSummary::closed(0, "", None);
    SESSION.clone_into(&mut summary.key);
    summary.describe(session);
    let sessions = SessionsReport {
        root: String::new(),
        sessions: vec![summary.clone()],
        histories: Vec::new(),
        incident_count: None,
        notes: Vec::new(),
    };
    let analyses = entries();
    let comparisons: [AnalysisEntry; 0] = [];
    Ok(vec![
        answer("api/sessions", &sessions)?,
        answer(&format!("api/sessions/{SESSION}"), &summary)?,
        answer("api/analyses", &analyses)?,
        answer("api/comparisons", &comparisons)?,
    ])
}

fn answer(url: &str, report: &impl Serialize) -> Result<(String, String), serde_json::Error> {
    Ok((url.to_owned(), serde_json::to_string(report)?))
}
