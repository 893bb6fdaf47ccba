//! Analyses: pure functions from a [`Session`](stepscope_model::Session) to a typed report.
//!
//! The folders are layers; each uses only those above it in this list:
//!
//! | Layer | What it holds |
//! |---|---|
//! | [`measuring`] | what is read from a session: selections, intervals, work, steps, busy time, host activity |
//! | [`telling`] | how it is said: cells, columns, formats, notes, thresholds, hints |
//! | [`asking`] | what a question is: options, reports, errors, order |
//! | [`views`] | analyses that describe one session, one folder each |
//! | [`judging`] | analyses that judge one session: `verdict`, `advice` |
//! | [`comparing`] | questions about several sessions |
//! | [`catalogue`] | the lists of all analyses and comparisons |
//!
//! One analysis is one folder: `report.rs` (what it answers), `columns.rs` (its columns), `mod.rs`
//! (name, options, computation). `cargo xtask lint` checks the order of the layers.
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
