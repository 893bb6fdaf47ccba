//! Arguments that could be donated but are not (from the memory plan, as in `buffers`).

use super::buffer_padding::NO_PLAN;
use super::{CPU_ONLY, Outcome, Rule, finding, gravity, matters};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::telling::format;
use crate::views::buffers::{BufferSaving, plan_figures};
use stepscope_model::SaturatingSum as _;

pub(super) static RULE: Rule = Rule {
    id: "donation",
    title: "Arguments not donated",
    parts: &[],
    check,
};

/// Donation does not matter if less than this share of memory is used at the peak.
const SCARCE: f64 = 0.7;

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.is_cpu_only() {
        return Outcome::Skipped(CPU_ONLY.to_owned());
    }
    let program = facts.programs().first();
    let plan =
        program.and_then(|program| Some((program, plan_figures(facts.session, program.id)?)));
    let Some((program, plan)) = plan.filter(|(_, plan)| plan.peak_bytes > 0) else {
        return Outcome::Skipped(NO_PLAN.to_owned());
    };
    let is_donation = |saving: &&BufferSaving| saving.remedy == "donate";
    let savings: Vec<&BufferSaving> = plan.savings.iter().filter(is_donation).collect();
    let bytes: i64 = savings.iter().map(|saving| saving.bytes).saturating_sum();
    let ratio = bytes as f64 / plan.peak_bytes as f64;
    let text = format!(
        "{} of the {} that {} holds at its peak ({}) are results with the same shapes as arguments \
         that are also kept.",
        format::bytes(bytes as f64),
        format::bytes(plan.peak_bytes as f64),
        program.title,
        format::percent(ratio)
    );
    let full = super::fullest(facts, |row| row.peak_ratio).ok();
    if let Some((_, full)) = full.filter(|&(_, full)| full < SCARCE) {
        let full = format::percent(full);
        return Outcome::Passed(format!("{text} Memory is {full} full at its peak."));
    }
    let gravity = gravity(&facts.threshold("donation_ratio"), ratio);
    let Some(severity) = gravity.filter(|_| matters(facts, bytes)) else {
        return Outcome::Passed(text);
    };
    let id = facts.session.program(program.id).id.to_string();
    let evidence = savings.into_iter().take(4).map(|saving| {
        let text = format!(
            "{}: {}",
            format::shortened(&saving.group),
            format::bytes(saving.bytes as f64)
        );
        AdviceEvidence {
            program_id: id.clone(),
            source: saving.source.clone(),
            ..in_view("buffers", text)
        }
    });
    finding(&RULE, severity, text)
        .why(
            "The old and the new state are both in memory, and arrays that could be updated in \
             place are copied.",
        )
        .fix("Donate arguments that are not needed after the call, such as the state of a training step.")
        .fix_elsewhere(
            "Update arguments in place if they are not needed after the call, such as the state \
             of a training step.",
        )
        .code("step = jax.jit(train_step, donate_argnames=(\"state\",))")
        .sure(Confidence::Medium)
        .seen(evidence)
        .found()
}
