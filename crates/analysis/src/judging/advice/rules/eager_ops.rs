//! Single ops that the host dispatches one at a time, outside of any jitted function, and that take a
//! considerable part of the devices' work: an optimizer that was not jitted, a metric, a schedule.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use stepscope_model::{SaturatingSum as _, Session, hlo};

use super::own_python::without_own_python;
use super::{NO_HLO, Outcome, Rule, finding, share, waiting};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "eager_ops",
    title: "Ops outside of jit",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// Fewer runs per step, or in a recording without steps, are glue between functions.
const MIN_PER_STEP: f64 = 8.0;
const MIN_IN_RECORDING: f64 = 100.0;
/// Ops of one kind only, such as sums of gradients, would hardly be fused.
const MIN_KINDS: usize = 2;
/// Number of programs in the text.
const TOLD: usize = 3;
/// What XLA fuses with nothing, or with little: such an op loses little by being alone.
const ALONE: [&str; 16] = [
    "dot",
    "convolution",
    "custom-call",
    "sort",
    "fft",
    "cholesky",
    "triangular-solve",
    "while",
    "conditional",
    "scatter",
    "rng-bit-generator",
    "all-reduce",
    "all-gather",
    "all-to-all",
    "reduce-scatter",
    "collective-permute",
];

fn check(facts: &Facts<'_>) -> Outcome {
    let session = facts.session;
    if session.programs.iter().all(|program| program.hlo.is_none()) {
        return Outcome::Skipped(NO_HLO.to_owned());
    }
    let eager = eager_programs(session);
    let is_eager = |row: &OpRow| eager.contains_key(row.program_id.as_str());
    let found = match share(facts, "eager_ops_ratio", is_eager) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let runs = runs(facts, &eager);
    let all: i64 = runs.iter().map(|(_, count, _)| *count).saturating_sum();
    let devices = facts.working().count().max(1);
    let (least, whole, each) = if facts.step_ps.is_some() {
        let each = all as f64 / facts.step_count() / devices as f64;
        (MIN_PER_STEP, "step", each)
    } else {
        (MIN_IN_RECORDING, "recording", all as f64)
    };
    if each < least || runs.len() < MIN_KINDS {
        return Outcome::Passed(format!("{} of the work.", found.text));
    }
    finding(
        &RULE,
        found.severity,
        format!(
            "{} of the devices' work is single ops, each a program of its own: {each:.0} runs per {whole}. \
             Those that take longest: {}.",
            found.text,
            told(&runs)
        ),
    )
    .why(
        "XLA fuses ops only within a program. Outside of a jitted function each op reads all its arrays \
         from memory and writes its result back, and the host launches each of them.",
    )
    .fix(
        "Jit the function that calls them, such as the optimizer's update or the sum of gradients, or \
         call it within the jitted step.",
    )
    .why_elsewhere(
        "Ops are fused only within a program. Each of these reads all its arrays from memory and writes \
         its result back, and the host launches each of them.",
    )
    .fix_elsewhere("Compile the function that calls them.")
    .code(
        "@jax.jit\ndef apply(params, opt_state, grads):\n    updates, opt_state = tx.update(grads, opt_state, \
         params)\n    return optax.apply_updates(params, updates), opt_state",
    )
    .gain(
        found.per_step.map(|own| own + launched_ps(facts, &eager)),
        "share of these ops in all work × time per step in which ops run, and their share of all runs × \
         time in which devices are idle while their host works or waits, or although they have work",
    )
    .of_parts(&[
        PartKind::DeviceCompute,
        PartKind::HostOverhead,
        PartKind::Idle,
    ])
    .sure(Confidence::Medium)
    .seen(facts.largest_ops(is_eager))
    .found()
}

/// The time per step in which devices are idle because each op is launched by itself: their share of all
/// launches, without Python of the program, which has to run anyway.
fn launched_ps(facts: &Facts<'_>, eager: &FxHashMap<String, &str>) -> f64 {
    let Some(waiting) = waiting(facts) else {
        return 0.0;
    };
    let session = facts.session;
    let programs = session.programs.iter();
    let is_eager: Vec<bool> = programs
        .map(|program| eager.contains_key(&program.id.to_string()))
        .collect();
    let runs = &session.program_runs;
    let own = runs.iter().filter(|run| is_eager[run.program.index()]);
    let share = own.count() as f64 / runs.len().max(1) as f64;
    let (waited, _) = without_own_python(facts, &waiting);
    share * (waited + waiting.paused * facts.period_ps().unwrap_or(0.0))
}

/// Programs of a single op that would be fused within a larger one: their ids and names.
fn eager_programs(session: &Session) -> FxHashMap<String, &str> {
    let eager = session.programs.iter().filter(|program| {
        let fuses = program.hlo.as_ref().is_some_and(fuses);
        fuses && program.is_single_op()
    });
    eager
        .map(|program| (program.id.to_string(), program.name.as_str()))
        .collect()
}

/// Whether all that a program does is bound by memory and could be part of a fusion.
fn fuses(program: &hlo::Program) -> bool {
    let mut all = program.instructions();
    all.all(|one| !ALONE.contains(&one.opcode.as_str()))
}

/// How often each name of a program ran, and for how long in all, most time first.
fn runs<'a>(facts: &Facts<'_>, eager: &FxHashMap<String, &'a str>) -> Vec<(&'a str, i64, i64)> {
    // A single op may be several instructions, which all run as often.
    let mut of_program: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for row in facts.rows_of_ops() {
        if eager.contains_key(row.program_id.as_str()) {
            let own = of_program.entry(&row.program_id).or_default();
            *own = (own.0.max(row.executions), own.1.saturating_add(row.self_ps));
        }
    }
    let mut by_name: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for (id, (count, time_ps)) in of_program {
        let own = by_name.entry(eager[id]).or_default();
        *own = (own.0.saturating_add(count), own.1.saturating_add(time_ps));
    }
    let by_name = by_name.into_iter();
    let mut found: Vec<_> = by_name
        .map(|(name, (count, time_ps))| (name, count, time_ps))
        .collect();
    found.sort_by_key(|one| std::cmp::Reverse(one.2));
    found
}

/// `jit_add (840 runs of 720.2 us), jit_multiply (720 runs of 636.9 us)`
fn told(runs: &[(&str, i64, i64)]) -> String {
    let told = runs.iter().take(TOLD).map(|(name, count, time_ps)| {
        let mean = format::duration_ps(*time_ps as f64 / (*count).max(1) as f64);
        let runs = format::counted(*count, "run");
        format!("{} ({runs} of {mean})", format::shortened(name))
    });
    let told: Vec<String> = told.collect();
    told.join(", ")
}
