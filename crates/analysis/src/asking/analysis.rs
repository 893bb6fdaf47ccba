//! What an analysis of one session declares; every surface is generated from this.

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
    pub(super) augment: fn(Command) -> Command,
    pub(super) tables: fn() -> Vec<Declared>,
    pub(super) figures: fn() -> Vec<DeclaredColumn>,
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

impl Declaration {
    /// The tables that an answer may have, with their columns: see [`Report::declared`].
    pub fn tables(&self) -> Vec<Declared> {
        (self.tables)()
    }

    /// The key figures of an answer: see [`Report::figures`].
    pub fn figures(&self) -> Vec<DeclaredColumn> {
        (self.figures)()
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
pub(super) fn has_events(session: &Session, name: &'static str) -> Result<(), AnalysisError> {
    if session.is_memory_only() {
        return Err(AnalysisError::NoEvents { name });
    }
    if session.is_program_only() {
        return Err(AnalysisError::NeverRan { name });
    }
    Ok(())
}
