//! Questions about several sessions: the same declaration as an analysis of one, a list of their own.
//!
//! What differs is who is asked: sessions in the order in which they were given, each with the name
//! by which the reader knows it. Options, report, tables, JSON and CSV are those of any analysis.

use clap::{ArgMatches, Args, FromArgMatches};
use stepscope_model::Session;

use super::{AnalysisError, Answer, Declaration, Report, has_events, parsed};
use crate::group::Group;

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
    const fn of<C: Comparison>() -> Self {
        Self {
            declaration: Declaration {
                name: C::NAME,
                aliases: C::ALIASES,
                summary: C::SUMMARY,
                group: C::GROUP,
                examples: C::EXAMPLES,
                augment: |command| C::Options::augment_args(command),
                tables: C::Report::declared,
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
    C::run(sessions, options)
}

impl AnalysisError {
    /// The error, saying at which of several sessions it came up.
    #[must_use]
    pub fn of_session(self, name: &str) -> Self {
        Self::OfSession {
            session: name.to_owned(),
            source: Box::new(self),
        }
    }
}

/// All comparisons, in menu order.
pub static COMPARISONS: &[ComparisonEntry] = &[
    ComparisonEntry::of::<crate::compare::Compare>(),
    ComparisonEntry::of::<crate::scaling::Scaling>(),
    ComparisonEntry::of::<crate::check::Check>(),
    ComparisonEntry::of::<crate::history::History>(),
];

/// The comparison with this name or alias.
pub fn find_comparison(name: &str) -> Option<&'static ComparisonEntry> {
    COMPARISONS
        .iter()
        .find(|entry| entry.name == name || entry.aliases.contains(&name))
}

/// Names by which sessions are told apart, of their names and where they lie: the names where all
/// differ, else with as much of the place as makes them differ, else numbered.
pub fn distinct_names<'a>(sessions: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let sessions: Vec<(&str, &str)> = sessions.into_iter().collect();
    let mut names: Vec<String> = sessions
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let folders: Vec<Vec<&str>> = sessions.iter().map(|(_, place)| parts(place)).collect();
    for (index, name) in names.iter_mut().enumerate() {
        let twins = (0..sessions.len())
            .filter(|&other| other != index && sessions[other].0 == sessions[index].0);
        // The nearest folder that no twin has at the same distance from its end.
        let own = folders[index].iter().rev();
        let differs = own.enumerate().find(|(distance, part)| {
            let mut twins = twins.clone();
            twins.all(|twin| folders[twin].iter().rev().nth(*distance) != Some(*part))
        });
        if twins.clone().next().is_some()
            && let Some((_, part)) = differs
        {
            *name = format!("{part}/{name}");
        }
    }
    numbered(names)
}

/// The names, those that were there before with a number.
fn numbered(mut names: Vec<String>) -> Vec<String> {
    let plain = names.clone();
    for (index, name) in names.iter_mut().enumerate() {
        let earlier = plain[..index]
            .iter()
            .filter(|other| **other == plain[index]);
        let count = earlier.count();
        if count > 0 {
            *name = format!("{name} ({})", count + 1);
        }
    }
    names
}

/// Where sessions lie, without the folders that all lie in; the last part always stays.
fn whole_places<'a>(sessions: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let places: Vec<Vec<&str>> = sessions
        .into_iter()
        .map(|(name, place)| match parts(place) {
            parts if parts.is_empty() => vec![name],
            parts => parts,
        })
        .collect();
    let mut shared = 0;
    while let Some(part) = places.first().and_then(|first| first.get(shared)) {
        let is_shared = |place: &Vec<&str>| place.len() > shared + 1 && place[shared] == *part;
        if !places.iter().all(is_shared) {
            break;
        }
        shared += 1;
    }
    places
        .iter()
        .map(|place| place[shared..].join("/"))
        .collect()
}

/// The parts of a path that people chose.
fn parts(place: &str) -> Vec<&str> {
    let parts = place.split(['/', '\\']);
    parts
        .filter(|part| !matches!(*part, "" | "." | "plugins" | "profile"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{distinct_names, whole_places};

    #[test]
    fn whole_places_begin_where_sessions_part() {
        let places = whole_places([
            ("run", "/logs/1gpu/lcam/plugins/profile/run"),
            ("run", "/logs/2gpu/lcam/plugins/profile/run"),
        ]);
        assert_eq!(places, ["1gpu/lcam/run", "2gpu/lcam/run"]);
        assert_eq!(whole_places([("run", "/logs/a/run")]), ["run"]);
        assert_eq!(whole_places([("demo", "")]), ["demo"]);
        assert_eq!(
            whole_places([("a", "/logs/a"), ("b", "/logs/a")]),
            ["a", "a"]
        );
    }

    #[test]
    fn names_say_what_differs() {
        let apart = distinct_names([("adam", "/x/adam"), ("muon", "/x/muon")]);
        assert_eq!(apart, ["adam", "muon"]);
        let same = [
            ("run", "/logs/adam/plugins/profile/run"),
            ("run", "/logs/muon/plugins/profile/run"),
            ("other", "/logs/other"),
        ];
        assert_eq!(distinct_names(same), ["adam/run", "muon/run", "other"]);
        let itself = [("run", "/logs/run"), ("run", "/logs/run")];
        assert_eq!(distinct_names(itself), ["run", "run (2)"]);
        assert_eq!(distinct_names([("a", ""), ("a", "")]), ["a", "a (2)"]);
    }
}
