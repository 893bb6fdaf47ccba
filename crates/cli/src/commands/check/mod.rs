//! `stepscope check`: a gate for scripts. Which session is compared with what, the answer in all
//! requested formats, and the exit code.

mod config;
mod github;
mod junit;
mod markdown;
mod place;
mod record;
mod sarif;
mod sessions;
mod told;

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, value_parser};
use stepscope_analysis::asking::{NamedText, ask};
use stepscope_analysis::catalogue::find_comparison;
use stepscope_analysis::comparing::check::{Budget, Check, CheckOptions, split_budgets};
use stepscope_analysis::{Answer, Compared, Comparison, ComparisonEntry};

use super::{analysis, comparison};
use crate::args::{flag, question};
use crate::exit::{Exit, Failure};
use crate::file;
use crate::output::Output;
use config::Settings;
pub use config::gate_settings;
use place::Places;
use told::Told;

/// Name of the command and of its comparison.
pub(crate) const NAME: &str = Check::NAME;

/// The command, options of the comparison included.
pub(crate) fn command(entry: &'static ComparisonEntry) -> Command {
    const BASELINE: &str = "Baseline";
    const RESULT: &str = "Results";
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help(help)
    };
    let path = Arg::new("path")
        .value_name("PATH")
        .required(true)
        .help("The session to check: the newest at a path, or PATH@NAME to choose one of several");
    let session = Arg::new("session")
        .long("session")
        .value_name("SESSION")
        .help("The session of PATH to check, by name, number, or latest~N");
    question(entry, [path, session])
        .arg(
            Arg::new("baseline")
                .long("baseline")
                .value_name("BASELINE")
                .action(ArgAction::Append)
                .help_heading(BASELINE)
                .help(
                    "The baseline to compare with: a path, PATH@NAME, a session of PATH such as \
                        latest~1, \
                     or `history`; may be repeated",
                ),
        )
        .arg(
            Arg::new("baseline-runs")
                .long("baseline-runs")
                .value_name("N")
                .value_parser(value_parser!(usize))
                .help_heading(BASELINE)
                .help(
                    "Compare with the N sessions of PATH before it; 3 or more show how much runs \
                    vary",
                ),
        )
        .arg(
            file(
                "history",
                "Append the figures of this run as a line to this file",
            )
            .help_heading(BASELINE),
        )
        .arg(
            Arg::new("commit")
                .long("commit")
                .value_name("COMMIT")
                .requires("history")
                .help_heading(BASELINE)
                .help(
                    "Commit for the history [default: from the manifest, $GITHUB_SHA, or git \
                        rev-parse HEAD]",
                ),
        )
        .arg(
            flag(
                "accept",
                "Accept this run, whatever it breaks: the history's baseline starts \
                with it",
            )
            .requires("history")
            .help_heading(BASELINE),
        )
        .arg(file(
            "config",
            "Settings and budgets [default: stepscope.toml in this folder or a parent]",
        ))
        .arg(
            Arg::new("target")
                .long("target")
                .value_name("NAME")
                .help("Also apply [targets.NAME] of that file, for example for one kind of chip"),
        )
        .arg(file("junit", "Write the result as JUnit XML to this file").help_heading(RESULT))
        .arg(file("sarif", "Write the result as SARIF 2.1.0 to this file").help_heading(RESULT))
        .arg(
            file(
                "markdown",
                "Write the result as Markdown to this file, for a pull request \
                comment",
            )
            .help_heading(RESULT),
        )
        .arg(
            flag(
                "github",
                "Print the result as GitHub Actions annotations on standard output",
            )
            .conflicts_with_all(["json", "csv", "output"])
            .help_heading(RESULT),
        )
}

/// Checks, writes the result in every requested format, and records the run.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let settings = Settings::of(arguments, output)?;
    let options = options(arguments, &settings)?;
    let entry = find_comparison(NAME)
        .ok_or_else(|| Failure::new(Exit::Failure, "the comparison `check` is not registered"))?;
    let chosen = sessions::choose(arguments, &settings, output)?;
    let opened = comparison::opened(&chosen, output)?;
    let places = chosen
        .iter()
        .map(|one| (one.files.name.as_str(), one.location.as_str()));
    let names = entry.names(places);
    let compared: Vec<Compared<'_>> = names
        .iter()
        .zip(&opened)
        .map(|(name, session)| Compared { name, session })
        .collect();
    let report = ask::<Check>(&compared, &options)?;
    let is_accepted = arguments.get_flag("accept");
    let result = Told {
        report: &report,
        command: sessions::command_line(arguments, &settings, &options),
        places: Places::of(&settings),
    };
    write_files(arguments, &result, output)?;
    if let (Some(path), Some(session)) = (&settings.history, opened.last()) {
        record::append(path, &report, session, arguments, output)?;
    }
    if is_accepted && !report.is_passed {
        output.remark("accepted: the history's baseline starts with this run");
    }
    // Printed last: a reader that closes the pipe early does not change the exit code.
    let answer = Answer::of(report.clone());
    let printed = analysis::print_answer(NAME, &answer, &opened, arguments, output);
    let annotated = printed.and_then(|_| annotate(arguments, &result, output));
    match annotated {
        Ok(()) | Err(Failure::BrokenPipe) => {}
        Err(failure) => return Err(failure),
    }
    Ok(
        if report.is_passed || report.rows.is_empty() || is_accepted {
            Exit::Fine
        } else {
            Exit::Check
        },
    )
}

fn write_files(arguments: &ArgMatches, result: &Told<'_>, output: &Output) -> Result<(), Failure> {
    type Form = fn(&Told<'_>) -> String;
    let forms: [(&str, Form); 3] = [
        ("junit", junit::text),
        ("sarif", sarif::text),
        ("markdown", markdown::text),
    ];
    for (name, form) in forms {
        if let Some(path) = arguments.get_one::<PathBuf>(name) {
            let text = form(result);
            file::write(path, |out| out.write_all(text.as_bytes()))?;
            output.remark(&format!("wrote {}", path.display()));
        }
    }
    Ok(())
}

fn annotate(arguments: &ArgMatches, result: &Told<'_>, output: &Output) -> Result<(), Failure> {
    if arguments.get_flag("github") {
        output.data(&github::text(result))?;
    }
    Ok(())
}

/// Options of the comparison: from the command line, else from the settings of the file.
fn options(arguments: &ArgMatches, settings: &Settings) -> Result<CheckOptions, Failure> {
    let parsed = CheckOptions::from_arg_matches(arguments);
    let mut options = parsed.map_err(|error| Failure::new(Exit::Usage, error.to_string()))?;
    let is_given = |name| arguments.value_source(name) == Some(ValueSource::CommandLine);
    if let Some(confidence) = settings.confidence.filter(|_| !is_given("confidence")) {
        options.confidence = confidence;
    }
    options.run_noise = options.run_noise.or(settings.run_noise);
    options.allow_unknown |= settings.allow_unknown;
    let selection = &mut options.selection;
    for (own, given) in [
        (&mut selection.steps, &settings.steps),
        (&mut selection.time, &settings.time),
        (&mut selection.device, &settings.device),
        (&mut selection.host, &settings.host),
    ] {
        if own.is_none() {
            own.clone_from(given);
        }
    }
    options.budgets = merged(&options.budgets, settings)?;
    if options.budgets.is_empty() && settings.history.is_none() {
        let message = "no budgets given";
        return Err(Failure::new(Exit::Usage, message).hint(
            "give --budget step_time=+2%, or a stepscope.toml with [check.budgets]; \
             docs/guides/gate.md lists what may have a budget",
        ));
    }
    if settings.is_history_baseline() {
        options.histories = vec![read_history(settings.history.as_deref())?];
    }
    Ok(options)
}

/// Budgets of the command line, and those of the file for other metrics.
fn merged(given: &[String], settings: &Settings) -> Result<Vec<String>, Failure> {
    let mut budgets: Vec<String> = Vec::new();
    let mut named = Vec::new();
    for text in given.iter().flat_map(|text| split_budgets(text)) {
        named.push(Budget::parse(&text)?.metric);
        budgets.push(text);
    }
    for budget in &settings.budgets {
        let parsed = Budget::parse(&budget.text).map_err(|error| {
            let message = format!("{}:{}: {error}", budget.file.display(), budget.line);
            Failure::new(Exit::Usage, message)
        })?;
        if !named.contains(&parsed.metric) {
            budgets.push(budget.text.clone());
        }
    }
    Ok(budgets)
}

/// Years of runs.
const MAX_HISTORY_BYTES: u64 = 1 << 30;

/// The history used as the baseline; a file that does not exist yet has no runs.
fn read_history(path: Option<&Path>) -> Result<NamedText, Failure> {
    let path = path.ok_or_else(|| {
        Failure::new(Exit::Usage, "--baseline history requires --history")
            .hint("for example --history stepscope-history.jsonl")
    })?;
    let text = match stepscope_storage::read_bytes(path, MAX_HISTORY_BYTES) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            let message = format!("cannot read the history ({error}): {}", path.display());
            return Err(Failure::new(Exit::Path, message));
        }
    };
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok(NamedText {
        name: name.to_string_lossy().into_owned(),
        text,
    })
}
