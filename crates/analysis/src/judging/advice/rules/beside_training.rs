//! A program that runs in every step beside the one that trains, and reads nothing that training changes.
//!
//! ```text
//! step      [shuffle ###########################][train_step ###]   indices of a batch, drawn anew
//! step      [encode ################][train_step ############]      a frozen encoder
//! ```

use stepscope_model::hlo::{Program, Shape};
use stepscope_model::host_names::module_function;

use super::callers::launcher;
use super::copy_calls::copies;
use super::metric_programs::{MIN_OF_STEPS, measures, runs_of};
use super::{NO_HLO, Outcome, Rule, SHARE_OF_WORK, finding, no_steps, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::BusyProgram;
use crate::judging::advice::report::Confidence;
use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "beside_training",
    title: "Work beside training",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// Training changes more than one array: weights, biases, the state of an optimizer. What changes only one may
/// be any computation.
const MIN_STATE: usize = 2;

/// What takes this share of what training changes is a part of it, such as gradients.
const MIN_OF_STATE: f64 = 0.5;

/// `jax.random.permutation` and `jax.random.shuffle`.
const SHUFFLE: &str = "jit__shuffle";

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.step_ps.is_none() {
        return Outcome::Skipped(no_steps(facts));
    }
    let programs = facts.programs();
    if programs.is_empty() {
        return Outcome::Skipped(NO_HLO.to_owned());
    }
    let is_own = |one: &BusyProgram<'_>| !facts.session.program(one.id).is_single_op();
    let in_steps = |one: &BusyProgram<'_>| runs_of(facts, one).1 >= MIN_OF_STEPS;
    // Programs are in the order of their time.
    let mut trains = programs.iter().filter(|one| is_own(one) && in_steps(one));
    let Some((training, state)) = trains.find_map(|one| Some((one, state(one.hlo)?))) else {
        return Outcome::Skipped(
            "No program updates several arrays in every step, as training does.".to_owned(),
        );
    };
    let is_beside = |one: &&BusyProgram<'_>| {
        let is_another = one.id != training.id && !(is_own(one) && one.trains());
        let is_known = measures(one.hlo) || copies(one.hlo);
        is_another && !is_known && !takes(one.hlo, &state) && in_steps(one)
    };
    let Some(beside) = programs.iter().find(is_beside) else {
        return Outcome::Passed(
            "Every program that takes part of the work trains, or reads what is trained."
                .to_owned(),
        );
    };
    let id = facts.session.program(beside.id).id.to_string();
    let is_op = |row: &OpRow| row.program_id == id;
    let found = match share(facts, "beside_training_ratio", is_op) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let name = module_function(&facts.session.program(beside.id).name);
    let place = launcher(facts, |function| function == name);
    let place = place.map_or_else(String::new, |name| format!(", launched in {name}"));
    let is_shuffle = facts.session.program(beside.id).name == SHUFFLE;
    finding(
        &RULE,
        // It may have to be computed.
        found.severity.max(Severity::Warning),
        format!(
            "{} of the devices' work is {}{place}. It runs in the steps beside {}, and reads nothing that \
             training changes.",
            found.text,
            format::shortened(&beside.title),
            format::shortened(&training.title),
        ),
    )
    .why(if is_shuffle { SORTS } else { APART })
    .fix(if is_shuffle { DRAW } else { AHEAD })
    .fix_elsewhere(AHEAD)
    .gain(found.per_step, SHARE_OF_WORK)
    .sure(Confidence::Medium)
    .seen(facts.largest_ops(is_op))
    .found()
}

const SORTS: &str = "`jax.random.permutation` sorts all elements by random keys, also if only a few of them are taken.";
const DRAW: &str = "Draw the few that are needed (`jax.random.randint`, or `jax.random.choice` with replacement), or \
                    permute once per epoch and take a slice in each step.";
const APART: &str =
    "What does not depend on the state can be computed before, and only once for each example.";
const AHEAD: &str = "Keep its results, as those of a frozen encoder for each example, or compute less of it in each step; \
                     if it prepares data, a thread of the host may do so for the next step meanwhile.";

/// The arrays that a program updates, if it returns several arrays and updates several. One result may be made of
/// two arguments of its shape.
fn state(program: &Program) -> Option<Vec<&Shape>> {
    let signature = program.signature()?;
    let is_array = |shape: &&Shape| !shape.dimensions.is_empty();
    let results = signature.results.into_iter().filter(is_array);
    let updated = signature.arguments.iter().filter(|one| one.is_updated);
    let state: Vec<&Shape> = updated.map(|one| one.shape).filter(is_array).collect();
    (results.count() >= MIN_STATE && state.len() >= MIN_STATE).then_some(state)
}

/// Whether a program is called with arrays like those of a state.
fn takes(program: &Program, state: &[&Shape]) -> bool {
    let Some(signature) = program.signature() else {
        return true;
    };
    let taken = state.iter().filter(|shape| {
        let mut arguments = signature.arguments.iter();
        arguments.any(|one| one.shape.is_alike(shape))
    });
    taken.count() as f64 >= MIN_OF_STATE * state.len() as f64
}
