//! The whole check: its stages in order, stopping at the first failure, with times and test counts.

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use cargo_metadata::MetadataCommand;

use crate::counts::Counts;
use crate::layers::{self, Layers};
use crate::{circles, codegen, house, process, python, setup, tree};

/// The stage that needs a browser.
const BROWSER_STAGE: &str = "e2e";

/// The stage that needs Python and its packages.
const PYTHON_STAGE: &str = "python";

/// The run that a stage belongs to.
struct Run {
    /// Whether the browser tests are part of this run.
    has_browser_stage: bool,
    counts: Counts,
}

/// One stage of the check.
struct Stage {
    name: &'static str,
    run: fn(&mut Run) -> Result<()>,
}

/// Cheap stages first, so that small mistakes are reported soon.
const STAGES: [Stage; 12] = [
    Stage {
        name: "set-up",
        run: |run| {
            setup::run(run.has_browser_stage)?;
            python::set_up()
        },
    },
    Stage {
        name: "fmt",
        run: fmt,
    },
    Stage {
        name: "clippy",
        run: clippy,
    },
    Stage {
        name: "layers",
        run: layers,
    },
    Stage {
        name: "house",
        run: house,
    },
    Stage {
        name: "generated",
        run: |_| codegen::check(),
    },
    Stage {
        name: "cargo-test",
        run: cargo_test,
    },
    Stage {
        name: "ui-check",
        run: |run| npm(run, &["run", "check"]),
    },
    Stage {
        name: "ui-test",
        run: |run| npm(run, &["test"]),
    },
    Stage {
        name: "program",
        run: program,
    },
    Stage {
        name: PYTHON_STAGE,
        run: |run| python::test(&mut run.counts),
    },
    Stage {
        name: BROWSER_STAGE,
        run: end_to_end,
    },
];

/// The stages of `lint`.
const LINT: [&str; 4] = ["fmt", "clippy", "layers", "house"];

/// The result of a stage.
struct Outcome {
    name: &'static str,
    duration: Duration,
    counts: Counts,
    passed: bool,
}

/// The names of all stages, for the help text.
pub(crate) fn stage_names() -> String {
    STAGES.map(|stage| stage.name).join(", ")
}

/// `cargo xtask test`: the last line printed is `N passed, N failed`, and `, N skipped` if tests
/// had nothing to check.
pub(crate) fn test(arguments: &[&str]) -> Result<ExitCode> {
    let is_fast = arguments.contains(&"--fast");
    let named: Vec<&str> = arguments
        .iter()
        .copied()
        .filter(|argument| *argument != "--fast")
        .collect();
    if let Some(unknown) = named
        .iter()
        .find(|name| STAGES.iter().all(|stage| stage.name != **name))
    {
        bail!("no stage is called {unknown}; stages: {}", stage_names());
    }
    let is_wanted = |name: &str| {
        (named.is_empty() || named.contains(&name)) && !(is_fast && name == BROWSER_STAGE)
    };
    let outcomes = run_stages(is_wanted);
    print_table(&outcomes);
    let total = total(&outcomes);
    println!("{}", closing(&total));
    Ok(exit_code(&outcomes))
}

fn closing(total: &Counts) -> String {
    let skipped = match total.skipped() {
        0 => String::new(),
        count => format!(", {count} skipped"),
    };
    format!(
        "{} passed, {} failed{skipped}",
        total.passed(),
        total.failed()
    )
}

/// `cargo xtask lint`.
pub(crate) fn lint() -> ExitCode {
    let outcomes = run_stages(|name| LINT.contains(&name));
    print_table(&outcomes);
    exit_code(&outcomes)
}

fn run_stages(is_wanted: impl Fn(&str) -> bool) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for stage in STAGES.iter().filter(|stage| is_wanted(stage.name)) {
        println!("\n=== {} ===", stage.name);
        let mut run = Run {
            has_browser_stage: is_wanted(BROWSER_STAGE),
            counts: Counts::default(),
        };
        let start = Instant::now();
        let result = (stage.run)(&mut run);
        let passed = result.is_ok();
        if let Err(error) = result {
            println!("error: stage {} failed: {error:#}", stage.name);
        }
        outcomes.push(Outcome {
            name: stage.name,
            duration: start.elapsed(),
            counts: run.counts,
            passed,
        });
        if !passed {
            break;
        }
    }
    outcomes
}

fn print_table(outcomes: &[Outcome]) {
    println!(
        "\n{:<12} {:>9} {:>8} {:>8} {:>8}  result",
        "stage", "seconds", "passed", "failed", "skipped"
    );
    for outcome in outcomes {
        println!(
            "{:<12} {:>9.1} {:>8} {:>8} {:>8}  {}",
            outcome.name,
            outcome.duration.as_secs_f64(),
            outcome.counts.passed(),
            outcome.counts.failed(),
            outcome.counts.skipped(),
            if outcome.passed { "ok" } else { "FAILED" },
        );
    }
}

/// The sum over all stages. A stage that failed without naming a failed test counts as one.
fn total(outcomes: &[Outcome]) -> Counts {
    let mut total = Counts::default();
    for outcome in outcomes {
        total.add(outcome.counts.clone());
        if !outcome.passed && outcome.counts.failed() == 0 {
            total.add(Counts::of(0, 1));
        }
    }
    total
}

fn exit_code(outcomes: &[Outcome]) -> ExitCode {
    if outcomes.iter().all(|outcome| outcome.passed) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn fmt(_: &mut Run) -> Result<()> {
    process::run(&mut process::cargo(&["fmt", "--all", "--check"])).map(drop)
}

fn clippy(_: &mut Run) -> Result<()> {
    let arguments = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ];
    process::run(&mut process::cargo(&arguments)).map(drop)
}

fn layers(_: &mut Run) -> Result<()> {
    let root = tree::root();
    let (layers, packages) = (Layers::read(&root)?, layers::packages(&root)?);
    let mut found = layers::violations(&layers, &packages);
    found.extend(circles::violations(&root, &layers, &packages)?);
    report(&found, "layer")
}

fn house(_: &mut Run) -> Result<()> {
    report(&house::violations(&tree::root())?, "house rule")
}

/// Prints what is broken, and fails if anything is.
fn report(violations: &[String], what: &str) -> Result<()> {
    for violation in violations {
        println!("{violation}");
    }
    if violations.is_empty() {
        println!("every {what} is kept");
        return Ok(());
    }
    bail!("a {what} is broken in {} places", violations.len())
}

fn cargo_test(run: &mut Run) -> Result<()> {
    let mut command = process::cargo(&["test", "--workspace", "--no-fail-fast"]);
    process::run_counting(&mut command, &mut run.counts)
}

/// Builds the program with the features that users get, and no others: those of the whole workspace,
/// with which stage cargo-test builds it, could hide that one is missing. In the profile of the tests,
/// because an optimized build takes more than twice as long; releases have their own smoke test,
/// `cargo xtask dist --smoke`.
fn program(_: &mut Run) -> Result<()> {
    process::run(&mut process::cargo(&[
        "build",
        "--package",
        "stepscope-cli",
    ]))
    .map(drop)
}

fn npm(run: &mut Run, arguments: &[&str]) -> Result<()> {
    process::run_counting(&mut npm_command(arguments), &mut run.counts)
}

fn npm_command(arguments: &[&str]) -> Command {
    let mut command = process::program("npm", arguments, &tree::root().join("ui"));
    // Avoid prompts and watch mode, which start if a person runs the check at a terminal.
    command.env("CI", "1");
    command
}

fn end_to_end(run: &mut Run) -> Result<()> {
    let browser =
        setup::browser().context("no browser is on the PATH; stage set-up installs one")?;
    let mut command = npm_command(&["run", "e2e"]);
    command
        .env("STEPSCOPE_BROWSER", browser)
        .env("STEPSCOPE_BIN", built_program()?)
        .env("STEPSCOPE_SQL", python::queries())
        .env("STEPSCOPE_TENSORBOARD", python::tensorboard()?)
        .env("STEPSCOPE_NOTEBOOKS", python::notebooks()?);
    process::run_counting(&mut command, &mut run.counts)
}

/// The program built by stage `program`.
fn built_program() -> Result<PathBuf> {
    let metadata = MetadataCommand::new()
        .manifest_path(tree::root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("cannot ask cargo where it builds")?;
    let name = format!("debug/stepscope{}", std::env::consts::EXE_SUFFIX);
    let binary = metadata.target_directory.join(name).into_std_path_buf();
    if !binary.is_file() {
        bail!(
            "the program is not built; stage program builds it: {}",
            binary.display()
        );
    }
    Ok(binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(passed: bool, counts: (u64, u64)) -> Outcome {
        Outcome {
            name: "stage",
            duration: Duration::ZERO,
            counts: Counts::of(counts.0, counts.1),
            passed,
        }
    }

    #[test]
    fn a_failed_stage_shows_in_the_total() {
        let total_of = |outcomes: &[Outcome]| {
            let counts = total(outcomes);
            (counts.passed(), counts.failed())
        };
        assert_eq!(
            total_of(&[outcome(true, (3, 0)), outcome(true, (2, 0))]),
            (5, 0)
        );
        assert_eq!(
            total_of(&[outcome(true, (3, 0)), outcome(false, (2, 4))]),
            (5, 4)
        );
        assert_eq!(
            total_of(&[outcome(true, (3, 0)), outcome(false, (0, 0))]),
            (3, 1)
        );
    }

    #[test]
    fn stages_are_named_once_and_lint_names_stages() {
        let names = STAGES.map(|stage| stage.name);
        for (index, name) in names.iter().enumerate() {
            assert!(!names[..index].contains(name), "{name} is there twice");
        }
        assert!(LINT.iter().all(|name| names.contains(name)));
        assert!(test(&["no-such-stage"]).is_err());
    }
}
