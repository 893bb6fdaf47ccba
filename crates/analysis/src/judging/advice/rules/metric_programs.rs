//! Programs that return nothing but single numbers in every step, beside the one that trains: metrics,
//! evaluations and checks.

use std::collections::BTreeSet;

use stepscope_model::hlo::{Instruction, Program};
use stepscope_model::host_names::dispatched_function;
use stepscope_model::{DeviceId, TrackId};

use super::{NO_HLO, Outcome, Rule, SHARE_OF_WORK, finding, no_steps, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::BusyProgram;
use crate::judging::advice::report::Confidence;
use crate::judging::advice::steps_of_runs::StepsOfRuns;
use crate::judging::verdict::Severity;
use crate::measuring::activity::{driving_threads, own_tracks};
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "metric_programs",
    title: "A metric is computed in every step",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// Share of the steps that it runs in: an evaluation after every tenth step may be of ten batches. The
/// first and the last step may be cut.
pub(super) const MIN_OF_STEPS: f64 = 0.75;

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.step_ps.is_none() {
        return Outcome::Skipped(no_steps(facts));
    }
    let programs = facts.programs();
    if programs.is_empty() {
        return Outcome::Skipped(NO_HLO.to_owned());
    }
    if !facts.trains() {
        let why =
            "No program that updates its arguments, as training does, takes part of the work.";
        return Outcome::Skipped(why.to_owned());
    }
    let metrics = programs.iter().filter_map(|own| {
        let is_metric = !facts.session.program(own.id).is_single_op() && measures(own.hlo);
        let (runs, share) = is_metric.then(|| runs_of(facts, own))?;
        (share >= MIN_OF_STEPS).then_some((own, runs))
    });
    // Programs are in the order of their time.
    let Some((own, runs)) = metrics.into_iter().next() else {
        return Outcome::Passed("No program in every step returns nothing but numbers.".to_owned());
    };
    let id = facts.session.program(own.id).id.to_string();
    let is_own = |row: &OpRow| row.program_id == id;
    let found = match share(facts, "metric_programs_ratio", is_own) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let name = format::shortened(&own.title);
    let often = if runs < 1.5 {
        "in every step".to_owned()
    } else {
        format!("{runs:.0} times per step")
    };
    finding(
        &RULE,
        // A line search needs what it evaluates.
        found.severity.max(Severity::Warning),
        format!(
            "{} of the devices' work is {name}, which runs {often}, changes nothing, and returns only \
             single numbers.{}",
            found.text,
            thread_beside(facts, own).map_or_else(String::new, |thread| format!(
                " Another thread ({thread}) calls it, beside the loop: it takes the device from the steps, and on \
                 XLA:CPU the cores."
            ))
        ),
    )
    .why(
        "What returns only numbers is a metric, a loss or a check that the host reads. Training does not \
         need it, unless the loop decides by it, as a line search does.",
    )
    .fix(
        "Run it every hundred steps, or return the numbers from the step, which may compute most of \
         what they need anyway (has_aux=True).",
    )
    .fix_elsewhere(
        "Run it every hundred steps, or return the numbers from the step, which may compute most of \
         what they need anyway.",
    )
    .gain(found.per_step, SHARE_OF_WORK)
    .sure(Confidence::Medium)
    .seen(facts.largest_ops(is_own))
    .found()
}

/// The thread that calls a program, if none that drives the steps does.
fn thread_beside(facts: &Facts<'_>, program: &BusyProgram<'_>) -> Option<String> {
    let session = facts.session;
    // `jit__lambda` is that of `<lambda>`.
    let letters = |name: &str| -> String { name.chars().filter(|c| c.is_alphanumeric()).collect() };
    let name = session.program(program.id).name.as_str();
    let wanted = letters(name.strip_prefix("jit_").unwrap_or(name));
    let labels = session.labels.iter();
    let is_call: Vec<bool> = labels
        .map(|label| {
            let function = dispatched_function(session.text(label.name));
            function.is_some_and(|name| letters(name) == wanted)
        })
        .collect();
    let calls = |&id: &TrackId| {
        session
            .track_having(id, |label| is_call[label.index()])
            .is_some()
    };
    facts.selected.hosts.iter().find_map(|&host| {
        let driving = driving_threads(session, &[host], facts.selected.loops()).concat();
        if driving.iter().any(calls) {
            return None;
        }
        let thread = own_tracks(session, host).find(calls)?;
        let name = session.text(session.track(thread).name);
        (!name.is_empty()).then(|| format::shortened(name))
    })
}

/// Whether a program returns single numbers only, and no argument changed.
pub(super) fn measures(program: &Program) -> bool {
    let has_effects = program.instructions().any(|one| {
        let opcode = one.opcode.as_str();
        matches!(opcode, "outfeed" | "send") || opcode == "custom-call" && is_callback(one)
    });
    !has_effects
        && program.signature().is_some_and(|signature| {
            !signature.results.is_empty()
                && signature
                    .results
                    .iter()
                    .all(|result| result.dimensions.is_empty())
        })
}

fn is_callback(instruction: &Instruction) -> bool {
    instruction.custom_call_target.contains("callback")
}

/// How often a program runs in a step, and the share of the steps in which it does.
pub(super) fn runs_of(facts: &Facts<'_>, program: &BusyProgram<'_>) -> (f64, f64) {
    let steps = StepsOfRuns::of(facts);
    let mut runs = 0u32;
    let mut with: BTreeSet<(usize, DeviceId)> = BTreeSet::new();
    let all = facts.session.program_runs.iter();
    for run in all.filter(|run| run.program == program.id) {
        if let Some(row) = steps.step(run) {
            runs += 1;
            with.insert((row.step, run.device));
        }
    }
    let all = steps.count().max(1) as f64;
    (f64::from(runs) / all, with.len() as f64 / all)
}
