//! The result of a capture, in words or as JSON, and its verdict.

use std::fmt::Write;

use clap::ArgMatches;
use serde_json::json;
use stepscope_analysis::catalogue::find;
use stepscope_analysis::telling::format as figures;
use stepscope_capture::{HostFailure, HostOutcome, Outcome, Status};

use crate::exit::Failure;
use crate::format;
use crate::open;
use crate::output::Output;
use crate::page::{BOLD, FAINT};
use stepscope_model::Reads;

/// Lines of the overview, if there is no verdict.
const HEADLINES: usize = 8;

/// Says what arrived, what is missing and why, what the capture contains, and how to open it.
pub(super) fn outcome(
    outcome: &Outcome,
    arguments: &ArgMatches,
    output: &Output,
) -> Result<(), Failure> {
    for host in &outcome.hosts {
        warn(host, output);
    }
    let has_files = outcome.files().next().is_some();
    let lines = if has_files && !arguments.get_flag("no-verdict") {
        verdict(outcome, output)
    } else {
        Vec::new()
    };
    if arguments.get_flag("json") {
        return output.data(&json(outcome, &lines).to_string());
    }
    if !has_files {
        return Ok(());
    }
    let mut text = head(outcome, output);
    for line in &lines {
        for line in format::wrapped(&output.charset.text(line), output.width) {
            let _ = writeln!(text, "{line}");
        }
    }
    let open = format!(
        "stepscope view {} --session {}",
        quoted(&outcome.logdir.display().to_string()),
        outcome.session_id
    );
    let _ = writeln!(text, "{FAINT}open it:{FAINT:#} {open}");
    output.text(&text)
}

/// Warns about what is wrong with a host.
fn warn(host: &HostOutcome, output: &Output) {
    let address = &host.address;
    match &host.result {
        Err(failure) => output.warn(&format!("{address}: {failure}"), failure.hint()),
        Ok(file) if file.is_empty => output.warn(
            &format!("{address}: no events were recorded"),
            "was the job working? Try a longer --duration, and check that no tracer level is 0",
        ),
        Ok(file) if file.was_written_by_host => output.remark(&format!(
            "{address}: this old profiler wrote the file itself; it was moved to the run directory"
        )),
        Ok(_) => {}
    }
}

/// `captured 1 of 2 hosts (partial): 4.1 MiB in logs/plugins/profile/…`
fn head(outcome: &Outcome, output: &Output) -> String {
    let (given, all) = (outcome.files().count(), outcome.hosts.len());
    let size_bytes: u64 = outcome.files().map(|file| file.size_bytes).sum();
    let hosts = match outcome.status() {
        Status::Complete if all == 1 => "captured".to_owned(),
        Status::Complete => format!("captured {all} hosts"),
        Status::Nothing => "captured, but no events were recorded".to_owned(),
        Status::Partial => {
            let missing: Vec<String> = outcome
                .failed()
                .map(|host| host.address.to_string())
                .collect();
            let why = if missing.is_empty() {
                "some recorded nothing".to_owned()
            } else {
                format!("{} missing", missing.join(", "))
            };
            format!(
                "captured {given} of {} - partial, {why}",
                figures::counted(all, "host")
            )
        }
    };
    let early = if outcome.was_ended_early {
        ", ended early"
    } else {
        ""
    };
    let size = output.charset.text(&figures::bytes(size_bytes as f64));
    let folder = outcome.folder.display();
    format!("{BOLD}{hosts}{early}:{BOLD:#} {size} in {folder}\n")
}

/// What the capture contains: from the verdict analysis, or from the overview if there is none.
/// A capture that cannot be opened is reported and does not affect the others.
fn verdict(outcome: &Outcome, output: &Output) -> Vec<String> {
    lines(outcome, output).unwrap_or_else(|failure| {
        output.warn(&format!("the capture cannot be opened: {failure}"), "");
        Vec::new()
    })
}

fn lines(outcome: &Outcome, output: &Output) -> Result<Vec<String>, Failure> {
    let found = stepscope_storage::find(&outcome.folder)?;
    let files = open::choose(&found, None, output)?;
    let session = open::open_owned(files, Reads::Everything, output)?;
    let run = |name: &str| {
        let entry = find(name)?;
        entry.run_pairs(&session, []).ok()
    };
    let sentences = run("verdict").map(|answer| answer.sentences().to_vec());
    if let Some(sentences) = sentences.filter(|sentences| !sentences.is_empty()) {
        return Ok(sentences);
    }
    let headline = run("overview")
        .map(|answer| answer.headline())
        .unwrap_or_default();
    let pairs = headline.into_iter().take(HEADLINES);
    Ok(pairs
        .map(|(name, value)| format!("{name}: {value}"))
        .collect())
}

fn json(outcome: &Outcome, verdict: &[String]) -> serde_json::Value {
    let hosts: Vec<_> = outcome
        .hosts
        .iter()
        .map(|host| {
            let file = host.file();
            let failure = host.failure();
            json!({
                "address": host.address.to_string(),
                "path": file.map(|file| file.path.display().to_string()),
                "size_bytes": file.map(|file| file.size_bytes),
                "is_empty": file.map(|file| file.is_empty),
                "attempts": file.map(|file| file.attempts),
                "error": failure.map(ToString::to_string),
                "hint": failure.map(HostFailure::hint),
            })
        })
        .collect();
    json!({
        "session_id": outcome.session_id,
        "folder": outcome.folder.display().to_string(),
        "logdir": outcome.logdir.display().to_string(),
        "status": outcome.status().name(),
        "was_ended_early": outcome.was_ended_early,
        "hosts": hosts,
        "verdict": verdict,
    })
}

/// A path quoted for a shell.
fn quoted(text: &str) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "/._-+=:@%".contains(character);
    if text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
