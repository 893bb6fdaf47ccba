//! The session to check and its baselines; it is the last of the list.

use clap::ArgMatches;
use stepscope_analysis::comparing::check::CheckOptions;
use stepscope_analysis::telling::format::counted;
use stepscope_analysis::telling::shell;
use stepscope_storage::{Found, SessionFiles};

use super::config::{HISTORY, Settings};
use crate::commands::comparison::{Chosen, named, of, path_of, pick};
use crate::exit::{Exit, Failure};
use crate::open;
use crate::output::Output;

/// The baselines, then the session to check.
pub(super) fn choose(
    arguments: &ArgMatches,
    settings: &Settings,
    output: &Output,
) -> Result<Vec<Chosen>, Failure> {
    let word = arguments
        .get_one::<String>("path")
        .ok_or_else(|| Failure::new(Exit::Usage, "PATH is missing"))?;
    let root = open::find(&path_of(word).0, output)?;
    let checked = match arguments.get_one::<String>("session") {
        Some(wanted) => pick(&root, wanted)?,
        None => named(word, None, output)?,
    };
    let mut chosen = Vec::new();
    if let Some(count) = settings.baseline_runs {
        chosen.extend(before(&root, &checked, count, output)?);
    }
    for baseline in settings.baselines.iter().filter(|name| *name != HISTORY) {
        chosen.push(named(baseline, Some(&root), output)?);
    }
    if let Some(same) = chosen.iter().find(|baseline| baseline.is(&checked)) {
        let message = format!("the baseline is the session itself: {}", same.location);
        return Err(Failure::new(Exit::Usage, message)
            .hint("--baseline latest~1 is the session before the newest one of PATH"));
    }
    chosen.push(checked);
    Ok(chosen)
}

/// The sessions before one, oldest first.
fn before(
    root: &Found,
    checked: &Chosen,
    count: usize,
    output: &Output,
) -> Result<Vec<Chosen>, Failure> {
    let by_time: Vec<&SessionFiles> = (0..).map_while(|back| root.before_newest(back)).collect();
    let own = by_time.iter().position(|files| of(root, files).is(checked));
    let earlier = own.map_or(&[][..], |own| &by_time[own + 1..]);
    let kept = &earlier[..earlier.len().min(count)];
    if kept.is_empty() {
        let message = format!(
            "--baseline-runs {count}: no session was captured before {}",
            checked.files.name
        );
        return Err(Failure::new(Exit::Usage, message).hint(
            "name another one with --baseline PATH; `stepscope sessions PATH` lists the \
                sessions",
        ));
    }
    if kept.len() < count {
        let have = counted(kept.len(), "session");
        output.warn(
            &format!("only {have} before {}, not {count}", checked.files.name),
            "",
        );
    }
    Ok(kept.iter().rev().map(|files| of(root, files)).collect())
}

/// The command line that reproduces the result, independent of `stepscope.toml`.
pub(super) fn command_line(
    arguments: &ArgMatches,
    settings: &Settings,
    options: &CheckOptions,
) -> String {
    let mut words = vec!["stepscope".to_owned(), "check".to_owned()];
    let mut push = |name: &str, value: &str| {
        words.extend(["--".to_owned() + name, shell::word(value)]);
    };
    if let Some(session) = arguments.get_one::<String>("session") {
        push("session", session);
    }
    for baseline in &settings.baselines {
        push("baseline", baseline);
    }
    if let Some(count) = settings.baseline_runs {
        push("baseline-runs", &count.to_string());
    }
    if let Some(history) = settings
        .history
        .as_ref()
        .filter(|_| settings.is_history_baseline())
    {
        push("history", &history.display().to_string());
    }
    for budget in &options.budgets {
        push("budget", budget);
    }
    let selection = &options.selection;
    let parts = [
        ("steps", &selection.steps),
        ("time", &selection.time),
        ("device", &selection.device),
        ("host", &selection.host),
    ];
    for (name, value) in parts {
        if let Some(value) = value {
            push(name, value);
        }
    }
    if options.confidence.to_bits() != CheckOptions::default().confidence.to_bits() {
        push("confidence", &options.confidence.to_string());
    }
    if let Some(ratio) = options.run_noise {
        push("run-noise", &ratio.to_string());
    }
    if let Some(config) = &settings.config {
        push("config", &config.display().to_string());
    }
    if let Some(target) = &settings.target {
        push("target", target);
    }
    if options.allow_unknown {
        words.push("--allow-unknown".to_owned());
    }
    let path = arguments.get_one::<String>("path");
    words.insert(2, shell::word(path.map_or("", String::as_str)));
    words.join(" ")
}
