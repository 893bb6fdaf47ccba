//! What to capture, as the hook reads it from `STEPSCOPE_RUN` (`python/stepscope/run_request.py`).

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ArgMatches;
use serde::Serialize;

use crate::exit::{Exit, Failure};

/// Goals of a capture; `python/stepscope/goals.py` has their options.
pub(super) const GOALS: [&str; 6] = [
    "readable",
    "faithful",
    "small",
    "memory",
    "kernel",
    "communication",
];

/// Steps that a ring may keep: what is judged from the last 100 needs some, and readers read no more
/// than 256 MB of a ring.
pub(super) const RING_STEPS: RangeInclusive<i64> = 1_000..=2_000_000;

/// The request, with the names of the hook.
#[derive(Debug, Serialize)]
pub(super) struct Request {
    log_dir: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<(u64, u64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    every_seconds: Option<f64>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<String>,
    record: bool,
    rules: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps_in_ring: Option<u32>,
    quiet: bool,
}

impl Request {
    /// The request in the arguments.
    pub(super) fn of(arguments: &ArgMatches) -> Result<Self, Failure> {
        let seconds = |name| {
            let time = arguments.get_one::<Duration>(name);
            time.map(Duration::as_secs_f64)
        };
        let given = arguments.get_one::<PathBuf>("logdir");
        let log_dir = given.cloned().unwrap_or_else(|| "./profiles".into());
        if log_dir.to_str().is_none() {
            return Err(Failure::new(Exit::Usage, "--logdir must be UTF-8"));
        }
        if seconds("every") == Some(0.0) {
            return Err(Failure::new(Exit::Usage, "--every must be above 0s"));
        }
        Ok(Self {
            log_dir: absolute(log_dir)?,
            steps: arguments.get_one("steps").copied(),
            at_seconds: seconds("at"),
            every_seconds: seconds("every"),
            seconds: seconds("duration").unwrap_or(2.0),
            goal: arguments.get_one("goal").cloned(),
            record: arguments.get_flag("record"),
            rules: arguments
                .get_many("rule")
                .into_iter()
                .flatten()
                .cloned()
                .collect(),
            steps_in_ring: arguments.get_one("ring-steps").copied(),
            quiet: arguments.get_flag("quiet"),
        })
    }

    /// Where captures are written.
    pub(super) fn logdir(&self) -> &Path {
        &self.log_dir
    }

    /// The value of the variable.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Programs change their working directory.
fn absolute(path: PathBuf) -> Result<PathBuf, Failure> {
    if stepscope_remote::is_url(&path) {
        return Ok(path);
    }
    Ok(std::path::absolute(path)?)
}

/// Parses `100..105`: a window of steps without its end.
pub(super) fn parse_steps(text: &str) -> Result<(u64, u64), String> {
    let wrong = || "expected a window of steps such as 100..105, the second excluded".to_owned();
    let (first, end) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    let (first, end) = match end.strip_prefix('=') {
        Some(last) => (number(first)?, number(last)?.saturating_add(1)),
        None => (number(first)?, number(end)?),
    };
    if first < end {
        Ok((first, end))
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_steps_exclude_their_end() {
        assert_eq!(parse_steps("100..105"), Ok((100, 105)));
        assert_eq!(parse_steps("100..=105"), Ok((100, 106)));
        for text in ["100", "5..5", "7..3", "..5", "5..", "a..b", "-1..3"] {
            assert!(parse_steps(text).is_err(), "{text}");
        }
    }

    /// What agents read about captures names what there is.
    #[test]
    fn the_skill_knows_every_goal_and_command() {
        let files = stepscope_mcp::skill::FILES.iter();
        let capture = files.filter(|file| file.path == "references/capture.md");
        let text: String = capture.map(|file| file.text).collect();
        for goal in GOALS {
            assert!(text.contains(&format!("`{goal}`")), "{goal}");
        }
        let commands = crate::command_tree::command();
        for name in ["run", "attach", "incidents", "capture", "verdict", "doctor"] {
            assert!(text.contains(&format!("stepscope {name}")), "{name}");
            assert!(commands.find_subcommand(name).is_some(), "{name}");
        }
        let run = commands.find_subcommand("run").expect("run");
        for option in ["steps", "goal", "record", "rule", "logdir"] {
            assert!(text.contains(&format!("--{option}")), "{option}");
            let mut options = run.get_arguments();
            assert!(
                options.any(|one| one.get_long() == Some(option)),
                "{option}"
            );
        }
    }

    #[test]
    fn the_request_has_the_names_of_the_hook() {
        let words = "run --every 1h --goal small --record --rule a --ring-steps 2000 --logdir /d -q \
                     -- python t.py";
        let matches = crate::command_tree::command()
            .try_get_matches_from(format!("stepscope {words}").split(' '))
            .expect("it parses");
        let (_, arguments) = matches.subcommand().expect("run");
        let request = Request::of(arguments).expect("it is valid");
        assert_eq!(
            request.json(),
            r#"{"log_dir":"/d","every_seconds":3600.0,"seconds":2.0,"goal":"small","record":true,"rules":["a"],"steps_in_ring":2000,"quiet":true}"#
        );
    }
}
