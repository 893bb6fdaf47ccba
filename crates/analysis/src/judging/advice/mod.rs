//! `advice`: what to change, ranked by severity and the time it saves per step, and what is fine.
//!
//! Every figure comes from another analysis, computed once ([`facts`]). The rules are in [`rules`], one
//! file each; their thresholds are in [`thresholds`]. Findings about the same time are one
//! ([`fold`]). A gain is how much shorter the
//! step would be if the cause disappeared entirely and nothing else replaced it: replayed where a
//! change of `what_if` models that ([`replayed`]), otherwise an upper bound.

mod alone;
mod columns;
mod evidence;
mod facts;
mod fold;
mod order;
mod programs;
mod replayed;
mod report;
pub mod rules;
mod scenarios;
mod steps_of_runs;
mod tables;
mod values;

use clap::Args;
pub use report::{
    AdviceCheck, AdviceEvidence, AdviceFinding, AdviceReport, AdviceTogether, Confidence,
};
use stepscope_model::{Framework, Session};

use crate::asking::group::Group;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::telling::Note;
use crate::telling::thresholds::Thresholds;
use facts::Facts;
use rules::{Outcome, Seen};
use tables::Repeated;

/// The `advice` analysis.
pub struct Advice;

/// Options of [`Advice`].
#[derive(Debug, Clone, Default, Args)]
pub struct AdviceOptions {
    /// Which part of the session. `--limit` applies to findings.
    #[command(flatten)]
    pub selection: Selection,
    /// Thresholds that replace the built-in ones, as for `overview`: lines `key = good bad`
    #[arg(long, value_name = "FILE")]
    pub thresholds: Option<String>,
}

impl Analysis for Advice {
    const NAME: &'static str = "advice";
    const ALIASES: &'static [&'static str] = &["smart_suggestion"];
    const SUMMARY: &'static str = "What to change, ranked by severity and time saved per step, with evidence; and what is fine";
    const EXAMPLES: &'static str = "\
# What to change first
stepscope advice ./logs
# Without the warm-up steps
stepscope advice ./logs --steps 5..
# With custom thresholds from a file with lines such as: input_wait_ratio = 0.02 0.1
stepscope advice ./logs --thresholds thresholds.txt --json";
    const GROUP: Group = Group::Summary;
    const NEEDS_EVENTS: bool = false;
    type Options = AdviceOptions;
    type Report = AdviceReport;

    fn run(session: &Session, options: &AdviceOptions) -> Result<AdviceReport, AnalysisError> {
        let thresholds = match &options.thresholds {
            Some(text) => Thresholds::parse(text)?,
            None => Thresholds::default(),
        };
        let facts = Facts::of(session, &options.selection, &thresholds)?;
        let mut report = AdviceReport {
            findings: Vec::new(),
            passed: Vec::new(),
            skipped: Vec::new(),
            step_ps: facts.step_ps,
            notes: Vec::new(),
            sentences: Vec::new(),
        };
        let seen = Seen::of(&facts);
        for rule in rules::RULES {
            let check = |text: String| AdviceCheck {
                id: rule.id.to_owned(),
                title: rule.title.to_owned(),
                text,
            };
            match seen.judged(rule, (rule.check)(&facts)) {
                Outcome::Found(mut found) => {
                    if session.framework() != Framework::Jax {
                        let has_xla = session.framework() != Framework::PyTorch
                            || !session.programs.is_empty();
                        let speak = |finding: &mut AdviceFinding| finding.speak_of_no_jax(has_xla);
                        found.iter_mut().for_each(speak);
                    }
                    report.findings.extend(found);
                }
                Outcome::Passed(text) => report.passed.push(check(text)),
                Outcome::Skipped(text) => report.skipped.push(check(text)),
            }
        }
        let scenarios = replayed::scenarios(&facts, &report.findings);
        if let Ok(Some(scenarios)) = &scenarios {
            replayed::replay(scenarios, &mut report.findings);
        }
        fold::fold(&mut report.findings, &facts);
        rank(&mut report.findings, &facts);
        mark_overlaps(&mut report.findings);
        if let Ok(Some(scenarios)) = &scenarios {
            replayed::add_together(scenarios, &mut report.findings);
        }
        if let Some(limit) = options.selection.limit.filter(|&limit| limit > 0) {
            report.findings.truncate(limit);
        }
        report.notes.push(Note::info(
            "gains-overlap",
            "A gain is how much shorter a step would be if this cause disappeared and nothing else \
             replaced it: replayed from what waited for what, or else an upper bound (\"up to\"). Gains \
             of different findings may overlap and do not add up.",
        ));
        report.notes.extend(scenarios.err());
        let repeated = Repeated::of(facts.rows_of_ops());
        report.sentences = tables::sentences(&report, &repeated);
        Ok(report)
    }
}

/// Sorts findings by severity, then by gain (see [`rank_ps`]), what may be chance after other gains. No gain is longer than its step.
fn rank(findings: &mut [AdviceFinding], facts: &Facts<'_>) {
    for finding in findings.iter_mut() {
        rank(&mut finding.also_seen_as, facts);
        // A gain refers to a step.
        if facts.step_ps.is_none() {
            finding.gain_ps_per_step = None;
            finding.estimate.clear();
        }
        let step_ps = step_of(finding, facts);
        finding.step_ps = step_ps.filter(|_| finding.gain_ps_per_step.is_some());
        if let Some((gain, step)) = finding.gain_ps_per_step.zip(step_ps) {
            let gain = gain.min(step);
            finding.gain_ps_per_step = Some(gain);
            finding.gain_ratio = Some(gain / step);
        }
    }
    order::long_steps_by_gain(findings);
    findings.sort_by(|a, b| {
        (a.severity.cmp(&b.severity)).then_with(|| rank_ps(b).total_cmp(&rank_ps(a)))
    });
    order::causes_first(findings);
}

/// The step that a gain is compared with: the mean of the report, unless that of the finding is another one,
/// such as that of a single device. A replay may cut the steps elsewhere.
fn step_of(finding: &AdviceFinding, facts: &Facts<'_>) -> Option<f64> {
    const SAME: f64 = 0.01;
    match (finding.step_ps, facts.step_ps) {
        (Some(own), Some(mean)) if (own - mean).abs() <= SAME * mean => Some(mean),
        (own, mean) => own.or(mean),
    }
}

/// What findings are ranked by. Bounds are compared with bounds, unless a replay says that most of
/// one is hidden behind other work.
fn rank_ps(finding: &AdviceFinding) -> f64 {
    if finding.may_be_chance {
        // Before what has no gain; as a note, after it.
        let is_note = finding.severity == Severity::Info;
        return if is_note { -1.0 } else { f64::MIN_POSITIVE };
    }
    let gain = finding.gain_ps_per_step.unwrap_or(0.0);
    let bound = finding.bound_ps.unwrap_or(0.0);
    if finding.is_replayed && gain >= replayed::MOSTLY_HIDDEN * bound {
        bound
    } else {
        gain
    }
}

/// Marks findings whose gains come from the same parts of a step.
fn mark_overlaps(findings: &mut [AdviceFinding]) {
    let of = |finding: &AdviceFinding| match finding.gain_ps_per_step {
        Some(_) => finding.parts.clone(),
        None => Vec::new(),
    };
    let all: Vec<(String, Vec<PartKind>)> = findings
        .iter()
        .map(|finding| (finding.id.clone(), of(finding)))
        .collect();
    for (number, finding) in findings.iter_mut().enumerate() {
        let own = &all[number].1;
        let others = all.iter().enumerate().filter(|(other, (_, parts))| {
            *other != number && parts.iter().any(|part| own.contains(part))
        });
        finding.overlaps = others.map(|(_, (id, _))| id.clone()).collect();
        finding.overlaps.dedup();
    }
}
