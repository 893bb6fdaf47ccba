//! A report with its type erased, as surfaces show it.

use std::io::Write;

use super::error::AnalysisError;
use super::report::Report;
use crate::telling::Note;
use crate::telling::Table;

/// A report with its type erased.
pub struct Answer {
    report: Box<dyn ErasedReport>,
}

trait ErasedReport: Send {
    fn json(&self) -> Result<serde_json::Value, serde_json::Error>;
    fn json_text(&self) -> Result<String, serde_json::Error>;
    fn write_json(&self, to: &mut dyn Write) -> Result<(), serde_json::Error>;
    fn tables(&self) -> Vec<Table>;
    fn notes(&self) -> &[Note];
    fn sentences(&self) -> &[String];
    fn document(&self) -> Option<&str>;
    fn conclusion(&self) -> Option<&str>;
    fn headline(&self) -> Vec<(String, String)>;
    fn chart(&self) -> Vec<String>;
    fn unprinted(&self) -> &'static [&'static str];
    fn only_wide(&self) -> Vec<&'static str>;
}

impl<R: Report> ErasedReport for R {
    fn json(&self) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::to_value(self)
    }
    fn json_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
    fn write_json(&self, to: &mut dyn Write) -> Result<(), serde_json::Error> {
        serde_json::to_writer(to, self)
    }
    fn tables(&self) -> Vec<Table> {
        Report::tables(self)
    }
    fn notes(&self) -> &[Note] {
        Report::notes(self)
    }
    fn sentences(&self) -> &[String] {
        Report::sentences(self)
    }
    fn document(&self) -> Option<&str> {
        Report::document(self)
    }
    fn conclusion(&self) -> Option<&str> {
        Report::conclusion(self)
    }
    fn headline(&self) -> Vec<(String, String)> {
        Report::headline(self)
    }
    fn chart(&self) -> Vec<String> {
        Report::chart(self)
    }
    fn unprinted(&self) -> &'static [&'static str] {
        Report::unprinted(self)
    }

    fn only_wide(&self) -> Vec<&'static str> {
        Report::only_wide(self)
    }
}

impl Answer {
    /// Erases the type of a report.
    pub fn of(report: impl Report + 'static) -> Self {
        Self {
            report: Box::new(report),
        }
    }

    /// The report as a JSON value.
    pub fn json(&self) -> Result<serde_json::Value, AnalysisError> {
        self.report
            .json()
            .map_err(|error| AnalysisError::Internal(error.to_string()))
    }

    /// The report as JSON text, with keys in the order of the struct.
    pub fn json_text(&self) -> Result<String, AnalysisError> {
        self.report
            .json_text()
            .map_err(|error| AnalysisError::Internal(error.to_string()))
    }

    /// Writes that text; fails only if `to` does.
    pub fn write_json(&self, to: &mut dyn Write) -> Result<(), serde_json::Error> {
        self.report.write_json(to)
    }

    /// See [`Report::tables`].
    pub fn tables(&self) -> Vec<Table> {
        self.report.tables()
    }

    /// See [`Report::notes`].
    pub fn notes(&self) -> &[Note] {
        self.report.notes()
    }

    /// See [`Report::sentences`].
    pub fn sentences(&self) -> &[String] {
        self.report.sentences()
    }

    /// See [`Report::document`].
    pub fn document(&self) -> Option<&str> {
        self.report.document()
    }

    /// See [`Report::conclusion`].
    pub fn conclusion(&self) -> Option<&str> {
        self.report.conclusion()
    }

    /// See [`Report::headline`].
    pub fn headline(&self) -> Vec<(String, String)> {
        self.report.headline()
    }

    /// See [`Report::chart`].
    pub fn chart(&self) -> Vec<String> {
        self.report.chart()
    }

    /// See [`Report::unprinted`].
    pub fn unprinted(&self) -> &'static [&'static str] {
        self.report.unprinted()
    }

    /// See [`Report::only_wide`].
    pub fn only_wide(&self) -> Vec<&'static str> {
        self.report.only_wide()
    }
}
