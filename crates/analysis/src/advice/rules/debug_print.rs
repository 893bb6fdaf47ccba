//! Debug prints and callbacks to Python within a program (XProf's DebugPrint).

use super::{NO_WORK, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, largest_ops};
use crate::format;
use crate::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "debug_print",
    title: "Debug prints in the program",
    check,
};

fn is_debug(row: &OpRow) -> bool {
    ["debug_print", "debug_callback"]
        .iter()
        .any(|name| row.name.contains(name) || row.scope.contains(name))
}

fn check(facts: &Facts<'_>) -> Outcome {
    if !facts.has_work() {
        return Outcome::Skipped(NO_WORK.to_owned());
    }
    let (total, per_step) = facts.ops_per_step(is_debug);
    let ratio = total as f64 / facts.ops.total_self_ps as f64;
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("debug_print_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the work."));
    };
    finding(
        &RULE,
        severity,
        format!("{share} of the devices' work are debug prints and callbacks to Python."),
    )
    .why("The device stops until the host has taken the values and run Python.")
    .fix("Take jax.debug.print and jax.debug.callback out of the step, or print every hundred steps.")
    .code("jax.lax.cond(step % 100 == 0, lambda: jax.debug.print(\"loss {}\", loss), lambda: None)")
    .gain(per_step, "share of these ops in the work × busy time of a step")
    .seen(largest_ops(facts, is_debug))
    .found()
}
