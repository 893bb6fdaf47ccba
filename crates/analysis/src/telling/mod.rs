//! Telling: how figures become text, tables, notes and hints.

pub mod attribution;
pub mod cell;
pub mod column;
pub mod format;
pub(crate) mod launched_graphs;
pub mod note;
pub mod places;
pub(crate) mod recording;
pub(crate) mod steps;
pub mod thresholds;

pub use cell::{Cell, CellRef, Declared, Table, Unit};
pub use column::{Adds, Better, Column};
pub use note::{Note, NoteKind};
