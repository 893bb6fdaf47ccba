//! `stepscope report`: the report on one screen of 80 columns and about 45 lines.

use std::collections::BTreeSet;

use clap::{ArgMatches, FromArgMatches};
use stepscope_analysis::asking::Report;
use stepscope_analysis::judging::advice::AdviceOptions;
use stepscope_analysis::measuring::busy::has_ever_worked;
use stepscope_analysis::telling::format as figures;
use stepscope_analysis::telling::thresholds;
use stepscope_analysis::telling::thresholds::VerdictKind;
use stepscope_analysis::views::overview::{Overview, OverviewReport, Verdict};
use stepscope_analysis::{Analysis, AnalysisError, Note};
use stepscope_model::{Reads, Session};

use super::{analysis, open_session};
use crate::commands::{findings_section, steps_section as steps};
use crate::exit::{Exit, Failure};
use crate::format::{self, Charset};
use crate::open;
use crate::output::Output;
use crate::page::{self, BOLD, FAINT};
use crate::pasted::Pasted;
use crate::table::{self, View};

/// Maximum width of the page, for readability.
const WIDEST: usize = 100;
/// Lines of one screen, without the prompt and the server's address.
const LINES: usize = 43;
/// Columns of a verdict beside its title and what it is judged by: the indent, the word, the figure.
const BESIDE_TITLES: usize = 2 + 8 + 1 + 2 + 9;
/// Maximum number of devices with a bar each. With more: a small chart, the busiest and the least
/// busy.
const DEVICES: usize = 4;
/// Columns after that chart, for its caption.
const WHICH_DEVICES: usize = 48;
/// Rows of ops that notes do not displace.
const OPS: usize = 8;

/// Rows of each table of memory snapshots, since there are several tables.
const HEAP_ROWS: usize = 8;

/// Options of the report: those of the overview.
pub(crate) type Options = <Overview as Analysis>::Options;

/// Columns that fit on the screen; the others are in `stepscope ops`.
const OP_COLUMNS: [&str; 7] = [
    "name",
    "category",
    "occurrences",
    "self_ps",
    "self_ratio",
    "flop_rate",
    "scope",
];

/// Prints the report of a session.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let session = open_session(arguments, Reads::Everything, output)?;
    let options = Options::from_arg_matches(arguments)
        .map_err(|error| AnalysisError::Options(error.to_string()))?;
    match print(session, &options, output)? {
        Some(report) if arguments.get_flag("check") => Ok(check(&report, output)),
        _ => Ok(Exit::Fine),
    }
}

/// Prints the report and returns it. Memory snapshots or programs alone have no report; their
/// contents are printed instead.
pub(crate) fn print(
    session: &Session,
    options: &Options,
    output: &Output,
) -> Result<Option<OverviewReport>, Failure> {
    if session.is_memory_only() {
        let advice = AdviceOptions {
            selection: options.selection.clone(),
            thresholds: options.thresholds.clone(),
        };
        let width = output.width.min(WIDEST);
        let findings =
            findings_section::findings(session, &advice, (width, output.charset), &output.pasted);
        if !findings.is_empty() {
            output.text(&format!("{}\n\n", findings.join("\n")))?;
        }
        analysis::print("heap", session, HEAP_ROWS, output)?;
        return Ok(None);
    }
    if session.is_program_only() {
        analysis::print("buffers", session, HEAP_ROWS, output)?;
        return Ok(None);
    }
    let report = Overview::run(session, options)?;
    open::warn(session, report.notes(), output);
    let advice = AdviceOptions {
        selection: options.selection.clone(),
        thresholds: options.thresholds.clone(),
    };
    let width = output.width.min(WIDEST);
    let findings =
        findings_section::findings(session, &advice, (width, output.charset), &output.pasted);
    output.text(&text(session, &report, findings, output))?;
    Ok(Some(report))
}

/// Fails if a verdict is bad.
fn check(report: &OverviewReport, output: &Output) -> Exit {
    let bad = report
        .verdicts
        .iter()
        .filter(|verdict| verdict.verdict == VerdictKind::Bad);
    let mut exit = Exit::Fine;
    for verdict in bad {
        output.warn(
            &format!(
                "check: {}: {} {}",
                verdict.title,
                figure(verdict),
                limits(verdict)
            ),
            "",
        );
        exit = Exit::Check;
    }
    exit
}

fn text(
    session: &Session,
    report: &OverviewReport,
    findings: Vec<String>,
    output: &Output,
) -> String {
    let width = output.width.min(WIDEST);
    let charset = output.charset;
    let mut sections = vec![
        head(report, width, charset),
        steps::key_figures(report, width, charset),
        steps::parts(report, width, charset, output.is_colored),
        findings,
        verdicts(report, width, charset),
        devices(session, report, width, charset),
    ];
    let used: usize = sections
        .iter()
        .filter(|lines| !lines.is_empty())
        .map(|s| s.len() + 1)
        .sum();
    let left = LINES.saturating_sub(used);
    let mut notes = notes(&output.pasted.notes(&report.notes), width, charset);
    // Besides its rows, a table of ops has a title, a header of two lines, and an empty line.
    let ops = report.top_ops.len();
    let note_lines = notes.iter().map(Vec::len).sum::<usize>();
    let wanted = ops.min(OPS.max(left.saturating_sub(note_lines + 4)));
    let room = left.saturating_sub(wanted + 4).max(4);
    shorten(&mut notes, room, charset, &output.pasted);
    let notes = notes.concat();
    let rows = wanted.min(left.saturating_sub(notes.len() + 4)).max(3);
    sections.push(top_ops(report, rows, width, charset));
    sections.push(notes);
    let sections: Vec<String> = sections
        .iter()
        .filter(|lines| !lines.is_empty())
        .map(|lines| lines.join("\n"))
        .collect();
    format!("{}\n", sections.join("\n\n"))
}

fn head(report: &OverviewReport, width: usize, charset: Charset) -> Vec<String> {
    let environment = &report.environment;
    let mut devices = environment.devices.clone();
    if report.devices.is_empty() {
        "no devices".clone_into(&mut devices);
    }
    if let [chip] = environment.chips.as_slice()
        && !chip.name.is_empty()
        && !devices.contains(&chip.name)
    {
        devices = format!("{devices} ({})", chip.name);
    }
    let mut facts = vec![devices];
    let hosts = report.environment.hosts.len();
    if hosts > 1 {
        facts.push(figures::counted(hosts, "host"));
    }
    facts.push(format!(
        "{} captured",
        figures::duration_ps(report.duration_ps as f64)
    ));
    let epoch_ns = report
        .start_epoch_ns
        .as_deref()
        .and_then(|epoch| epoch.parse().ok());
    facts.extend(epoch_ns.map(|epoch| format!("{} UTC", format::date(epoch))));
    facts.retain(|fact| !fact.is_empty());
    let session = format::shortened(&format::one_line(&report.session), width, charset);
    let facts = charset.text(&facts.join(" · "));
    if format::width(&session) + 2 + format::width(&facts) <= width {
        return vec![format!("{BOLD}{session}{BOLD:#}  {FAINT}{facts}{FAINT:#}")];
    }
    let facts = format::wrapped(&facts, width).into_iter();
    let facts = facts.map(|line| format!("{FAINT}{line}{FAINT:#}"));
    std::iter::once(format!("{BOLD}{session}{BOLD:#}"))
        .chain(facts)
        .collect()
}

fn verdicts(report: &OverviewReport, width: usize, charset: Charset) -> Vec<String> {
    let is_known = |verdict: &&Verdict| verdict.verdict != VerdictKind::Unknown;
    // The share of the same op says it on one line; the overview has both.
    // So do the parts of the step above, where devices neither copy nor communicate for long.
    let is_part = |verdict: &&Verdict| {
        verdict.verdict == VerdictKind::Good
            && matches!(verdict.key.as_str(), "communication_ratio" | "copy_ratio")
    };
    let is_shown =
        |verdict: &&Verdict| is_known(verdict) && verdict.key != "top_op_ps" && !is_part(verdict);
    let known: Vec<&Verdict> = report.verdicts.iter().filter(is_shown).collect();
    let unknown: Vec<&Verdict> = report
        .verdicts
        .iter()
        .filter(|verdict| !is_known(verdict))
        .collect();
    let widest = known
        .iter()
        .map(|verdict| format::width(&verdict.title))
        .max()
        .unwrap_or(0)
        .min(width.saturating_sub(BESIDE_TITLES).max(8));
    let mut lines = vec![page::heading("Verdicts")];
    for verdict in known {
        lines.extend(verdict_lines(verdict, widest, width, charset));
    }
    if !unknown.is_empty() {
        let titles: Vec<String> = unknown
            .iter()
            .map(|verdict| verdict.title.to_lowercase())
            .collect();
        let titles = format::wrapped(&titles.join(", "), width.saturating_sub(11).max(20));
        for (index, titles) in titles.iter().enumerate() {
            let word = if index == 0 { "unknown" } else { "" };
            lines.push(format!("  {FAINT}{word:<8} {titles}{FAINT:#}"));
        }
    }
    lines
}

/// A verdict, with what it is judged by on a line of its own if both do not fit.
fn verdict_lines(verdict: &Verdict, widest: usize, width: usize, charset: Charset) -> Vec<String> {
    let style = page::verdict_style(verdict.verdict);
    let word = verdict.verdict.name();
    let title = format::shortened(&verdict.title, widest, charset);
    let title = format!("{title}{}", " ".repeat(widest - format::width(&title)));
    let figure = charset.text(&figure(verdict));
    let limits = charset.text(&limits(verdict));
    let first = format!("  {style}{word:<8}{style:#} {title}  {figure:>9}");
    if BESIDE_TITLES + widest + 2 + format::width(&limits) <= width {
        return vec![format!("{first}  {limits}")];
    }
    let room = width.saturating_sub(11).max(20);
    let rest = format::wrapped(&limits, room).into_iter();
    let rest = rest.map(|line| format!("           {line}"));
    std::iter::once(first).chain(rest).collect()
}

fn figure(verdict: &Verdict) -> String {
    let entry = thresholds::DEFAULTS
        .iter()
        .find(|entry| entry.key == verdict.key);
    let figure = verdict.value.zip(entry);
    figure.map_or_else(String::new, |(value, entry)| entry.figure(value))
}

/// What a verdict is judged by: `(good > 80 %, bad < 50 %)`, `(bound by memory)`.
fn limits(verdict: &Verdict) -> String {
    format!("({})", verdict.judged_in_words())
}

fn devices(
    session: &Session,
    report: &OverviewReport,
    width: usize,
    charset: Charset,
) -> Vec<String> {
    let mut working: Vec<(&str, f64)> = report
        .devices
        .iter()
        .filter_map(|device| Some((device.device.as_str(), device.busy_ratio?)))
        .collect();
    if report.devices.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![page::heading("Busy share of each device")];
    if working.len() > DEVICES {
        let shares: Vec<f64> = working.iter().map(|(_, share)| *share).collect();
        let room = width.saturating_sub(2 + WHICH_DEVICES).max(8);
        let mut shares: Vec<f64> = shares
            .chunks(shares.len().div_ceil(room))
            .map(|chunk| chunk.iter().sum::<f64>() / chunk.len() as f64)
            .collect();
        // The chart's scale is that of a device that is always busy.
        shares.push(1.0);
        let mut chart = page::sparkline(&shares, charset);
        chart.pop();
        let which = format!("{} devices; the busiest and the least busy:", working.len());
        lines.push(format!("  {chart}  {FAINT}{which}{FAINT:#}"));
        working.sort_by(|a, b| b.1.total_cmp(&a.1));
        working = vec![working[0], working[working.len() - 1]];
    }
    let widest = working
        .iter()
        .map(|(name, _)| format::width(name))
        .max()
        .unwrap_or(0);
    let widest = widest.min(width / 2);
    for (name, share) in working {
        let name = format::shortened(&format::one_line(name), widest, charset);
        let gap = " ".repeat(widest - format::width(&name));
        let bar = page::bar(share, width.saturating_sub(widest + 15).min(50), charset);
        let share = figures::percent(share);
        lines.push(
            format!("  {name}{gap}  {share:>7}  {bar}")
                .trim_end()
                .to_owned(),
        );
    }
    let others = report.devices.iter();
    let others = others.filter(|device| device.busy_ratio.is_none());
    let (outside, never): (Vec<_>, Vec<_>) =
        others.partition(|device| has_ever_worked(session, device));
    let time = match report.step_time_ps {
        Some(_) => "worked only outside of the steps",
        None => "worked only outside of the observed time",
    };
    for (devices, what) in [(outside, time), (never, "recorded no work")] {
        if !devices.is_empty() {
            let count = figures::counted(devices.len(), "device");
            lines.push(format!("  {FAINT}{count} {what}{FAINT:#}"));
        }
    }
    lines
}

fn top_ops(report: &OverviewReport, rows: usize, width: usize, charset: Charset) -> Vec<String> {
    let tables = report.tables();
    let Some(table) = tables.into_iter().find(|table| table.key == "top_ops") else {
        return Vec::new();
    };
    if table.rows.is_empty() {
        return Vec::new();
    }
    let mut known = BTreeSet::new();
    let mut shown = report.top_ops.iter().take(rows);
    let mut columns = OP_COLUMNS.to_vec();
    // Ops of several programs have one name.
    if shown.any(|op| !known.insert(op.name.as_str())) {
        columns.insert(1, "program");
    }
    let table = table::with_columns(table, &columns);
    let view = View {
        width: width - 2,
        limit: Some(rows),
        charset,
        is_wide: false,
    };
    let mut lines = vec![page::heading("Top ops by self time")];
    // The footer of a table mentions options that this command does not have.
    let text = table::rows(&table, &view);
    lines.extend(text.lines().map(|line| format!("  {line}")));
    lines
}

/// The notes, warnings first, each as its lines.
fn notes(notes: &[Note], width: usize, charset: Charset) -> Vec<Vec<String>> {
    let mut notes: Vec<&Note> = notes.iter().collect();
    notes.sort_by_key(|note| note.kind);
    notes
        .iter()
        .map(|note| page::note_lines(note, width, charset))
        .collect()
}

/// Drops the last notes until `room` lines are enough, and says how many were dropped, and which command
/// has all.
fn shorten(notes: &mut Vec<Vec<String>>, room: usize, charset: Charset, pasted: &Pasted) {
    let lines = |notes: &[Vec<String>]| notes.iter().map(Vec::len).sum::<usize>();
    if lines(notes) <= room {
        return;
    }
    let count = notes.len();
    while lines(notes) + 1 > room && notes.len() > 1 {
        notes.pop();
    }
    let ellipsis = charset.ellipsis();
    let left_out = figures::counted(count - notes.len(), "more note");
    if count > notes.len() {
        let line = pasted.line(&format!("{ellipsis} {left_out} with"), "overview");
        notes.push(vec![format!("{FAINT}{line}{FAINT:#}")]);
    }
}
