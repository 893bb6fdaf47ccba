//! `stepscope doctor`: checks the environment, or a capture.
//!
//! Facts are gathered first (`machine`, `python`); `checks` are pure functions of them.

mod capture;
#[cfg(test)]
mod capture_tests;
mod check;
mod checks;
mod log_directory;
mod machine;
mod python;
mod root;
#[cfg(test)]
mod tests;
pub(crate) mod variables;

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde_json::json;
use stepscope_analysis::judging::verdict::VerdictReport;

use crate::exit::{Exit, Failure};
use crate::open;
use crate::output::Output;
use crate::page;
use check::{Check, Status};
use machine::Machine;
use python::Python;
use root::Root;
use stepscope_model::Reads;

/// Checks the capture at PATH or, without one, the environment. Exits with code 4 if anything is
/// bad.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    match arguments.get_one::<PathBuf>("path") {
        Some(path) => capture(path, arguments, output),
        None => environment(arguments, output),
    }
}

fn environment(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let variables: std::collections::BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let variable = |name: &str| variables.get(name).filter(|value| !value.is_empty());
    let given = |name: &str| arguments.get_one::<PathBuf>(name).map(PathBuf::as_path);
    let program = python::chosen(given("python"), variable("VIRTUAL_ENV").map(String::as_str));
    let log_directory = given("logdir")
        .or_else(|| variable("PROFILE_DIR").map(Path::new))
        .unwrap_or(Path::new("profiles"))
        .to_owned();
    let root = Root(given("root").unwrap_or(Path::new("/")).to_owned());
    let python = Python::ask(&program);
    let machine = Machine::gather(&root, variables, python, &log_directory);
    let checks = checks::all(&machine);
    print(&checks, None, arguments, output)?;
    Ok(exit(&checks, false))
}

fn capture(path: &Path, arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let found = open::find(path, output)?;
    let wanted = arguments.get_one::<String>("session").map(String::as_str);
    let files = open::choose(&found, wanted, output)?;
    let checks = capture::files(&found, files);
    // Problems with the files are reported even if they cannot be opened.
    let session = match open::open(files, Reads::Everything, output) {
        Ok(session) => session,
        Err(failure) => {
            print(&checks, None, arguments, output)?;
            return Err(failure);
        }
    };
    let report = capture::verdict(session)?;
    print(&checks, Some(&report), arguments, output)?;
    Ok(exit(&checks, capture::is_bad(&report)))
}

fn exit(checks: &[Check], is_bad: bool) -> Exit {
    let worst = checks.iter().map(|check| check.status).max();
    if is_bad || worst == Some(Status::Bad) {
        Exit::Check
    } else {
        Exit::Fine
    }
}

/// Prints the checks, worst last, where people look; then the verdict.
fn print(
    checks: &[Check],
    report: Option<&VerdictReport>,
    arguments: &ArgMatches,
    output: &Output,
) -> Result<(), Failure> {
    if arguments.get_flag("json") {
        let checks: Vec<_> = checks.iter().map(Check::json).collect();
        let mut answer = json!({ "checks": checks });
        if let Some(report) = report {
            answer["verdict"] = serde_json::to_value(report)
                .map_err(|error| Failure::new(Exit::Failure, error.to_string()))?;
        }
        return output.json(&answer.to_string());
    }
    let mut sorted: Vec<&Check> = checks.iter().collect();
    sorted.sort_by_key(|check| check.status);
    let mut lines: Vec<String> = sorted.into_iter().map(Check::line).collect();
    lines.extend(
        report
            .into_iter()
            .flat_map(|report| output.pasted.sentences(&report.lines)),
    );
    let width = output.width.min(page::READABLE);
    let mut text = page::sentences(&lines, width, output.charset);
    if report.is_none() {
        text.push_str(&summary(checks));
    }
    output.text(&text)
}

/// `14 checks: 12 ok, 1 warning, 1 bad`
fn summary(checks: &[Check]) -> String {
    let count = |status: Status| checks.iter().filter(|check| check.status == status).count();
    format!(
        "{}: {} ok, {}, {} bad\n",
        stepscope_analysis::telling::format::counted(checks.len(), "check"),
        count(Status::Ok),
        stepscope_analysis::telling::format::counted(count(Status::Warning), "warning"),
        count(Status::Bad),
    )
}
