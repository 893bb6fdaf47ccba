//! Programs that call Python while they run: `pure_callback`, `io_callback`.

use super::python_ops::{is_callback, is_called, is_debug, most, place};
use super::{Outcome, Rule, SHARE_OF_WORK, finding, share_of_calls};
use crate::judging::advice::facts::Facts;
use crate::measuring::steps::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "python_callback",
    title: "The program calls Python",
    parts: &[PartKind::PythonCallbacks],
    check,
};

const FIX: &str = "Write the function in jax.numpy, so that it is compiled with the rest. Or move it out of the jitted \
                   function and call it once every many steps.";
const CODE: &str = "y = jnp.interp(x, xs, ys)    # instead of jax.pure_callback(np.interp, ...)";
/// A function that is called for what it does cannot be compiled.
const FIX_IO: &str = "Load what the function returns before the program runs, on another thread, and pass it as an \
                      argument: to a scan, as the elements that it iterates over. Return what the function \
                      writes, and write it once every many steps.";

fn check(facts: &Facts<'_>) -> Outcome {
    let found = match share_of_calls(facts, "python_callback_ratio", is_callback) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let called = most(facts, is_callback);
    let largest = facts.rows_of_ops().find(|row| is_callback(row));
    let has_effects = largest.is_some_and(|row| is_called(row, &["io_callback"]));
    finding(
        &RULE,
        found.severity,
        format!(
            "The devices wait for Python callbacks{} for {} of their op time.{called}",
            place(facts, is_callback, is_debug),
            found.text
        ),
    )
    .why(
        "The device stops, its operands go to the host, Python runs, and the result goes back. \
         Nothing else in the program runs during that time.",
    )
    .fix(if has_effects { FIX_IO } else { FIX })
    .code(if has_effects { "" } else { CODE })
    .gain(found.per_step, SHARE_OF_WORK)
    .seen(facts.largest_ops(is_callback))
    .found()
}
