//! Debug prints and callbacks to Python within a program (XProf's DebugPrint).

use super::python_ops::{is_callback, is_debug, most, place};
use super::{Outcome, Rule, SHARE_OF_WORK, finding, share_of_calls};
use crate::judging::advice::facts::Facts;
use crate::measuring::steps::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "debug_print",
    title: "Debug prints in the program",
    parts: &[PartKind::PythonCallbacks],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let found = match share_of_calls(facts, "debug_print_ratio", is_debug) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    finding(
        &RULE,
        found.severity,
        format!(
            "The devices wait for debug prints and callbacks{} for {} of their op time.{}",
            place(facts, is_debug, is_callback),
            found.text,
            most(facts, is_debug)
        ),
    )
    .why("The device stops until the host has received the values and run Python.")
    .fix("Remove jax.debug.print and jax.debug.callback from the step, or print only every hundred steps.")
    .fix_elsewhere("Remove prints and callbacks from the step, or print only every hundred steps.")
    .code(
        "jax.lax.cond(step % 100 == 0, lambda: jax.debug.print(\"loss {}\", loss), lambda: None)",
    )
    .gain(found.per_step, SHARE_OF_WORK)
    .seen(facts.largest_ops(is_debug))
    .found()
}
