//! What an analysis of one session declares. Every surface is generated from this.

use super::report::Report;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use stepscope_model::{Reads, Session};

use super::answer::Answer;
use super::error::AnalysisError;
use super::group::Group;
use super::refusal;
use crate::telling::{Declared, DeclaredColumn};

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
    /// Its group in menus.
    const GROUP: Group;
    /// Whether it needs recorded events. If so, it refuses sessions that contain only memory snapshots
    /// or only programs.
    const NEEDS_EVENTS: bool = true;
    /// Which data of a profile it reads. A test over whole captures checks that analyses which do not
    /// read everything give the same answer without the rest.
    const READS: Reads = Reads::Everything;
    /// Options, declared once as clap arguments; HTTP and Python build the same arguments.
    type Options: Args + FromArgMatches;
    /// The report it returns.
    type Report: Report + 'static;

    /// Computes the report.
    fn run(session: &Session, options: &Self::Options) -> Result<Self::Report, AnalysisError>;
}

/// The declaration of an analysis or comparison with its types erased, for menus, help and parsers.
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
    pub(super) augment: fn(Command) -> Command,
    pub(super) tables: fn() -> Vec<Declared>,
    pub(super) figures: fn() -> Vec<DeclaredColumn>,
}

/// One analysis in the list, with its types erased.
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

impl Declaration {
    /// The tables that an answer may contain, with their columns; see [`Report::declared`].
    pub fn tables(&self) -> Vec<Declared> {
        (self.tables)()
    }

    /// The key figures of an answer; see [`Report::figures`].
    pub fn figures(&self) -> Vec<DeclaredColumn> {
        (self.figures)()
    }

    /// A clap command with the options, to which the CLI adds its own arguments.
    pub fn command(&self) -> Command {
        self.augment(Command::new(self.name).about(self.summary))
    }

    /// Adds the options to a command and keeps the command's description.
    pub fn augment(&self, command: Command) -> Command {
        let about = command.get_about().cloned().unwrap_or_default();
        // clap would use the doc comment of the options struct as the description.
        (self.augment)(command)
            .about(about)
            .long_about(None::<&'static str>)
    }

    /// Parses options given as names and values, as from HTTP and Python: `("steps", "3..8")`. A flag
    /// is given as `("name", "true")` or `("name", "false")`.
    ///
    /// # Errors
    ///
    /// An option is unknown or its value is invalid.
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
                    let refusal = format!("--{name} {value}: must be true or false");
                    return Err(AnalysisError::Options(refusal));
                }
                (false, _) => arguments.push(format!("--{name}={value}")),
            }
        }
        let parsed = command.clone().try_get_matches_from(arguments);
        parsed.map_err(|error| AnalysisError::Options(refusal::sentence(&error, &command)))
    }
}

/// The options of an analysis, from arguments that its own command parsed.
pub(super) fn parsed<O: FromArgMatches>(matches: &ArgMatches) -> Result<O, AnalysisError> {
    O::from_arg_matches(matches).map_err(|error| AnalysisError::Options(error.to_string()))
}

impl Entry {
    pub(crate) const fn of<A: Analysis>() -> Self {
        Self {
            declaration: Declaration {
                name: A::NAME,
                aliases: A::ALIASES,
                summary: A::SUMMARY,
                group: A::GROUP,
                examples: A::EXAMPLES,
                augment: |command| A::Options::augment_args(command),
                tables: A::Report::declared,
                figures: A::Report::figures,
            },
            reads: A::READS,
            run: |session, matches| {
                let options = parsed::<A::Options>(matches)?;
                if A::NEEDS_EVENTS {
                    has_events(session, A::NAME)?;
                }
                let run = || A::run(session, &options);
                AnalysisError::unless_changed(session, run).map(Answer::of)
            },
        }
    }

    /// See [`Analysis::READS`].
    pub const fn usually_reads(&self) -> Reads {
        self.reads
    }

    /// Which data of a profile the analysis reads with these options; see [`Analysis::READS`]. `--time`
    /// needs everything, because it refers to the whole recording, including host threads.
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

    /// Runs with options given as names and values: `("steps", "3..8")`.
    pub fn run_pairs<'a>(
        &self,
        session: &Session,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Answer, AnalysisError> {
        self.run_matches(session, &self.matches(pairs)?)
    }
}

/// Refuses sessions without events.
pub(super) fn has_events(session: &Session, name: &'static str) -> Result<(), AnalysisError> {
    if session.is_memory_only() {
        return Err(AnalysisError::NoEvents { name });
    }
    if session.is_program_only() {
        return Err(AnalysisError::NeverRan { name });
    }
    Ok(())
}
