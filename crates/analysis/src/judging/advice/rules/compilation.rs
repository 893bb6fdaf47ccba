//! Compilation within steps (guides: compilation time in the window).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::recompilation::{FIX_FORGOTTEN, all_begin, recurring};
use super::{Outcome, Rule, finding, gravity, no_steps};
use crate::judging::advice::evidence::{between, in_view};
use crate::judging::advice::facts::{Facts, part_ps};
use crate::judging::advice::report::AdviceEvidence;
use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::compile::{CompilationRow, FORGOTTEN, SAME_SHAPES};
use stepscope_model::{SaturatingSum as _, Span};

pub(super) static RULE: Rule = Rule {
    id: "compilation",
    title: "Compilation within steps",
    parts: &[PartKind::Compilation],
    check,
};

/// Number of functions that the finding names.
const TOLD: usize = 4;

/// From this share of the time of compilations on, those of functions compiled before, or that only trace,
/// are the cause.
const MOSTLY: f64 = 0.5;

const GAIN: &str = "idle time of the devices during compilation ÷ number of steps";

/// What to do if something is compiled again and again.
pub(super) const FIX_STEADY: &str = "Warming up does not help, because the same function is compiled repeatedly: find what changes \
     from call to call. Pad batches to one shape; create jitted functions once, outside the loop; \
     pass Python numbers as arrays.";

/// The same where shapes and types do not change.
const FIX_SAME: &str = "Warming up does not help, because the same function is compiled repeatedly, nor does padding, since \
                        shapes and types are the same: find what changes from call to call. Create jitted functions once, \
                        outside the loop; pass Python numbers as arrays.";

/// What to do about functions that are compiled repeatedly, by what is known to have changed.
fn fix_steady(facts: &Facts<'_>) -> &'static str {
    let again = recurring(facts.compilations());
    let all = |begin| all_begin(again.iter().copied(), begin);
    if all(FORGOTTEN) {
        FIX_FORGOTTEN
    } else if all(SAME_SHAPES) {
        FIX_SAME
    } else {
        FIX_STEADY
    }
}

/// Whether a function was compiled so often that this is not warm-up.
pub(super) fn is_steady(facts: &Facts<'_>) -> bool {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in recurring(facts.compilations()) {
        *counts.entry(row.function.as_str()).or_default() += 1;
    }
    counts.values().any(|&count| count > 1)
}

/// The functions that are compiled within steps, those that take longest first.
fn longest_functions<'a>(facts: &'a Facts<'_>) -> Vec<&'a str> {
    let mut times: BTreeMap<&str, i64> = BTreeMap::new();
    for row in facts.compilations() {
        if row.step.is_some() && !row.function.is_empty() {
            let time = times.entry(&row.function).or_default();
            *time = time.saturating_add(row.duration_ps);
        }
    }
    let mut functions: Vec<(&str, i64)> = times.into_iter().collect();
    functions.sort_by_key(|&(name, time)| (Reverse(time), name));
    let names = functions.into_iter().map(|(name, _)| name);
    names.take(TOLD).collect()
}

/// The time of those that began within steps.
fn in_steps_ps<'a>(rows: impl IntoIterator<Item = &'a CompilationRow>) -> i64 {
    let within = rows.into_iter().filter(|row| row.step.is_some());
    within.map(|row| row.duration_ps).saturating_sum()
}

/// First steps that compile, which no figure includes: what they cost is told, and no share of a step.
fn warm_up(facts: &Facts<'_>) -> Option<Outcome> {
    let session = facts.session;
    let steps = facts.selected.warm_up();
    let told = steps.iter().map(|step| {
        format!(
            "Step {} compiles for {}",
            session.steps[step.position].number,
            format::duration_ps(step.compilation_ps as f64)
        )
    });
    let told = told.reduce(|all, next| format!("{all}. {next}"))?;
    let evidence = steps.iter().filter_map(|step| {
        let step = &session.steps[step.position];
        let spans = step.spans.iter().map(|on| on.span);
        let span = spans.reduce(Span::hull)?;
        let text = format!("step {}", step.number);
        Some(AdviceEvidence {
            step: Some(step.number),
            ..between(span.start.0, span.end.0, text)
        })
    });
    let title = match steps.len() {
        1 => "Compilation in the first step",
        _ => "Compilation in the first steps",
    };
    let text = format!("{told}. No figure of the steps includes it.");
    finding(&RULE, Severity::Warning, text)
        .titled(title.to_owned())
        .why(
            "The first call of a jitted function compiles it, and the second may again, if its arguments \
             are results of the first with other layouts or shardings.",
        )
        .fix(
            "Warm up before recording: run a few steps first. Keep compiled programs between runs with a \
             compilation cache.",
        )
        .why_elsewhere("The first call of a compiled function compiles it.")
        .code(CACHE)
        .seen(evidence)
        .seen([in_view("compile", "each compilation and its phases".to_owned())])
        .found()
        .into()
}

const CACHE: &str = "jax.config.update(\"jax_compilation_cache_dir\", \"/tmp/jax_cache\")";

fn check(facts: &Facts<'_>) -> Outcome {
    let count = facts.bars.len();
    let Some(step) = facts.step_ps else {
        return Outcome::Skipped(no_steps(facts));
    };
    // Compilation is in few steps, so use the mean over steps instead of the median.
    let index = crate::measuring::steps::parts::position(PartKind::Compilation);
    let times: Vec<f64> = facts
        .bars
        .iter()
        .filter_map(|bar| bar.parts_ps.get(index).copied())
        .collect();
    let total: f64 = times.iter().sum();
    let time = total / count.max(1) as f64;
    let share = format::percent(time / step);
    let Some(severity) = gravity(&facts.threshold("compilation_in_steps_ratio"), time / step)
    else {
        return warm_up(facts).unwrap_or_else(|| Outcome::Passed(format!("{share} of the steps.")));
    };
    let compiled = times.iter().filter(|&&time| time > 0.0).count();
    let longest = facts
        .rows()
        .iter()
        .max_by_key(|row| part_ps(row, PartKind::Compilation));
    let evidence = longest.map(|row| {
        let length = format::duration_ps(part_ps(row, PartKind::Compilation) as f64);
        let number = facts.session.steps[row.step].number;
        facts.at_row(row, format!("step {number}: {length} of compilation"))
    });
    let rows = facts.compilations();
    let all_ps = in_steps_ps(rows);
    let is_most = |ps: i64| ps > 0 && ps as f64 >= MOSTLY * all_ps as f64;
    if is_most(in_steps_ps(rows.iter().filter(|row| row.is_only_traced()))) {
        let text = format!(
            "The devices are idle for {} in total while the host traces functions, in {compiled} of {count} \
             steps. Nothing is compiled then.",
            format::duration_ps(total),
        );
        return finding(&RULE, severity, text)
            .titled("Tracing within steps".to_owned())
            .why(
                "`grad`, `vmap` and others trace the jitted functions within what they transform \
                 (`jax.nn.relu` is one) in each call that is outside of jit.",
            )
            .fix("Jit the function that calls them, such as the whole step: it is traced once.")
            .gain(Some(time), GAIN)
            .seen(evidence)
            .seen([in_view("compile", "each of them".to_owned())])
            .found();
    }
    let functions = longest_functions(facts);
    let named = match functions.as_slice() {
        [] => String::new(),
        names => format!(": {}", names.join(", ")),
    };
    // Compilation in nearly every step is not warm-up, nor is that of functions compiled before.
    let is_again = is_most(in_steps_ps(recurring(rows)));
    let is_in_most = count >= 3 && compiled * 5 >= count * 4 || is_again;
    let fix = if is_in_most {
        fix_steady(facts)
    } else {
        "Warm up before recording, or exclude the first steps (`--steps`). Keep compiled programs \
         between runs with a compilation cache."
    };
    let code = if is_in_most {
        "jax.config.update(\"jax_explain_cache_misses\", True)"
    } else {
        CACHE
    };
    finding(
        &RULE,
        severity,
        format!(
            "The devices are idle for {} in total while the host compiles, in {compiled} of {count} \
             steps{named}.",
            format::duration_ps(total),
        ),
    )
    .why(
        "The first call of a jitted function compiles it, and so does every call with a new \
         shape, type or static argument.",
    )
    .fix(fix)
    .why_elsewhere(
        "The first call of a compiled function compiles it, and so does every call with a new \
         shape or type.",
    )
    .code(code)
    .gain(Some(time), GAIN)
    .seen(evidence)
    .seen([in_view("compile", "each compilation and its phases".to_owned())])
    .found()
}
