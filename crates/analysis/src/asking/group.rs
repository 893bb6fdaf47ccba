//! Groups of analyses: what kind of question each answers.

use serde::Serialize;
use ts_rs::TS;

/// Where an analysis stands in menus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Group {
    /// The whole run: where people begin.
    Summary,
    /// What devices computed, and how well.
    Compute,
    /// Who holds the memory.
    Memory,
    /// Time in which nothing was computed.
    Waiting,
}
