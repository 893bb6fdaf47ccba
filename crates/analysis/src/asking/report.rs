//! The trait that every report implements.

use crate::telling::Note;
use crate::telling::{Declared, DeclaredColumn, Table};
use serde::Serialize;

/// The interface of every report.
pub trait Report: Serialize + Send {
    /// The tables it may contain, main table first, with the meaning of their columns.
    fn declared() -> Vec<Declared>
    where
        Self: Sized;
    /// Its key figures, which are not in tables.
    fn figures() -> Vec<DeclaredColumn>
    where
        Self: Sized,
    {
        Vec::new()
    }
    /// The report as tables, main table first.
    fn tables(&self) -> Vec<Table>;
    /// Notes on the report.
    fn notes(&self) -> &[Note];
    /// The answer in plain sentences. If there are any, people get them instead of the tables.
    fn sentences(&self) -> &[String] {
        &[]
    }
    /// A text to print verbatim instead of everything else, such as a listing for another program.
    fn document(&self) -> Option<&str> {
        None
    }
    /// The answer in one sentence, for a heading; it may also be in the headline.
    fn conclusion(&self) -> Option<&str> {
        None
    }
    /// A few figures above the tables, as formatted names and values; may be empty.
    fn headline(&self) -> Vec<(String, String)> {
        Vec::new()
    }
    /// Lines above the tables: a text chart with its legend.
    fn chart(&self) -> Vec<String> {
        Vec::new()
    }
    /// Keys of tables that are only for programs: available as CSV and Arrow, but not printed.
    fn unprinted(&self) -> &'static [&'static str] {
        &[]
    }
    /// Keys of tables that are printed only with `--wide` or when requested by name.
    fn only_wide(&self) -> Vec<&'static str> {
        Vec::new()
    }
}
