//! A loop that ends by its data, batched with `vmap`: all elements of the batch go on until the last one ends.
//!
//! ```text
//! element 0   ####                    its results after round 4 are thrown away
//! element 1   #######
//! element 2   ####################    decides
//! ```
//!
//! JAX then asks in the body, too, which elements go on, and names these instructions `while/body_pred`.

use std::collections::BTreeSet;

use super::{NO_HLO, Outcome, Rule, SHARE_OF_WORK, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "batched_loop",
    title: "A batched loop runs for its slowest element",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// What such a loop has in its body.
const PREDICATE: &str = "/body_pred";

fn check(facts: &Facts<'_>) -> Outcome {
    let programs = facts.programs();
    if programs.is_empty() {
        return Outcome::Skipped(NO_HLO.to_owned());
    }
    let instructions = programs.iter().flat_map(|one| one.hlo.instructions());
    let loops: BTreeSet<&str> = instructions
        .filter_map(|one| Some(one.op_name.split_once(PREDICATE)?.0))
        .collect();
    let is_within = |row: &OpRow| loops.iter().any(|name| row.scope.starts_with(name));
    let found = match share(facts, "batched_loop_ratio", is_within) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    finding(
        &RULE,
        // How much of it is thrown away was not recorded.
        found.severity.max(Severity::Warning),
        format!(
            "{} of the devices' work is a loop that ends by its data (`lax.while_loop`) under `vmap`.",
            found.text
        ),
    )
    .why(
        "It goes on for the whole batch until the last element has ended, and what it computes for the others \
         meanwhile is thrown away. How many rounds each needs was not recorded.",
    )
    .fix(
        "Count the rounds that each element needs. If they differ much, put elements that need about as many into \
         one batch, run a limited number of rounds at a time and take out what has ended, or use a fixed number \
         (`lax.fori_loop`).",
    )
    .gain(found.per_step, SHARE_OF_WORK)
    .sure(Confidence::Low)
    .seen(facts.largest_ops(is_within))
    .found()
}
