//! The pages in one file: a page without answers, and the answers that it would ask a server for.
//!
//! ```text
//! page for reports (ui/share.html, built)     no network by its own policy
//!   └─ <script id="stepscope-report">         ShareReport as JSON
//!        ├─ answers    of every analysis, compressed      question → gzip, base64
//!        ├─ tiles      of the timeline, coarse to fine    level, index → gzip, base64
//!        └─ details    of the longest slices
//! ```
//!
//! What there is room for is decided in the order in which people look: the answers of the views as
//! they open, then other ways to ask, then finer and finer tiles, then details. What was left out
//! stands in the report.

mod answers;
mod budget;
mod longest;
mod packed;
mod questions;
mod share;
mod tiles;

use stepscope_model::Session;

use crate::about::About;
use crate::{ExportError, Pairs};
use answers::Answers;
use budget::Budget;
pub use share::{ShareReport, ShareTileGroup};
use tiles::Pyramid;

/// Bytes of a report unless somebody says otherwise: what mail and issue trackers take.
pub const DEFAULT_MOST_BYTES: u64 = 15_000_000;

/// Where the page expects the report.
const PLACE: &str = "id=\"stepscope-report\">";
const TITLE: &str = "<title>Stepscope</title>";

/// Shares of the room up to which each kind of content may fill the file.
const ANSWERS_SHARE: f64 = 0.6;
const VARIANTS_SHARE: f64 = 0.7;
const TILES_SHARE: f64 = 0.95;

/// What a report is made with.
pub struct HtmlOptions<'a> {
    /// The page without answers.
    pub page: &'a str,
    /// What the page asks before any analysis: relative URL and JSON.
    pub shell: &'a [(String, String)],
    /// Bytes of the file at most.
    pub most_bytes: u64,
}

/// A report, whole.
pub struct Html {
    /// The file.
    pub text: String,
    /// What there was no room for, a sentence each.
    pub left_out: Vec<String>,
}

/// The part of a session that options select as one file of HTML.
///
/// # Errors
///
/// An option that is wrong or selects nothing; a page that is none for reports; too little room.
pub fn html(
    session: &Session,
    about: &About,
    options: &Pairs,
    with: &HtmlOptions<'_>,
) -> Result<Html, ExportError> {
    if !with.page.contains(PLACE) {
        return Err(ExportError::NoPage);
    }
    let mut report = share::empty(session, about, options);
    let shell = packed::all(with.shell.iter().map(|(url, json)| (url.clone(), json)))?;
    report.shell.extend(shell);
    let used = with.page.len() + report_bytes(&report)?;
    let mut budget = Budget::new(with.most_bytes, used as u64);
    let answers = answers::Room {
        usual: budget.up_to(ANSWERS_SHARE),
        most: budget.up_to(TILES_SHARE),
    };
    let mut answers = Answers::ask(session, options, &answers)?;
    if answers.bytes() > budget.left() {
        return Err(ExportError::TooSmall {
            least_bytes: used as u64 + answers.bytes(),
            most_bytes: with.most_bytes,
        });
    }
    budget.take(answers.bytes());
    budget.take(answers.add_variants(session, options, budget.up_to(VARIANTS_SHARE))?);
    let mut pyramid = Pyramid::build(session, options, budget.up_to(TILES_SHARE))?;
    answers.tell(&mut report);
    let text = loop {
        report.details.clear();
        pyramid.tell(session, &mut report)?;
        let spare = with
            .most_bytes
            .saturating_sub((with.page.len() + report_bytes(&report)?) as u64);
        longest::add(session, &mut report, spare)?;
        let text = filled(with.page, &report)?;
        if text.len() as u64 <= with.most_bytes {
            break text;
        }
        // Names of labels and escapes are only known now.
        if !pyramid.drop_finest() {
            return Err(ExportError::TooSmall {
                least_bytes: text.len() as u64,
                most_bytes: with.most_bytes,
            });
        }
    };
    Ok(Html {
        text,
        left_out: report.left_out,
    })
}

/// The page with the report in its place.
fn filled(page: &str, report: &ShareReport) -> Result<String, ExportError> {
    let json = json(report)?;
    let title = format!("<title>{} · Stepscope</title>", escaped(&report.session));
    let page = page.replacen(TITLE, &title, 1);
    let (before, after) = page.split_once(PLACE).ok_or(ExportError::NoPage)?;
    Ok([before, PLACE, &json, after].concat())
}

/// JSON in which nothing ends the script that it stands in.
fn json(report: &ShareReport) -> Result<String, ExportError> {
    let json = serde_json::to_string(report).map_err(std::io::Error::other)?;
    Ok(json.replace('<', "\\u003c"))
}

fn report_bytes(report: &ShareReport) -> Result<usize, ExportError> {
    Ok(json(report)?.len())
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}
