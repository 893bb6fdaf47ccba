//! Compilation within steps (guides: compilation time; recompilation in the window).

use super::{NO_STEPS, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, part_ps};
use crate::format;
use crate::overview::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "compilation",
    title: "Compilation within steps",
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let count = facts.overview.step_series.len();
    let Some(step) = facts.step_ps else {
        return Outcome::Skipped(NO_STEPS.to_owned());
    };
    // Rare by nature, so the mean over steps counts rather than the median.
    let index = crate::steps::parts::position(PartKind::Compilation);
    let bars = facts.overview.step_series.iter();
    let total: f64 = bars.filter_map(|bar| bar.parts_ps.get(index)).sum();
    let time = total / count.max(1) as f64;
    let share = format::percent(time / step);
    let Some(severity) = gravity(&facts.threshold("compilation_in_steps_ratio"), time / step)
    else {
        return Outcome::Passed(format!("{share} of the steps."));
    };
    let rows = facts.rows().iter();
    let compiled = |row: &&crate::steps::StepParts| part_ps(row, PartKind::Compilation) > 0;
    let mut steps: Vec<i64> = rows
        .filter(compiled)
        .map(|row| facts.session.steps[row.step].number)
        .collect();
    steps.sort_unstable();
    steps.dedup();
    let longest = facts
        .rows()
        .iter()
        .max_by_key(|row| part_ps(row, PartKind::Compilation));
    let evidence = longest.map(|row| {
        let length = format::duration_ps(part_ps(row, PartKind::Compilation) as f64);
        let number = facts.session.steps[row.step].number;
        facts.at_row(row, format!("step {number}: {length} of compilation"))
    });
    finding(
        &RULE,
        severity,
        format!(
            "The devices are idle for {} in all while the host compiles, in {} of {count} steps.",
            format::duration_ps(total),
            steps.len()
        ),
    )
    .why(
        "The first call of a jitted function compiles it, and so does every call with another shape, \
         type or static argument.",
    )
    .fix(
        "Warm up before recording. If later steps compile too: pad batches to one shape, drop the \
         last partial batch, pass Python numbers as arrays, and let JAX say what it compiles and why. \
         Keep compiled programs between runs with a compilation cache.",
    )
    .code(
        "jax.config.update(\"jax_explain_cache_misses\", True)\n\
         jax.config.update(\"jax_compilation_cache_dir\", \"/tmp/jax_cache\")",
    )
    .gain(Some(time), "idle time of the devices during compilation ÷ steps")
    .seen(evidence)
    .found()
}
