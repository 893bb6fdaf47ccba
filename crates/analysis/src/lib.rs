//! Analyses: pure functions from a [`Session`](stepscope_model::Session) to a typed report.
//!
//! The folders are layers; each uses only those above it in this list:
//!
//! | Layer | Contents |
//! |---|---|
//! | [`measuring`] | figures from a session: selections, intervals, work, steps, busy time, host activity |
//! | [`telling`] | figures as text: cells, columns, formats, notes, thresholds, hints |
//! | [`asking`] | the form of questions and answers: options, reports, errors, order |
//! | [`views`] | analyses that describe one session, one folder each |
//! | [`judging`] | analyses that judge one session: `verdict`, `advice` |
//! | [`comparing`] | questions about several sessions |
//! | [`catalogue`] | the lists of all analyses and comparisons |
//!
//! Each analysis is one folder: `report.rs` (its report), `columns.rs` (its columns), `mod.rs` (name,
//! options, computation). `cargo xtask lint` checks the order of the layers.
//!
//! Constraints: no files, no HTML, no terminal; only reports are serializable.

pub mod asking;
pub mod catalogue;
pub mod comparing;
pub mod judging;
pub mod measuring;
pub mod telling;
pub mod views;

pub use asking::{
    Analysis, AnalysisError, Answer, Compared, Comparison, ComparisonEntry, Declaration, Entry,
    Group, Selection,
};
pub use catalogue::{ANALYSES, COMPARISONS, find, find_comparison};
pub use telling::{
    Adds, Better, Cell, CellRef, Column, Declared, Note, NoteKind, Table, Unit, format,
};
