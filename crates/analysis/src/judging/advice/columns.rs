//! Columns of the tables of `advice`: titles, units, behavior, and how each is read from its row.
//! Meanings are documented at the fields of the rows.

use super::report::{AdviceCheck, AdviceFinding};
use crate::telling::format;
use crate::telling::{Column, Declared, Field, Unit};

pub(super) const FINDINGS: &[Field<AdviceFinding>] = &[
    Column::new("id", "Rule", Unit::Text).of(|finding| finding.id.as_str().into()),
    Column::new("severity", "Severity", Unit::Text).of(|finding| finding.severity.word().into()),
    Column::new("gain_ps_per_step", "Gain per step", Unit::Picos)
        .fractional()
        .of(|finding| finding.gain_ps_per_step.into()),
    Column::wide("is_replayed", "Replayed", Unit::Flag).of(|finding| finding.is_replayed.into()),
    Column::wide("low_gain_ps_per_step", "Least gain", Unit::Picos)
        .fractional()
        .of(|finding| finding.low_gain_ps_per_step.into()),
    Column::wide("high_gain_ps_per_step", "Largest gain", Unit::Picos)
        .fractional()
        .of(|finding| finding.high_gain_ps_per_step.into()),
    Column::wide("change", "Change", Unit::Text).of(|finding| finding.change.as_str().into()),
    Column::wide("gain_ratio", "Share of step", Unit::Ratio)
        .of(|finding| finding.gain_ratio.into()),
    Column::wide("confidence", "Confidence", Unit::Text)
        .of(|finding| finding.confidence.name().into()),
    Column::new("what", "What", Unit::Text).of(|finding| finding.what.as_str().into()),
    Column::wide("why", "Why", Unit::Text).of(|finding| finding.why.as_str().into()),
    Column::wide("fix", "What to change", Unit::Text).of(|finding| finding.fix.as_str().into()),
    Column::wide("estimate", "Estimate", Unit::Text).of(|finding| finding.estimate.as_str().into()),
    Column::wide("also_seen_as", "Also seen as", Unit::Text)
        .means(
            "Rules that found the same time, which this finding explains. Empty if there are none.",
        )
        .of(|finding| also_seen_as(finding).into()),
    Column::wide("overlaps", "Overlaps with", Unit::Text)
        .of(|finding| finding.overlaps.join(", ").into()),
    Column::wide("together", "Together", Unit::Text)
        .means(
            "Replayed gain per step if the causes of both findings disappear, by the other rule.",
        )
        .of(|finding| together(finding).into()),
];

/// `compilation, step_outliers`
fn also_seen_as(finding: &AdviceFinding) -> String {
    let ids = finding.also_seen_as.iter().map(|one| one.id.as_str());
    ids.collect::<Vec<_>>().join(", ")
}

/// `input_wait 12.3 ms, straggler 4.5 ms`
fn together(finding: &AdviceFinding) -> String {
    let each = finding.together.iter().map(|one| {
        let gain = format::duration_ps(one.gain_ps_per_step);
        format!("{} {gain}", one.id)
    });
    each.collect::<Vec<_>>().join(", ")
}

pub(super) const CHECKS: &[Field<AdviceCheck>] = &[
    Column::new("id", "Rule", Unit::Text).of(|check| check.id.as_str().into()),
    Column::new("title", "Check", Unit::Text).of(|check| check.title.as_str().into()),
    Column::new("text", "Outcome", Unit::Text).of(|check| check.text.as_str().into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("findings", FINDINGS),
        Declared::of("passed", CHECKS),
        Declared::of("skipped", CHECKS),
    ]
}
