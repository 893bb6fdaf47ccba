//! Memory that a program wastes on padding (from its memory plan, as in `buffers`).

use super::{CPU_ONLY, Outcome, Rule, finding, gravity, matters};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceEvidence;
use crate::telling::format;
use crate::views::buffers::plan_figures;

pub(super) static RULE: Rule = Rule {
    id: "buffer_padding",
    title: "Buffer padding",
    parts: &[],
    check,
};

/// Why there is no plan to check.
pub(super) const NO_PLAN: &str =
    "The profile has no memory plan of a program that the devices spend time in.";
/// Number of shapes in the evidence.
const TOLD: usize = 4;

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
    let padding = plan.peak_bytes - plan.unpadded_bytes;
    let ratio = padding as f64 / plan.peak_bytes as f64;
    let text = format!(
        "{} of the {} that {} holds at its peak ({}) is padding.",
        format::bytes(padding as f64),
        format::bytes(plan.peak_bytes as f64),
        program.title,
        format::percent(ratio)
    );
    let gravity = gravity(&facts.threshold("buffer_padding_ratio"), ratio);
    let Some(severity) = gravity.filter(|_| matters(facts, padding)) else {
        return Outcome::Passed(text);
    };
    let id = facts.session.program(program.id).id.to_string();
    let evidence = plan.padding.into_iter().take(TOLD).map(|shape| {
        let text = format!(
            "{} of {}: {} of padding",
            shape.count,
            format::shortened(&shape.shape),
            format::bytes(shape.padding_bytes as f64)
        );
        AdviceEvidence {
            program_id: id.clone(),
            source: shape.source,
            ..in_view("buffers", text)
        }
    });
    finding(&RULE, severity, text)
        .why(
            "Arrays are laid out in tiles, and their last two dimensions are rounded up to whole \
             tiles. Padding is read and written like data.",
        )
        .fix(
            "Put a large dimension last, or make the last two dimensions multiples of the tile (8 \
             × 128 on TPUs). Join small arrays into one.",
        )
        .seen(evidence)
        .found()
}
