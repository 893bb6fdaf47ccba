//! Elementwise ops that run alone (guides: poor fusion, repeated small ops, high “all others”).

use super::{CPU_ONLY, LITTLE_WORK, Outcome, Rule, SHARE_OF_WORK, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "unfused_ops",
    title: "Unfused ops",
    parts: &[PartKind::DeviceCompute],
    check,
};

fn is_alone(row: &OpRow) -> bool {
    row.category == "non-fusion elementwise"
}

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.is_cpu_only() {
        return Outcome::Skipped(CPU_ONLY.to_owned());
    }
    if !facts.has_enough_work() {
        return Outcome::Skipped(LITTLE_WORK.to_owned());
    }
    let found = match share(facts, "unfused_ops_ratio", is_alone) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let ops = facts.rows_of_ops().filter(|row| is_alone(row)).count();
    finding(
        &RULE,
        found.severity,
        format!(
            "{} of the devices' work are {} that XLA did not fuse with their neighbors.",
            found.text,
            format::counted(ops, "elementwise op")
        ),
    )
    .why(
        "Each reads its operands from device memory and writes its result back. A function that is \
         called op by op, outside of jit, leaves nothing to fuse; so do barriers and custom calls in \
         between.",
    )
    .fix("Put the ops and what they work on into one jitted function; look at the graph around the largest.")
    .why_elsewhere("Each reads its operands from device memory and writes its result back. A function that is called op by op leaves nothing to fuse; so do barriers and custom calls in between.")
    .fix_elsewhere("Put the ops and what they work on into one compiled function; look at the graph around the largest.")
    .gain(found.per_step, SHARE_OF_WORK)
    .sure(Confidence::Medium)
    .seen(facts.largest_ops(is_alone))
    .found()
}
