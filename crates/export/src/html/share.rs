//! The contents of the page: the report as the page's script reads it.

use std::collections::BTreeMap;

use serde::Serialize;
use stepscope_model::Session;
use ts_rs::TS;

use super::questions::ROW_LIMITS;
use crate::Pairs;
use crate::about::{About, VERSION};

/// Everything in a single-file report. Texts described as packed are gzip in base64.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ShareReport {
    /// Version of Stepscope that wrote it.
    pub version: String,
    /// Name of the session.
    pub session: String,
    /// Time 0 of the session, in milliseconds since the Unix epoch; absent in old files.
    #[ts(type = "number | null")]
    pub captured_epoch_ms: Option<u64>,
    /// When it was written, in milliseconds since the Unix epoch.
    #[ts(type = "number | null")]
    pub written_epoch_ms: Option<u64>,
    /// What was redacted, as a sentence; empty if nothing was.
    pub redaction: String,
    /// The reader's marks on the timeline, as in a link of the page; empty for none.
    pub marks: String,
    /// Options that selected a part of the session, by name.
    pub selection: Vec<(String, String)>,
    /// What did not fit, a sentence each.
    pub left_out: Vec<String>,
    /// Options that only limit rows: the report has its own limits.
    pub row_limits: Vec<String>,
    /// Answers of the server other than those of analyses, by relative URL; JSON, packed.
    pub shell: BTreeMap<String, String>,
    /// Answers of analyses by question, such as `ops?by=category`, as positions in `texts`.
    pub answers: BTreeMap<String, usize>,
    /// Answers: JSON, packed. In it, and in `details`, a string with the character U+0001 and a
    /// number represents that value of `shared`.
    pub texts: Vec<String>,
    /// Long strings and objects that answers have in common: a list as JSON, packed. A value only
    /// refers to values before it.
    pub shared: String,
    /// Questions that have no answer, and why.
    pub refusals: BTreeMap<String, String>,
    /// Labels of tracks and tiles: JSON, packed.
    pub labels: String,
    /// Tracks of the timeline that are complete.
    pub tracks: Vec<ShareTrack>,
    /// Tiles of the other tracks, by groups of adjacent tracks.
    pub tiles: Vec<ShareTileGroup>,
    /// Details of the longest slices by `track/lane/index`: JSON, packed.
    pub details: String,
    /// How many slices have details.
    pub detail_count: usize,
}

/// A track with every slice or sample.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ShareTrack {
    /// The track.
    pub track: u32,
    /// Its columns, packed; `crates/export/src/html/columns.rs` has the format.
    pub columns: String,
}

/// Tiles of some tracks.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ShareTileGroup {
    /// The tracks, all of which are in each tile.
    pub tracks: Vec<u32>,
    /// Binary tiles by `level/index`, packed. If a tile is missing, the finest one around it has
    /// everything.
    pub tiles: BTreeMap<String, String>,
}

/// An empty report.
pub(super) fn empty(session: &Session, about: &About, options: &Pairs) -> ShareReport {
    ShareReport {
        version: VERSION.to_owned(),
        session: session.name.clone(),
        captured_epoch_ms: session.epoch_ns.map(|nanos| nanos / 1_000_000),
        written_epoch_ms: about.written_epoch_ms,
        redaction: about
            .redacted
            .as_ref()
            .map(crate::about::Redacted::sentence)
            .unwrap_or_default(),
        marks: about.marks.clone(),
        selection: options.to_vec(),
        left_out: Vec::new(),
        row_limits: ROW_LIMITS.iter().map(|&name| name.to_owned()).collect(),
        shell: BTreeMap::new(),
        answers: BTreeMap::new(),
        texts: Vec::new(),
        shared: String::new(),
        refusals: BTreeMap::new(),
        labels: String::new(),
        tracks: Vec::new(),
        tiles: Vec::new(),
        details: String::new(),
        detail_count: 0,
    }
}
