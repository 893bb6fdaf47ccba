//! The same function is compiled repeatedly (guides: recompilation in the window).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use stepscope_model::SaturatingSum as _;

use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::between;
use crate::judging::advice::facts::{Facts, part_ps};
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::compile::CompilationRow;

pub(super) static RULE: Rule = Rule {
    id: "recompilation",
    title: "Function recompiled",
    parts: &[PartKind::Compilation],
    check,
};

/// Number of functions, changes and compilations that the finding names.
const TOLD: usize = 3;

fn check(facts: &Facts<'_>) -> Outcome {
    let all = facts.compilations();
    let again: Vec<&CompilationRow> = all.iter().filter(|row| row.is_again).collect();
    if again.is_empty() {
        return Outcome::Passed(match all.len() {
            0 => "Nothing was compiled while the profiler ran.".to_owned(),
            count => format!(
                "{} while the profiler ran, each of a different function.",
                format::counted(count, "compilation")
            ),
        });
    }
    let Some(severity) = gravity(&facts.threshold("recompilations_count"), again.len() as f64)
    else {
        return Outcome::Passed(format!(
            "{} of a function that had been compiled before.",
            format::counted(again.len(), "compilation")
        ));
    };
    let mut functions: BTreeMap<&str, (usize, i64)> = BTreeMap::new();
    for row in &again {
        let sum = functions.entry(&row.function).or_default();
        *sum = (sum.0 + 1, sum.1 + row.duration_ps);
    }
    let mut functions: Vec<_> = functions.into_iter().collect();
    functions.sort_by_key(|&(name, (_, time))| (Reverse(time), name));
    let words: Vec<String> = functions
        .iter()
        .take(TOLD)
        .map(|(name, (count, time))| {
            format!(
                "{name} {}, {}",
                format::counted(*count, "time"),
                format::duration_ps(*time as f64)
            )
        })
        .collect();
    let mut longest = again.clone();
    let rank = |row: &CompilationRow| functions.iter().position(|one| one.0 == row.function);
    longest.sort_by_key(|row| (rank(row), Reverse(row.duration_ps), row.start_ps));
    let changes = changes(&longest);
    let reason = match changes.as_slice() {
        [] => String::new(),
        changes => format!(" What changed: {}.", changes.join("; ")),
    };
    let in_steps = again.iter().filter(|row| row.step.is_some());
    let time: i64 = in_steps.map(|row| row.duration_ps).saturating_sum();
    let mean_ps = time as f64 / facts.step_count() / facts.session.hosts.len().max(1) as f64;
    // Devices may have had work meanwhile.
    let waited_ps = facts
        .mean(|row| part_ps(row, PartKind::Compilation) as f64)
        .unwrap_or(mean_ps);
    finding(
        &RULE,
        severity,
        format!("Recompiled: {}.{reason}", words.join("; ")),
    )
    .why(
        "A jitted function is compiled for each combination of shapes, types and static \
         arguments, and for each new function object.",
    )
    .fix(
        "Pad batches to one shape and drop the last partial batch; pass Python numbers as arrays; \
         create jitted functions once, outside the loop; let JAX log what it compiles and why.",
    )
    .why_elsewhere(
        "A function is compiled for each combination of shapes and types, and for each new \
         function object.",
    )
    .fix_elsewhere(
        "Pad batches to one shape and drop the last partial batch; create compiled functions once, \
         outside the loop.",
    )
    .code("jax.config.update(\"jax_explain_cache_misses\", True)")
    .gain(
        Some(mean_ps.min(waited_ps)),
        "time of these compilations within steps ÷ number of steps ÷ number of hosts, at most the part \
         of the mean step in which devices wait for compilation",
    )
    .sure(Confidence::Medium)
    .seen(longest.into_iter().take(TOLD).map(seen))
    .found()
}

/// What changed in the first of the compilations, each change with its function. An array of another
/// shape also changes the arguments of small functions within JAX, which the program does not know.
fn changes(longest: &[&CompilationRow]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for row in longest.iter().filter(|row| !row.change.is_empty()) {
        let change = if row.function.is_empty() {
            row.change.clone()
        } else {
            format!("{} ({})", row.function, row.change)
        };
        if !told.contains(&change) && told.len() < TOLD {
            told.push(change);
        }
    }
    told
}

fn seen(row: &CompilationRow) -> AdviceEvidence {
    let step = row
        .step
        .map_or_else(String::new, |step| format!(" in step {step}"));
    let text = format!(
        "{}{step} on {}: {}",
        row.function,
        row.host,
        format::duration_ps(row.duration_ps as f64)
    );
    AdviceEvidence {
        step: row.step,
        ..between(row.start_ps, row.start_ps + row.duration_ps, text)
    }
}
