//! Groups of analyses: what kind of question each answers.

use serde::Serialize;
use ts_rs::TS;

/// The group of an analysis in menus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Group {
    /// The whole run: the place to start.
    Summary,
    /// What devices computed, and how efficiently.
    Compute,
    /// What holds memory.
    Memory,
    /// Time in which nothing was computed.
    Waiting,
}
