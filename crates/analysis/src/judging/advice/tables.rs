//! The `advice` report as tables and as prose.

use super::columns::{self, CHECKS, FINDINGS};
use super::report::{AdviceCheck, AdviceFinding, AdviceReport};
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, Table};

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
pub(super) fn sentences(report: &AdviceReport) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, finding) in (1..).zip(&report.findings) {
        if number > 1 {
            lines.push(String::new());
        }
        lines.extend(paragraph(number, finding, &report.findings));
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

fn paragraph(number: usize, finding: &AdviceFinding, all: &[AdviceFinding]) -> Vec<String> {
    let gain = match (finding.gain_ps_per_step, finding.gain_ratio) {
        (Some(gain), _) if finding.is_replayed && gain <= 0.0 => {
            ": saves nothing on its own (replayed)".to_owned()
        }
        (Some(gain), Some(ratio)) if finding.is_replayed => format!(
            ": saves {} per step, {} (replayed{})",
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
    lines.extend(
        finding
            .evidence
            .iter()
            .map(|evidence| format!("   See: {}{}", evidence.text, place(evidence))),
    );
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

fn place(evidence: &super::report::AdviceEvidence) -> String {
    let mut parts = Vec::new();
    if !evidence.source.is_empty() {
        parts.push(evidence.source.clone());
    }
    match evidence.view.as_str() {
        "" | "timeline" => {}
        "ops" if !evidence.op.is_empty() => {
            parts.push(format!("stepscope ops PATH --match '{}'", evidence.op));
        }
        view @ ("buffers" | "op_tree") if !evidence.program_id.is_empty() => parts.push(format!(
            "stepscope {view} PATH --program {}",
            evidence.program_id
        )),
        view => parts.push(format!("stepscope {view} PATH")),
    }
    if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join("; "))
    }
}
