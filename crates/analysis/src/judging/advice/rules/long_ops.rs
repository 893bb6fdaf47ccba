//! Ops with long executions (guides: above 10 ms worth a look, above 50 ms a target).

use super::python_ops::is_python;
use super::{CPU_ONLY, NO_WORK, Outcome, Rule, each_ps, finding, gravity, is_control, ops_seen};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "long_ops",
    title: "Long-running ops",
    parts: &[PartKind::DeviceCompute],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    // A limit of a few milliseconds is one for accelerators: on a CPU, every large product exceeds it.
    if facts.is_cpu_only() {
        return Outcome::Skipped(CPU_ONLY.to_owned());
    }
    // Collectives include waiting for late participants; copies and Python have separate rules, and
    // control flow is no work of its own.
    let rows = facts.rows_of_ops();
    let rows = rows.filter(|row| {
        let has_own_rule = matches!(row.class.as_str(), "collective" | "copy");
        !has_own_rule && !is_python(row) && !is_control(row)
    });
    let mut rows: Vec<&OpRow> = rows.collect();
    rows.sort_by(|a, b| {
        each_ps(b)
            .total_cmp(&each_ps(a))
            .then_with(|| a.name.cmp(&b.name))
    });
    let Some(longest) = rows.first().filter(|_| facts.has_work()) else {
        return Outcome::Skipped(NO_WORK.to_owned());
    };
    let threshold = facts.threshold("long_op_ps");
    let time = each_ps(longest);
    let name = format::shortened(&longest.name);
    let Some(severity) = gravity(&threshold, time) else {
        return Outcome::Passed(format!(
            "The longest op, {name}, takes {}.",
            format::duration_ps(time)
        ));
    };
    rows.retain(|row| each_ps(row) > threshold.good);
    let count = if rows.len() == 1 {
        "One op takes".to_owned()
    } else {
        format!("{} ops take", rows.len())
    };
    finding(
        &RULE,
        severity,
        format!(
            "{count} more than {} per execution; the longest, {name}, takes {}.",
            format::duration_ps(threshold.good),
            format::duration_ps(time)
        ),
    )
    .why("The device runs nothing else in the meantime, and better algorithms save the most time here.")
    .fix(
        "Check its shapes and roofline: is all of the work necessary, and is the type as narrow \
         as possible?",
    )
    .gain(
        facts.above_roofline(&rows),
        "their time × (1 − their roofline ratio)",
    )
    .sure(Confidence::Low)
    .seen(ops_seen(rows.iter().copied(), 4, |row| {
        format!("{} each", format::duration_ps(each_ps(row)))
    }))
    .found()
}
