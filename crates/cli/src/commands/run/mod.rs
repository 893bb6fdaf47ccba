//! `stepscope run`: starts a program so that Stepscope captures it, without any change to its code.
//!
//! The arguments become one variable and a folder on PYTHONPATH; then the program replaces this
//! one, so that its signals and its exit code are its own. The rest is the hook of the Python
//! package (`python/stepscope/run_hook.py`).

mod hook;
mod program;
mod request;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::args::flag;
use crate::commands::capture::parse_time;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use request::{GOALS, Request};

const EXAMPLES: &str = "\
Examples:
  # Steps 20 to 24 of a program that knows nothing of profiling
  stepscope run -- python train.py --epochs 3
  # Steps 100 to 104, with the options for a capture of at most 20 MB
  stepscope run --steps 100..105 --goal small -- python train.py
  # Every rank of a job: inside the launcher; all write one session
  srun stepscope run --steps 100..105 --logdir /shared/profiles -- python train.py
  torchrun --no-python --nproc-per-node 4 stepscope run -- python train.py
  # Ten minutes after its first work with JAX; every hour
  stepscope run --at 10m -- python train.py
  stepscope run --every 1h -- python train.py

While it runs, `kill -USR1 PID` starts a capture and ends it, and `stepscope attach PID` requests one.
Exit code: that of the program; 2 usage.";

/// The subcommand.
pub(crate) fn command() -> Command {
    Command::new("run")
        .about("Run a JAX program unmodified, and capture it")
        .after_help(EXAMPLES)
        .arg(
            text("steps", "A..B")
                .value_parser(request::parse_steps)
                .help(
                    "Capture these steps, B excluded [default: 20..25; the goal may change the number]",
                ),
        )
        .arg(
            text("at", "TIME")
                .value_parser(parse_time)
                .conflicts_with("steps")
                .help("Capture once, this long after the first work with JAX, such as 10m"),
        )
        .arg(
            text("every", "TIME")
                .value_parser(parse_time)
                .conflicts_with("steps")
                .help("Capture again and again, such as 1h; with --at from then on"),
        )
        .arg(
            text("duration", "TIME")
                .value_parser(parse_time)
                .default_value("2s")
                .help("How long to record where steps cannot be told"),
        )
        .arg(
            text("goal", "GOAL")
                .value_parser(PossibleValuesParser::new(GOALS))
                .help("What the capture is for, which decides its options; the verdict says whether it was met"),
        )
        .arg(
            text("logdir", "DIR")
                .alias("log_dir")
                .env("PROFILE_DIR")
                .hide_env_values(true)
                .default_value("./profiles")
                .value_parser(value_parser!(PathBuf))
                .help("Log directory, which all ranks share"),
        )
        .arg(flag(
            "record",
            "Record every step and watch for incidents: see `stepscope incidents`",
        ))
        .arg(
            text("rule", "RULE")
                .action(ArgAction::Append)
                .requires("record")
                .help("With --record: what is an incident, such as 'step_time > 3 * median'; repeatable"),
        )
        .arg(
            text("ring-steps", "N")
                .requires("record")
                .value_parser(value_parser!(u32).range(request::RING_STEPS))
                .help(
                    "With --record: newest steps that each rank keeps, 128 bytes each \
                     [default: 65536, 55 minutes of steps of 50 ms]",
                ),
        )
        .arg(
            Arg::new("program")
                .value_name("PROGRAM")
                .num_args(1..)
                .required(true)
                .last(true)
                .value_parser(value_parser!(OsString))
                .help("The program and its arguments"),
        )
}

fn text(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value)
}

/// Replaces this process by the program; returns only if that fails.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let request = Request::of(arguments)?;
    let words: Vec<&OsString> = arguments
        .get_many::<OsString>("program")
        .into_iter()
        .flatten()
        .collect();
    let Some((program, rest)) = words.split_first() else {
        return Err(Failure::new(Exit::Usage, "PROGRAM is missing"));
    };
    let folder = hook::write(request.logdir())?;
    let path = hook::python_path(&folder)?;
    program::check(program, rest, &path)?;
    output.detail(
        "the hook of the program is in",
        &folder.display().to_string(),
    );
    program::replace(program, rest, &path, &request.json())
}
