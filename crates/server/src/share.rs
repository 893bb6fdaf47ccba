//! What a page of one file takes from the server: the page itself, and the answers of routes beside
//! those of analyses.

use std::borrow::Cow;

use serde::Serialize;
use stepscope_analysis::{ANALYSES, Declaration};
use stepscope_model::Session;

use crate::api::analyses::entry;
use crate::reports::{AnalysisEntry, SessionSummary, SessionsReport};
use crate::ui;

/// The one session of a page of one file.
const SESSION: u32 = 0;

/// The page without answers; none where it was left out of this build.
pub fn page() -> Option<Cow<'static, str>> {
    ui::share_page()
}

/// Answers of routes by their relative URL, as JSON.
///
/// # Errors
///
/// A defect of ours: a report that is no JSON.
pub fn shell(session: &Session) -> Result<Vec<(String, String)>, serde_json::Error> {
    let mut summary = SessionSummary::closed(SESSION, "", None);
    summary.describe(session);
    let sessions = SessionsReport {
        root: String::new(),
        sessions: vec![summary.clone()],
        notes: Vec::new(),
    };
    let analyses: Vec<AnalysisEntry> = ANALYSES
        .iter()
        .map(|one: &stepscope_analysis::Entry| -> AnalysisEntry {
            let declaration: &Declaration = one;
            entry(declaration)
        })
        .collect();
    let none: [AnalysisEntry; 0] = [];
    Ok(vec![
        answer("api/sessions", &sessions)?,
        answer(&format!("api/sessions/{SESSION}"), &summary)?,
        answer("api/analyses", &analyses)?,
        answer("api/comparisons", &none)?,
    ])
}

fn answer(url: &str, report: &impl Serialize) -> Result<(String, String), serde_json::Error> {
    Ok((url.to_owned(), serde_json::to_string(report)?))
}
