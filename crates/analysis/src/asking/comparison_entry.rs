//! Comparisons as every surface finds them in the list: without types, with options as arguments.

use clap::{ArgMatches, Args as _};

use super::analysis::{Declaration, has_events, parsed};
use super::answer::Answer;
use super::comparison::{Asks, Compared, Comparison, NamedText};
use super::each::{AsksEach, EachSession, measured_text};
use super::error::AnalysisError;
use super::names::{distinct_names, numbered, whole_places};
use super::report::Report as _;

/// One comparison in the list, with its types erased.
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
    each: Option<Each>,
}

/// What an entry has if it asks sessions one after another.
struct Each {
    run: RunEach,
    measured: fn(Compared<'_>) -> Result<String, AnalysisError>,
}

type RunComparison =
    fn(&[Compared<'_>], Vec<NamedText>, &ArgMatches) -> Result<Answer, AnalysisError>;

type RunEach =
    fn(&mut dyn EachSession, Vec<NamedText>, &ArgMatches) -> Result<Answer, AnalysisError>;

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
            each: None,
        }
    }

    pub(crate) const fn each<C: AsksEach>() -> Self {
        Self {
            each: Some(Each {
                run: |sessions, files, matches| {
                    let mut options = parsed::<C::Options>(matches)?;
                    C::with_files(&mut options, files);
                    C::run_each(sessions, &options).map(Answer::of)
                },
                measured: measured_text::<C>,
            }),
            ..Self::of::<C>()
        }
    }

    /// Whether it asks sessions one after another: see [`AsksEach`].
    pub const fn asks_each(&self) -> bool {
        self.each.is_some()
    }

    /// Runs with parsed options and with files that are no sessions, one session after the other: for
    /// comparisons that [ask so](Self::asks_each).
    pub fn run_matches_each(
        &self,
        sessions: &mut dyn EachSession,
        files: Vec<NamedText>,
        matches: &ArgMatches,
    ) -> Result<Answer, AnalysisError> {
        let together = || format!("{} asks all sessions together", self.name);
        let each = self.each.as_ref();
        let each = each.ok_or_else(|| AnalysisError::Internal(together()))?;
        (each.run)(sessions, files, matches)
    }

    /// The same, with options as name and value.
    pub fn run_pairs_each<'a>(
        &self,
        sessions: &mut dyn EachSession,
        files: Vec<NamedText>,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Answer, AnalysisError> {
        self.run_matches_each(sessions, files, &self.matches(pairs)?)
    }

    /// What it measures of a whole session by itself, to be kept: another time, it takes the
    /// place of the session. None if it has to hold all sessions: see [`Self::asks_each`].
    pub fn measured(&self, one: Compared<'_>) -> Option<Result<String, AnalysisError>> {
        let each = self.each.as_ref()?;
        Some((each.measured)(one))
    }

    /// Minimum number of sessions with these options.
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

    /// Like [`Self::run_matches`], with files that are not sessions, if the comparison
    /// [takes](Comparison::TAKES_FILES) them.
    pub fn run_with_files(
        &self,
        sessions: &[Compared<'_>],
        files: Vec<NamedText>,
        matches: &ArgMatches,
    ) -> Result<Answer, AnalysisError> {
        (self.run)(sessions, files, matches)
    }

    /// Runs with options given as names and values: `("steps", "3..8")`.
    pub fn run_pairs<'a>(
        &self,
        sessions: &[Compared<'_>],
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Answer, AnalysisError> {
        self.run_matches(sessions, &self.matches(pairs)?)
    }

    /// Like [`Self::run_pairs`], with files that are not sessions.
    pub fn run_pairs_with_files<'a>(
        &self,
        sessions: &[Compared<'_>],
        files: Vec<NamedText>,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Answer, AnalysisError> {
        self.run_with_files(sessions, files, &self.matches(pairs)?)
    }

    /// Distinct names for sessions, from their names and paths.
    pub fn names<'a>(&self, sessions: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
        match self.asks {
            Asks::NewestSession => distinct_names(sessions),
            Asks::EverySession => numbered(whole_places(sessions)),
        }
    }
}

/// Runs a comparison and returns its typed report, after checking that the sessions are suitable.
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
