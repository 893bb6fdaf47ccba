//! The one list of analyses, and what each declares.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::Serialize;
use stepscope_model::Session;

use crate::cell::Table;
use crate::group::Group;
use crate::note::Note;

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
    /// It asks of what happened in time, so that memory snapshots alone give it nothing to say.
    /// It asks of what happened in time, so that memory snapshots or programs alone give it nothing
    /// to say.
    const NEEDS_EVENTS: bool = true;
    /// Options, declared once as clap arguments; HTTP and Python build the same arguments.
    type Options: Args + FromArgMatches;
    /// What it answers.
    type Report: Report + 'static;

    /// The computation.
    fn run(session: &Session, options: &Self::Options) -> Result<Self::Report, AnalysisError>;
}

/// What every report can do.
pub trait Report: Serialize + Send {
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
}

/// One analysis in the list, its types erased.
pub struct Entry {
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
    run: fn(&Session, &ArgMatches) -> Result<Answer, AnalysisError>,
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
}

impl Answer {
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
}

/// Why an analysis gave no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The options are not of the analysis' form.
    #[error("{0}")]
    Options(String),
    /// A selection matches nothing.
    #[error("{what} matches nothing; there are: {available}")]
    NothingSelected {
        /// The option and its value.
        what: String,
        /// What could have been selected.
        available: String,
    },
    /// The session is memory snapshots, and the question is of something else.
    #[error("a memory profile holds no events, so there is no {name} of it")]
    NoEvents {
        /// The analysis that was asked.
        name: &'static str,
    },
    /// The session is programs, and the question is of what happened when they ran.
    #[error("the HLO of programs holds no events, so there is no {name} of it")]
    NeverRan {
        /// The analysis that was asked.
        name: &'static str,
    },
    /// A defect of ours.
    #[error("the analysis failed inside: {0}")]
    Internal(String),
}

impl Entry {
    const fn of<A: Analysis>() -> Self {
        Self {
            name: A::NAME,
            aliases: A::ALIASES,
            summary: A::SUMMARY,
            group: A::GROUP,
            examples: A::EXAMPLES,
            augment: |command| A::Options::augment_args(command),
            run: |session, matches| {
                let options = A::Options::from_arg_matches(matches)
                    .map_err(|error| AnalysisError::Options(error.to_string()))?;
                if A::NEEDS_EVENTS && session.is_memory_only() {
                    return Err(AnalysisError::NoEvents { name: A::NAME });
                }
                if A::NEEDS_EVENTS && session.is_program_only() {
                    return Err(AnalysisError::NeverRan { name: A::NAME });
                }
                let report = A::run(session, &options)?;
                Ok(Answer {
                    report: Box::new(report),
                })
            },
        }
    }

    /// The analysis' options as a clap command, to which the CLI adds its own arguments.
    pub fn command(&self) -> Command {
        self.augment(Command::new(self.name).about(self.summary))
    }

    /// Adds the analysis' options to a command, whose description stays what it is.
    pub fn augment(&self, command: Command) -> Command {
        let about = command.get_about().cloned().unwrap_or_default();
        // clap takes the doc comment of the options for a description of the command.
        (self.augment)(command)
            .about(about)
            .long_about(None::<&'static str>)
    }

    /// Runs with options parsed by a command that [`Entry::augment`] made.
    pub fn run_matches(
        &self,
        session: &Session,
        matches: &ArgMatches,
    ) -> Result<Answer, AnalysisError> {
        (self.run)(session, matches)
    }

    /// Runs with options as name and value, as HTTP and Python have them: `("steps", "3..8")`.
    /// A flag is given as `("name", "true")`.
    pub fn run_pairs<'a>(
        &self,
        session: &Session,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Answer, AnalysisError> {
        let command = self.command().no_binary_name(true).disable_help_flag(true);
        let mut arguments = Vec::new();
        for (name, value) in pairs {
            let is_flag = command.get_arguments().any(|argument| {
                argument.get_long() == Some(name) && !argument.get_action().takes_values()
            });
            match (is_flag, value) {
                (true, "false" | "0") => {}
                (true, _) => arguments.push(format!("--{name}")),
                (false, _) => arguments.push(format!("--{name}={value}")),
            }
        }
        let matches = command
            .try_get_matches_from(arguments)
            .map_err(|error| AnalysisError::Options(error.to_string()))?;
        self.run_matches(session, &matches)
    }
}

/// All analyses, in menu order.
pub static ANALYSES: &[Entry] = &[
    Entry::of::<crate::overview::Overview>(),
    Entry::of::<crate::advice::Advice>(),
    Entry::of::<crate::verdict::Verdict>(),
    Entry::of::<crate::timeline::Timeline>(),
    Entry::of::<crate::steps::Steps>(),
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
