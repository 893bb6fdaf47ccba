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
            "{} of the devices' work is spent on {} that XLA did not fuse with neighboring ops.",
            found.text,
            format::counted(ops, "elementwise op")
        ),
    )
    .why(
        "Each one reads its operands from device memory and writes its result back. Ops that are called \
         one by one, outside of jit, cannot be fused, nor can ops separated by barriers or custom calls.",
    )
    .fix(
        "Put these ops and those that produce their operands into one jitted function. Check the \
         graph around the largest one.",
    )
    .why_elsewhere(
        "Each one reads its operands from device memory and writes its result back. Ops that are \
         called one by one cannot be fused, nor can ops separated by barriers or custom calls.",
    )
    .fix_elsewhere(
        "Put these ops and those that produce their operands into one compiled function. Check \
         the graph around the largest one.",
    )
    .gain(found.per_step, SHARE_OF_WORK)
    .sure(Confidence::Medium)
    .seen(facts.largest_ops(is_alone))
    .found()
}
