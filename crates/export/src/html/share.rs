//! What stands in the page: the report as the page's script reads it.

use std::collections::BTreeMap;

use serde::Serialize;
use stepscope_model::Session;
use ts_rs::TS;

use super::questions::ROW_LIMITS;
use crate::Pairs;
use crate::about::{About, VERSION};

/// Everything that a page of one file holds. Texts named packed are base64 of gzip.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ShareReport {
    /// Version of Stepscope that wrote it.
    pub version: String,
    /// Name of the session.
    pub session: String,
    /// When the session's time 0 was, milliseconds since the Unix epoch; absent in old files.
    #[ts(type = "number | null")]
    pub captured_epoch_ms: Option<u64>,
    /// When it was written, milliseconds since the Unix epoch.
    #[ts(type = "number | null")]
    pub written_epoch_ms: Option<u64>,
    /// What was taken out before, a sentence; empty where nothing was.
    pub redaction: String,
    /// Options that selected a part of the session, by name.
    pub selection: Vec<(String, String)>,
    /// What there was no room for, a sentence each.
    pub left_out: Vec<String>,
    /// Options that only limit rows: the report has its own limits.
    pub row_limits: Vec<String>,
    /// Answers of the server beside those of analyses, by relative URL; JSON, packed.
    pub shell: BTreeMap<String, String>,
    /// Answers of analyses by question, such as `ops?by=category`; JSON, packed.
    pub answers: BTreeMap<String, String>,
    /// Questions that have no answer, and why.
    pub refusals: BTreeMap<String, String>,
    /// Labels that the tiles name: JSON, packed.
    pub labels: String,
    /// Tiles of the timeline, for tracks that stand together.
    pub tiles: Vec<ShareTileGroup>,
    /// Details of the longest slices by `track/lane/index`: JSON, packed.
    pub details: String,
    /// How many slices have details.
    pub detail_count: usize,
}

/// Tiles of some tracks.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ShareTileGroup {
    /// The tracks, all of which are in each tile.
    pub tracks: Vec<u32>,
    /// Binary tiles by `level/index`, packed. Where a tile is not here, the finest one around it holds
    /// all there is.
    pub tiles: BTreeMap<String, String>,
}

/// A report that holds nothing yet.
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
        selection: options.to_vec(),
        left_out: Vec::new(),
        row_limits: ROW_LIMITS.iter().map(|&name| name.to_owned()).collect(),
        shell: BTreeMap::new(),
        answers: BTreeMap::new(),
        refusals: BTreeMap::new(),
        labels: String::new(),
        tiles: Vec::new(),
        details: String::new(),
        detail_count: 0,
    }
}
