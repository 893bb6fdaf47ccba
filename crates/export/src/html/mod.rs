//! The pages in one file: a page without answers, and the answers that it would request from a
//! server.
//!
//! ```text
//! page for reports (ui/share.html, built)     no network by its own policy
//!   └─ <script id="stepscope-report">         ShareReport as JSON
//!        ├─ answers    of every analysis, compressed      question → gzip, base64
//!        ├─ tracks     of the timeline, slice by slice    track → gzip, base64
//!        ├─ tiles      of tracks too long for that        level, index → gzip, base64
//!        ├─ details    of the longest slices
//!        └─ shared     strings and objects of several answers
//! ```
//!
//! Content is added in the order in which people look: the answers of the views when they open,
//! then other requests, then the tracks of the timeline, complete or as finer and finer tiles, then
//! details. The report says what was left out.

mod answers;
mod budget;
mod columns;
mod longest;
mod packed;
mod questions;
mod share;
mod shared;
mod tiles;

use std::collections::BTreeSet;

use stepscope_analysis::telling::escape;
use stepscope_analysis::views::timeline::{Timeline, TimelineOptions, TimelineReport, details};
use stepscope_analysis::{Analysis, AnalysisError};
use stepscope_model::{LabelId, Session};

use crate::about::About;
use crate::{ExportError, Pairs};
use answers::Answers;
use budget::Budget;
use columns::Columns;
pub use share::{ShareReport, ShareTileGroup, ShareTrack};
use tiles::Pyramid;

/// Default maximum size of a report in bytes: what mail and issue trackers accept.
pub const DEFAULT_MOST_BYTES: u64 = 15_000_000;

/// Where the page expects the report.
const PLACE: &str = "id=\"stepscope-report\">";
const TITLE: &str = "<title>Stepscope</title>";

/// Shares of the space up to which each type of content may fill the file.
const ANSWERS_SHARE: f64 = 0.6;
const VARIANTS_SHARE: f64 = 0.7;
const TILES_SHARE: f64 = 0.95;

/// Inputs of a report.
pub struct HtmlOptions<'a> {
    /// The page without answers.
    pub page: &'a str,
    /// What the page requests before any analysis: relative URL and JSON.
    pub shell: &'a [(String, String)],
    /// Maximum size of the file in bytes.
    pub most_bytes: u64,
}

/// A complete report.
pub struct Html {
    /// The file.
    pub text: String,
    /// What did not fit, a sentence each.
    pub left_out: Vec<String>,
}

/// The part of a session selected by options, as one HTML file.
///
/// # Errors
///
/// An option that is wrong or selects nothing; a page that is not for reports; too little space.
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
    let timeline = timeline(session, options)?;
    let mut drawn = Drawn::build(session, timeline.as_ref(), budget.up_to(TILES_SHARE))?;
    let shared = answers.tell(&mut report)?;
    let values = packed::packed(shared.json().as_bytes())?;
    let mut known = longest::Known::default();
    let text = loop {
        report.details.clear();
        report.shared.clone_from(&values);
        drawn.tell(session, &mut report)?;
        let spare = with
            .most_bytes
            .saturating_sub((with.page.len() + report_bytes(&report)?) as u64);
        longest::add(session, &mut report, &shared, &mut known, spare)?;
        let text = filled(with.page, &report)?;
        let excess = (text.len() as u64).saturating_sub(with.most_bytes);
        if excess == 0 {
            break text;
        }
        // Names of labels and escapes are only known now.
        if !drawn.drop_some(excess) {
            return Err(ExportError::TooSmall {
                least_bytes: text.len() as u64,
                most_bytes: with.most_bytes,
            });
        }
    };
    AnalysisError::if_changed(session)?;
    Ok(Html {
        text,
        left_out: report.left_out,
    })
}

/// What the timeline has to show; `None` if the session has no time axis.
fn timeline(session: &Session, options: &Pairs) -> Result<Option<TimelineReport>, ExportError> {
    let options = TimelineOptions {
        selection: crate::selection(options),
    };
    match Timeline::run(session, &options) {
        Ok(report) => Ok(Some(report)),
        Err(AnalysisError::NoEvents { .. } | AnalysisError::NeverRan { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The tracks of the timeline: complete if they fit, otherwise as tiles.
#[derive(Default)]
struct Drawn {
    columns: Columns,
    pyramid: Pyramid,
}

impl Drawn {
    fn build(
        session: &Session,
        report: Option<&TimelineReport>,
        room: u64,
    ) -> Result<Self, ExportError> {
        let Some(report) = report else {
            return Ok(Self::default());
        };
        let columns = Columns::choose(session, report, room)?;
        let left = room.saturating_sub(columns.bytes());
        let pyramid = Pyramid::build(session, report, |track| columns.has(track), left)?;
        Ok(Self { columns, pyramid })
    }

    /// Drops the finest or largest parts until about so many bytes are free, because each attempt
    /// writes the whole file; false if nothing is left.
    fn drop_some(&mut self, excess: u64) -> bool {
        let mut freed = 0;
        while freed < excess {
            let dropped = self.pyramid.drop_finest().or_else(|| {
                let (track, bytes) = self.columns.drop_largest()?;
                self.pyramid.add_undrawn(track);
                Some(bytes)
            });
            let Some(bytes) = dropped else {
                return freed > 0;
            };
            // Parts without a size count too, so that this ends.
            freed += bytes.max(1);
        }
        true
    }

    /// Moves tracks, tiles, and the labels they refer to into the report.
    fn tell(&self, session: &Session, report: &mut ShareReport) -> Result<(), ExportError> {
        let labels: BTreeSet<LabelId> =
            self.columns.labels().chain(self.pyramid.labels()).collect();
        let labels: Vec<LabelId> = labels.into_iter().collect();
        let json = serde_json::to_vec(&details::labels(session, &labels));
        report.labels = packed::packed(&json.map_err(std::io::Error::other)?)?;
        report.tracks = self.columns.told();
        self.pyramid.tell(report);
        Ok(())
    }
}

/// The page with the report inserted.
fn filled(page: &str, report: &ShareReport) -> Result<String, ExportError> {
    let json = json(report)?;
    let title = format!(
        "<title>{} · Stepscope</title>",
        escape::html(&report.session)
    );
    let page = page.replacen(TITLE, &title, 1);
    let (before, after) = page.split_once(PLACE).ok_or(ExportError::NoPage)?;
    Ok([before, PLACE, &json, after].concat())
}

/// JSON in which nothing ends the script that contains it.
fn json(report: &ShareReport) -> Result<String, ExportError> {
    let json = serde_json::to_string(report).map_err(std::io::Error::other)?;
    Ok(json.replace('<', "\\u003c"))
}

fn report_bytes(report: &ShareReport) -> Result<usize, ExportError> {
    Ok(json(report)?.len())
}
