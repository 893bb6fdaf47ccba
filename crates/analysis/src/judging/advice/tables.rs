//! The `advice` report as tables and as prose.

use std::collections::BTreeSet;

use super::columns::{self, CHECKS, FINDINGS};
use super::report::{AdviceCheck, AdviceEvidence, AdviceFinding, AdviceReport};
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::{Declared, Table};
use crate::telling::{format, shell};
use crate::views::ops::OpRow;

impl Report for AdviceReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("findings", "What to change", FINDINGS, &self.findings),
            Table::of("passed", "Passed", CHECKS, &self.passed),
            Table::of("skipped", "Not checked", CHECKS, &self.skipped),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn sentences(&self) -> &[String] {
        &self.sentences
    }
}

/// The report as prose.
pub(super) fn sentences(report: &AdviceReport, repeated: &Repeated<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, finding) in (1..).zip(&report.findings) {
        if number > 1 {
            lines.push(String::new());
        }
        lines.extend(paragraph(number, finding, &report.findings, repeated));
    }
    if report.findings.is_empty() {
        lines.push("Found nothing to change.".to_owned());
    }
    let titles = |checks: &[AdviceCheck]| {
        let titles: Vec<String> = checks.iter().map(within_sentence).collect();
        titles.join(", ")
    };
    if !report.passed.is_empty() {
        lines.push(String::new());
        let (count, titles) = (report.passed.len(), titles(&report.passed));
        let by = match report.step_ps {
            Some(_) => " Shares refer to the mean step, as in the overview.",
            None => "",
        };
        lines.push(format!("Passed ({count}): {titles}.{by}"));
    }
    lines.extend(not_checked(&report.skipped));
    lines
}

/// The title of a check within a sentence.
fn within_sentence(check: &AdviceCheck) -> String {
    in_sentence(&check.title)
}

/// The title in lower case, unless its first word is a name.
fn in_sentence(title: &str) -> String {
    let word = title.split(' ').next().unwrap_or(title);
    let mut letters = title.chars();
    match letters.next() {
        Some(first) if !word.chars().skip(1).any(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => title.to_owned(),
    }
}

/// Checks that could not run, grouped by reason.
fn not_checked(skipped: &[AdviceCheck]) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for check in skipped {
        let title = within_sentence(check);
        match reasons.iter_mut().find(|(text, _)| *text == check.text) {
            Some((_, titles)) => titles.push(title),
            None => reasons.push((&check.text, vec![title])),
        }
    }
    let lines = reasons.into_iter().map(|(text, titles)| {
        let text = text.trim_end_matches(['.', ':']);
        format!("Not checked: {}. {text}.", titles.join(", "))
    });
    lines.collect()
}

fn paragraph(
    number: usize,
    finding: &AdviceFinding,
    all: &[AdviceFinding],
    repeated: &Repeated<'_>,
) -> Vec<String> {
    let gain = match (finding.gain_ps_per_step, finding.gain_ratio) {
        (Some(gain), _) if finding.is_replayed && gain <= 0.0 => {
            ": saves nothing on its own (replayed)".to_owned()
        }
        (Some(gain), Some(ratio)) if finding.is_replayed => format!(
            ": {} {} per step, {} (replayed{})",
            finding.gain_word(),
            format::duration_ps(gain),
            format::percent(ratio),
            range(finding, gain)
        ),
        (Some(gain), Some(ratio)) => format!(
            ": up to {} per step, {}",
            format::duration_ps(gain),
            format::percent(ratio)
        ),
        _ => String::new(),
    };
    let mut lines = vec![format!(
        "{number}. [{}] {}{gain}",
        finding.severity.word(),
        finding.title
    )];
    lines.push(format!("   {}", finding.what));
    if !finding.why.is_empty() {
        lines.push(format!("   Why: {}", finding.why));
    }
    if !finding.fix.is_empty() {
        lines.push(format!("   Fix: {}", finding.fix));
    }
    lines.extend(finding.code.lines().map(|line| format!("       {line}")));
    let mut commands = Vec::new();
    for evidence in &finding.evidence {
        // One command shows what several pieces of evidence are about.
        let command = command(evidence, repeated).filter(|one| !commands.contains(one));
        let source = Some(evidence.source.clone()).filter(|source| !source.is_empty());
        let places: Vec<String> = source.into_iter().chain(command.clone()).collect();
        commands.extend(command);
        let places = match places.join("; ") {
            none if none.is_empty() => none,
            places => format!(" ({places})"),
        };
        lines.push(format!("   See: {}{places}", evidence.text));
    }
    let also = finding.also_seen_as.iter();
    lines.extend(
        also.map(|one| format!("   Also seen as: {}. {}", in_sentence(&one.title), one.what)),
    );
    let others: Vec<String> = all
        .iter()
        .filter(|other| finding.overlaps.contains(&other.id) && other.title != finding.title)
        .map(|other| in_sentence(&other.title))
        .collect();
    if !others.is_empty() {
        let others = others.join(", ");
        lines.push(format!("   Overlaps with: {others}."));
    }
    for together in &finding.together {
        let other = all.iter().find(|other| other.id == together.id);
        if let Some(other) = other {
            lines.push(format!(
                "   Together with {}: {} per step.",
                in_sentence(&other.title),
                format::duration_ps(together.gain_ps_per_step)
            ));
        }
    }
    lines
}

/// `; 1.2 ms to 3.4 ms`, if the recording leaves it open.
fn range(finding: &AdviceFinding, gain: f64) -> String {
    let bounds = finding
        .low_gain_ps_per_step
        .zip(finding.high_gain_ps_per_step);
    bounds
        .filter(|(low, high)| high - low > OPEN_RATIO * gain)
        .map_or_else(String::new, |(low, high)| {
            format!(
                "; {} to {}",
                format::duration_ps(low),
                format::duration_ps(high)
            )
        })
}

/// Bounds closer than this share of the gain are not shown.
const OPEN_RATIO: f64 = 0.02;

/// Names that ops of several programs have.
pub(super) struct Repeated<'a>(BTreeSet<&'a str>);

impl<'a> Repeated<'a> {
    pub(super) fn of(ops: impl Iterator<Item = &'a OpRow>) -> Self {
        let mut known = BTreeSet::new();
        let names = ops.map(|row| row.name.as_str());
        Self(names.filter(|name| !known.insert(*name)).collect())
    }
}

/// The command that shows the evidence; none for times, which the timeline shows. PATH stands for the
/// path of the session, which only the command line knows.
fn command(evidence: &AdviceEvidence, repeated: &Repeated<'_>) -> Option<String> {
    let program = match evidence.program_id.as_str() {
        "" => String::new(),
        id => format!(" --program {id}"),
    };
    Some(match evidence.view.as_str() {
        "" | "timeline" => return None,
        "ops" if !evidence.op.is_empty() => {
            let is_repeated = repeated.0.contains(evidence.op.as_str());
            let program = if is_repeated { program.as_str() } else { "" };
            // Names are no patterns, and may be parts of others.
            let name = regex::escape(&evidence.op).replace("\\-", "-");
            let pattern = shell::word(&format!("^{name}$"));
            format!("`stepscope ops PATH{program} --match {pattern}`")
        }
        view @ ("buffers" | "op_tree") => format!("`stepscope {view} PATH{program}`"),
        view => format!("`stepscope {view} PATH`"),
    })
}
