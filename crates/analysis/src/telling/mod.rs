//! Telling: turns figures into text, tables, notes and hints.

pub mod attribution;
mod cell;
mod column;
pub mod csv;
pub mod escape;
pub mod format;
pub(crate) mod launched_graphs;
mod loop_kind;
pub(crate) mod mangled;
mod note;
mod nothing;
pub mod places;
pub(crate) mod recording;
pub mod shell;
pub(crate) mod steps;
mod table;
pub mod thresholds;
mod unknown_copies;
pub mod words;

pub(crate) use cell::indented;
pub use cell::{Cell, CellRef};
pub use column::{Adds, Better, Column, Declared, DeclaredColumn, Field, Identity, Unit};
pub use note::{Note, NoteKind};
pub(crate) use nothing::no_device_work;
pub use steps::{between_in_words, found_in_words};
pub use table::Table;
pub(crate) use unknown_copies::unknown_copies;
pub use words::{Word, Words};
