//! The history file: one line per run, appended, so that nothing in it is lost.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::ArgMatches;
use stepscope_analysis::comparing::check::CheckReport;
use stepscope_analysis::comparing::history::Sample;
use stepscope_model::Session;

use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Adds the run to the file.
pub(super) fn append(
    path: &Path,
    report: &CheckReport,
    session: &Session,
    arguments: &ArgMatches,
    output: &Output,
) -> Result<(), Failure> {
    let mut hosts = session.hosts.iter();
    let manifest = hosts.find_map(|host| host.manifest.as_ref());
    let began = manifest.and_then(|manifest| manifest.captured_epoch_ns);
    let began = began.and_then(|(began, _)| i64::try_from(began / 1_000_000_000).ok());
    let given = arguments.get_one::<String>("commit").cloned();
    let commit = given
        .or_else(|| manifest.and_then(|manifest| manifest.git_commit.clone()))
        .or_else(|| std::env::var("GITHUB_SHA").ok())
        .or_else(commit_here);
    let sample = Sample {
        recorded_unix_s: began.or_else(now),
        commit: commit.unwrap_or_default(),
        is_accepted: arguments.get_flag("accept"),
        ..Sample::of(report)
    };
    let line = sample.line().map_err(|error| {
        Failure::new(
            Exit::Failure,
            format!("the run cannot be recorded: {error}"),
        )
    })?;
    add_line(path, &line).map_err(|error| {
        let message = format!("cannot write the history ({error}): {}", path.display());
        Failure::new(Exit::Failure, message)
            .hint("give --history a file in a folder that exists and is writable")
    })?;
    output.remark(&format!("recorded in {}", path.display()));
    Ok(())
}

/// Appends a line, after a line break if the last run was cut off.
fn add_line(path: &Path, line: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)?;
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let begin = if last == *b"\n" { "" } else { "\n" };
    file.write_all(format!("{begin}{line}\n").as_bytes())
}

fn now() -> Option<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// The commit of the current folder; none if Git knows none.
fn commit_here() -> Option<String> {
    let answer = Command::new("git")
        .args(["rev-parse", "HEAD"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let commit = String::from_utf8(answer.stdout).ok()?.trim().to_owned();
    (answer.status.success() && !commit.is_empty()).then_some(commit)
}

#[cfg(test)]
mod tests {
    use super::add_line;

    #[test]
    fn lines_are_added_and_nothing_is_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("history.jsonl");
        add_line(&path, "one").expect("a line");
        add_line(&path, "two").expect("a line");
        std::fs::write(&path, "one\ncut of").expect("written");
        add_line(&path, "three").expect("a line");
        let text = std::fs::read_to_string(&path).expect("text");
        assert_eq!(text, "one\ncut of\nthree\n");
    }
}
