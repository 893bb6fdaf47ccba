//! The one list of analyses, and what each declares; beside it, in [`comparison`], the list of
//! those that ask several sessions at once.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::Serialize;
use stepscope_model::{Reads, Session};

use crate::cell::{Declared, Table};
use crate::group::Group;
use crate::note::Note;

mod comparison;
mod refusal;

pub use comparison::{
    Asks, COMPARISONS, Compared, Comparison, ComparisonEntry, NamedText, ask, distinct_names,
    find_comparison,
};

/// What an analysis declares. Every surface is generated from this.
pub trait Analysis {
    /// Name: the folder, the subcommand, the route.
    const NAME: &'static str;
    /// XProf's names for it.
    const ALIASES: &'static [&'static str];
    /// One line.
    const SUMMARY: &'static str;
    /// One or more example commands with a comment each, for `--help`.
    const EXAMPLES: &'static str;
    /// Where it stands in menus.
    const GROUP: Group;
    /// It asks of what happened in time, so that memory snapshots or programs alone give it nothing
    /// to say.
    const NEEDS_EVENTS: bool = true;
    /// What of a profile it takes its answer from. A test over whole captures holds those that do
    /// not read everything to it.
    const READS: Reads = Reads::Everything;
    /// Options, declared once as clap arguments; HTTP and Python build the same arguments.
    type Options: Args + FromArgMatches;
    /// What it answers.
    type Report: Report + 'static;

    /// The computation.
    fn run(session: &Session, options: &Self::Options) -> Result<Self::Report, AnalysisError>;
}

/// What every report can do.
pub trait Report: Serialize + Send {
    /// The tables it may have, main table first, with the meaning of their columns.
    fn declared() -> Vec<Declared>
    where
        Self: Sized;
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

/// What is declared of a question, its types erased: what menus, help and parsers are made of.
pub struct Declaration {
    /// See [`Analysis::NAME`].
    pub name: &'static str,
    /// See [`Analysis::ALIASES`].
    pub aliases: &'static [&'static str],
    /// See [`Analysis::SUMMARY`].
    pub summary: &'static str,
    /// See [`Analysis::GROUP`].
    pub group: Group,
    /// See [`Analysis::EXAMPLES`].
    pub examples: &'static str,
    augment: fn(Command) -> Command,
    tables: fn() -> Vec<Declared>,
}

/// One analysis in the list, its types erased.
pub struct Entry {
    declaration: Declaration,
    reads: Reads,
    run: fn(&Session, &ArgMatches) -> Result<Answer, AnalysisError>,
}

impl std::ops::Deref for Entry {
    type Target = Declaration;

    fn deref(&self) -> &Declaration {
        &self.declaration
    }
}

/// A report, its type erased.
pub struct Answer {
    report: Box<dyn ErasedReport>,
}

trait ErasedReport: Send {
    fn json(&self) -> Result<serde_json::Value, serde_json::Error>;
    fn json_text(&self) -> Result<String, serde_json::Error>;
    fn tables(&self) -> Vec<Table>;
    fn notes(&self) -> &[Note];
    fn sentences(&self) -> &[String];
    fn document(&self) -> Option<&str>;
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
    /// The answer that a report is.
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

    /// The report as JSON text, keys in the order of the struct.
    pub fn json_text(&self) -> Result<String, AnalysisError> {
        self.report
            .json_text()
            .map_err(|error| AnalysisError::Internal(error.to_string()))
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

/// Why an analysis gave no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The options are not of the analysis' form.
    #[error("{0}")]
    Options(String),
    /// A selection matches nothing.
    #[error("{what} matches nothing; available: {available}")]
    NothingSelected {
        /// The option and its value.
        what: String,
        /// What could have been selected.
        available: String,
    },
    /// The session is memory snapshots, and the question is of something else.
    #[error("a memory profile holds no events, so `{name}` has nothing to go by")]
    NoEvents {
        /// The analysis that was asked.
        name: &'static str,
    },
    /// The session is programs, and the question is of what happened when they ran.
    #[error("the HLO of programs holds no events, so `{name}` has nothing to go by")]
    NeverRan {
        /// The analysis that was asked.
        name: &'static str,
    },
    /// Too few sessions for a question about several.
    #[error("{name} needs at least {wanted} sessions; got {given}")]
    TooFewSessions {
        /// The comparison that was asked.
        name: &'static str,
        /// How many it needs.
        wanted: usize,
        /// How many there were.
        given: usize,
    },
    /// A question about several sessions failed at one of them.
    #[error("{session}: {source}")]
    OfSession {
        /// Name of the session.
        session: String,
        /// Why.
        source: Box<Self>,
    },
    /// A defect of ours.
    #[error("the analysis failed inside: {0}")]
    Internal(String),
}

impl Declaration {
    /// The tables that an answer may have, with their columns: see [`Report::declared`].
    pub fn tables(&self) -> Vec<Declared> {
        (self.tables)()
    }

    /// The options as a clap command, to which the CLI adds its own arguments.
    pub fn command(&self) -> Command {
        self.augment(Command::new(self.name).about(self.summary))
    }

    /// Adds the options to a command, whose description stays what it is.
    pub fn augment(&self, command: Command) -> Command {
        let about = command.get_about().cloned().unwrap_or_default();
        // clap takes the doc comment of the options for a description of the command.
        (self.augment)(command)
            .about(about)
            .long_about(None::<&'static str>)
    }

    /// Options as name and value, as HTTP and Python have them: `("steps", "3..8")`. A flag is given
    /// as `("name", "true")` or `("name", "false")`.
    ///
    /// # Errors
    ///
    /// An option is unknown or its value is refused.
    pub fn matches<'a>(
        &self,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<ArgMatches, AnalysisError> {
        let command = self.command().no_binary_name(true).disable_help_flag(true);
        let mut arguments = Vec::new();
        for (name, value) in pairs {
            let is_flag = command.get_arguments().any(|argument| {
                argument.get_long() == Some(name) && !argument.get_action().takes_values()
            });
            match (is_flag, value) {
                (true, "false" | "0") => {}
                (true, "true" | "1") => arguments.push(format!("--{name}")),
                (true, _) => {
                    let refusal = format!("--{name} {value}: true or false is needed");
                    return Err(AnalysisError::Options(refusal));
                }
                (false, _) => arguments.push(format!("--{name}={value}")),
            }
        }
        let parsed = command.clone().try_get_matches_from(arguments);
        parsed.map_err(|error| AnalysisError::Options(refusal::sentence(&error, &command)))
    }
}

/// The options of an analysis, out of arguments that its own command parsed.
fn parsed<O: FromArgMatches>(matches: &ArgMatches) -> Result<O, AnalysisError> {
    O::from_arg_matches(matches).map_err(|error| AnalysisError::Options(error.to_string()))
}

impl Entry {
    const fn of<A: Analysis>() -> Self {
        Self {
            declaration: Declaration {
                name: A::NAME,
                aliases: A::ALIASES,
                summary: A::SUMMARY,
                group: A::GROUP,
                examples: A::EXAMPLES,
                augment: |command| A::Options::augment_args(command),
                tables: A::Report::declared,
            },
            reads: A::READS,
            run: |session, matches| {
                let options = parsed::<A::Options>(matches)?;
                if A::NEEDS_EVENTS {
                    has_events(session, A::NAME)?;
                }
                let report = A::run(session, &options)?;
                Ok(Answer::of(report))
            },
        }
    }

    /// See [`Analysis::READS`].
    pub const fn usually_reads(&self) -> Reads {
        self.reads
    }

    /// What of a profile the answer with these options is taken from: see [`Analysis::READS`]. Times
    /// are chosen out of all that was recorded, threads of the host included.
    pub fn reads(&self, matches: &ArgMatches) -> Reads {
        match matches.try_get_one::<String>("time") {
            Ok(Some(_)) => Reads::Everything,
            _ => self.reads,
        }
    }

    /// Runs with options parsed by a command that [`Declaration::augment`] made.
    pub fn run_matches(
        &self,
        session: &Session,
        matches: &ArgMatches,
    ) -> Result<Answer, AnalysisError> {
        (self.run)(session, matches)
    }

    /// Runs with options as name and value: `("steps", "3..8")`.
    pub fn run_pairs<'a>(
        &self,
        session: &Session,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Answer, AnalysisError> {
        self.run_matches(session, &self.matches(pairs)?)
    }
}

/// Refuses sessions in which nothing happens in time.
fn has_events(session: &Session, name: &'static str) -> Result<(), AnalysisError> {
    if session.is_memory_only() {
        return Err(AnalysisError::NoEvents { name });
    }
    if session.is_program_only() {
        return Err(AnalysisError::NeverRan { name });
    }
    Ok(())
}

/// All analyses, in menu order.
pub static ANALYSES: &[Entry] = &[
    Entry::of::<crate::overview::Overview>(),
    Entry::of::<crate::advice::Advice>(),
    Entry::of::<crate::verdict::Verdict>(),
    Entry::of::<crate::timeline::Timeline>(),
    Entry::of::<crate::steps::Steps>(),
    Entry::of::<crate::regions::Regions>(),
    Entry::of::<crate::ops::Ops>(),
    Entry::of::<crate::op_tree::OpTree>(),
    Entry::of::<crate::scopes::Scopes>(),
    Entry::of::<crate::kernels::Kernels>(),
    Entry::of::<crate::roofline::Roofline>(),
    Entry::of::<crate::graph::Graph>(),
    Entry::of::<crate::counters::Counters>(),
    Entry::of::<crate::memory::Memory>(),
    Entry::of::<crate::buffers::Buffers>(),
    Entry::of::<crate::heap::Heap>(),
    Entry::of::<crate::idle::Idle>(),
    Entry::of::<crate::input::Input>(),
    Entry::of::<crate::compile::Compile>(),
    Entry::of::<crate::collectives::Collectives>(),
    Entry::of::<crate::hosts::Hosts>(),
    Entry::of::<crate::requests::Requests>(),
];

/// The analysis with this name or alias.
pub fn find(name: &str) -> Option<&'static Entry> {
    ANALYSES
        .iter()
        .find(|entry| entry.name == name || entry.aliases.contains(&name))
}
