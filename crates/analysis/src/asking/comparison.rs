//! Comparisons: questions about several sessions. They are declared like analyses, in a separate list.
//!
//! A comparison takes the sessions in the given order, each with a name that the reader knows.
//! Options, report, tables, JSON and CSV work as for any analysis.

use clap::{Args, FromArgMatches};
use stepscope_model::Session;

use super::error::AnalysisError;
use super::group::Group;
use super::report::Report;

/// One of the compared sessions.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// Name that the reader knows, unique within the comparison.
    pub name: &'a str,
    /// The session.
    pub session: &'a Session,
}

/// Which sessions of a path are compared if none is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// The newest session of each path.
    NewestSession,
    /// All sessions. Each is named by its path without the folders that all of them share.
    EverySession,
}

/// The text of a file that is not a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedText {
    /// The file's name.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// What a question about several sessions declares. Every surface is generated from this.
pub trait Comparison {
    /// Name: the folder, the subcommand, the route.
    const NAME: &'static str;
    /// Alternative names.
    const ALIASES: &'static [&'static str];
    /// One line.
    const SUMMARY: &'static str;
    /// One or more example commands with a comment each, for `--help`.
    const EXAMPLES: &'static str;
    /// Its group in menus.
    const GROUP: Group;
    /// Minimum number of sessions.
    const LEAST_SESSIONS: usize;
    /// Whether it needs recorded events. If so, it refuses sessions that contain only memory snapshots
    /// or only programs.
    const NEEDS_EVENTS: bool = true;
    /// Which sessions of a path it compares.
    const ASKS: Asks = Asks::NewestSession;
    /// Whether it also accepts JSON files that are not sessions.
    const TAKES_FILES: bool = false;
    /// Options, declared once as clap arguments.
    type Options: Args + FromArgMatches;
    /// The report it returns.
    type Report: Report + 'static;

    /// Adds files that are not sessions to the options.
    fn with_files(_options: &mut Self::Options, _files: Vec<NamedText>) {}

    /// Minimum number of sessions with these options.
    fn least_sessions(_options: &Self::Options) -> usize {
        Self::LEAST_SESSIONS
    }

    /// Computes the report. Sessions are in the given order; the first one is the baseline, if the
    /// comparison has one.
    fn run(
        sessions: &[Compared<'_>],
        options: &Self::Options,
    ) -> Result<Self::Report, AnalysisError>;
}
