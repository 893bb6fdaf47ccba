//! What every report can do.

use crate::telling::Note;
use crate::telling::{Declared, DeclaredColumn, Table};
use serde::Serialize;

/// What every report can do.
pub trait Report: Serialize + Send {
    /// The tables it may have, main table first, with the meaning of their columns.
    fn declared() -> Vec<Declared>
    where
        Self: Sized;
    /// Its key figures next to the tables.
    fn figures() -> Vec<DeclaredColumn>
    where
        Self: Sized,
    {
        Vec::new()
    }
    /// The report as tables, main table first.
    fn tables(&self) -> Vec<Table>;
    /// Notes.
    fn notes(&self) -> &[Note];
    /// The answer in plain sentences; where there are any, people get these instead of the tables.
    fn sentences(&self) -> &[String] {
        &[]
    }
    /// A text that was asked for as it is, such as a listing for another program; it is printed
    /// instead of everything else.
    fn document(&self) -> Option<&str> {
        None
    }
    /// A few lines of figures above the tables: name and value, formatted; may be empty.
    fn headline(&self) -> Vec<(String, String)> {
        Vec::new()
    }
    /// Lines above the tables: a chart of characters, with what is to be read from it.
    fn chart(&self) -> Vec<String> {
        Vec::new()
    }
    /// Keys of tables that only programs want here: as CSV and Arrow, not among those for people.
    fn unprinted(&self) -> &'static [&'static str] {
        &[]
    }
    /// Keys of tables that say little here: people get them with `--wide` or by name.
    fn only_wide(&self) -> Vec<&'static str> {
        Vec::new()
    }
}
