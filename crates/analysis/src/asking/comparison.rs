//! Questions about several sessions: the same declaration as an analysis of one, a list of their own.
//!
//! What differs is who is asked: sessions in the order in which they were given, each with the name
//! by which the reader knows it. Options, report, tables, JSON and CSV are those of any analysis.

use clap::{ArgMatches, Args, FromArgMatches};
use stepscope_model::Session;

use super::analysis::{Declaration, has_events, parsed};
use super::answer::Answer;
use super::error::AnalysisError;
use super::group::Group;
use super::names::{distinct_names, numbered, whole_places};
use super::report::Report;

/// One of the sessions that are asked.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// Name by which the reader knows it; no two of one question have the same.
    pub name: &'a str,
    /// The session.
    pub session: &'a Session,
}

/// Which sessions of a path are asked where none is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// The newest of each path, as most questions mean.
    NewestSession,
    /// All of them; each is called by its whole place, below what all places share.
    EverySession,
}

/// The text of a file that is no session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedText {
    /// The file's name.
    pub name: String,
    /// What stands in it.
    pub text: String,
}

/// What a question about several sessions declares. Every surface is generated from this.
pub trait Comparison {
    /// Name: the folder, the subcommand, the route.
    const NAME: &'static str;
    /// Other names it answers to.
    const ALIASES: &'static [&'static str];
    /// One line.
    const SUMMARY: &'static str;
    /// One or more example commands with a comment each, for `--help`.
    const EXAMPLES: &'static str;
    /// Where it stands in menus.
    const GROUP: Group;
    /// With fewer sessions it has nothing to say.
    const LEAST_SESSIONS: usize;
    /// It asks of what happened in time, so that memory snapshots or programs alone give it nothing
    /// to say.
    const NEEDS_EVENTS: bool = true;
    /// Which sessions of a path it asks.
    const ASKS: Asks = Asks::NewestSession;
    /// It also takes JSON files that are no sessions.
    const TAKES_FILES: bool = false;
    /// Options, declared once as clap arguments.
    type Options: Args + FromArgMatches;
    /// What it answers.
    type Report: Report + 'static;

    /// Puts such files into the options.
    fn with_files(_options: &mut Self::Options, _files: Vec<NamedText>) {}

    /// How many sessions these options want.
    fn least_sessions(_options: &Self::Options) -> usize {
        Self::LEAST_SESSIONS
    }

    /// The computation. Sessions come in the order in which they were given: where one is measured
    /// against the others, it is the first.
    fn run(
        sessions: &[Compared<'_>],
        options: &Self::Options,
    ) -> Result<Self::Report, AnalysisError>;
}

/// One comparison in the list, its types erased.
pub struct ComparisonEntry {
    declaration: Declaration,
    /// See [`Comparison::LEAST_SESSIONS`].
    pub least_sessions: usize,
    /// See [`Comparison::ASKS`].
    pub asks: Asks,
    /// See [`Comparison::TAKES_FILES`].
    pub takes_files: bool,
    least: fn(&ArgMatches) -> Result<usize, AnalysisError>,
    run: RunComparison,
}

type RunComparison =
    fn(&[Compared<'_>], Vec<NamedText>, &ArgMatches) -> Result<Answer, AnalysisError>;

impl std::ops::Deref for ComparisonEntry {
    type Target = Declaration;

    fn deref(&self) -> &Declaration {
        &self.declaration
    }
}

impl ComparisonEntry {
    pub(crate) const fn of<C: Comparison>() -> Self {
        Self {
            declaration: Declaration {
                name: C::NAME,
                aliases: C::ALIASES,
                summary: C::SUMMARY,
                group: C::GROUP,
                examples: C::EXAMPLES,
                augment: |command| C::Options::augment_args(command),
                tables: C::Report::declared,
                figures: C::Report::figures,
            },
            least_sessions: C::LEAST_SESSIONS,
            asks: C::ASKS,
            takes_files: C::TAKES_FILES,
            least: |matches| Ok(C::least_sessions(&parsed::<C::Options>(matches)?)),
            run: |sessions, files, matches| {
                let mut options = parsed::<C::Options>(matches)?;
                C::with_files(&mut options, files);
                ask::<C>(sessions, &options).map(Answer::of)
            },
        }
    }

    /// How many sessions it wants with these options.
    pub fn least_sessions(&self, matches: &ArgMatches) -> Result<usize, AnalysisError> {
        (self.least)(matches)
    }

    /// Runs with options parsed by a command that [`Declaration::augment`] made.
    pub fn run_matches(
        &self,
        sessions: &[Compared<'_>],
        matches: &ArgMatches,
    ) -> Result<Answer, AnalysisError> {
        self.run_with_files(sessions, Vec::new(), matches)
    }

    /// The same with files that are no sessions, where it [takes](Comparison::TAKES_FILES) them.
    pub fn run_with_files(
        &self,
        sessions: &[Compared<'_>],
        files: Vec<NamedText>,
        matches: &ArgMatches,
    ) -> Result<Answer, AnalysisError> {
        (self.run)(sessions, files, matches)
    }

    /// Runs with options as name and value: `("steps", "3..8")`.
    pub fn run_pairs<'a>(
        &self,
        sessions: &[Compared<'_>],
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Answer, AnalysisError> {
        self.run_matches(sessions, &self.matches(pairs)?)
    }

    /// The same with files that are no sessions.
    pub fn run_pairs_with_files<'a>(
        &self,
        sessions: &[Compared<'_>],
        files: Vec<NamedText>,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Answer, AnalysisError> {
        self.run_with_files(sessions, files, &self.matches(pairs)?)
    }

    /// Names by which the sessions are told apart, of their names and where they lie.
    pub fn names<'a>(&self, sessions: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
        match self.asks {
            Asks::NewestSession => distinct_names(sessions),
            Asks::EverySession => numbered(whole_places(sessions)),
        }
    }
}

/// Asks sessions, if they can be asked: for those who want the report itself.
pub fn ask<C: Comparison>(
    sessions: &[Compared<'_>],
    options: &C::Options,
) -> Result<C::Report, AnalysisError> {
    let wanted = C::least_sessions(options);
    if sessions.len() < wanted {
        return Err(AnalysisError::TooFewSessions {
            name: C::NAME,
            wanted,
            given: sessions.len(),
        });
    }
    if C::NEEDS_EVENTS {
        for one in sessions {
            has_events(one.session, C::NAME).map_err(|error| error.of_session(one.name))?;
        }
    }
    unless_any_changed(sessions, || C::run(sessions, options))
}

/// [`AnalysisError::unless_changed`] for all sessions of a question.
fn unless_any_changed<T>(
    sessions: &[Compared<'_>],
    compute: impl FnOnce() -> Result<T, AnalysisError>,
) -> Result<T, AnalysisError> {
    let check = || {
        sessions.iter().try_for_each(|one| {
            AnalysisError::if_changed(one.session).map_err(|error| error.of_session(one.name))
        })
    };
    check()?;
    let computed = compute();
    check()?;
    computed
}
