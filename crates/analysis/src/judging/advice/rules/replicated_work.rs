//! Products that several devices compute alike, since the inputs they depend on are whole on each.

use rustc_hash::FxHashMap;

use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "replicated_work",
    title: "Devices compute the same",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// Share of an op's operations from which on it is shown as one that devices repeat.
const MOSTLY: f64 = 0.5;

fn check(facts: &Facts<'_>) -> Outcome {
    let devices: Vec<_> = facts.working().collect();
    if devices.len() < 2 {
        return Outcome::Skipped("Requires at least two devices with work.".to_owned());
    }
    let programs = facts.programs();
    if !programs.iter().any(|own| own.hlo.has_placements()) {
        return Outcome::Skipped("No program says how its inputs are divided.".to_owned());
    }
    let alike = alike(facts);
    let share_of = |row: &OpRow| {
        let name = (row.program_id.as_str(), row.name.as_str());
        alike.get(&name).copied().unwrap_or(0.0)
    };
    let repeated_ps: f64 = facts
        .rows_of_ops()
        .map(|row| row.self_ps as f64 * share_of(row))
        .sum();
    let ratio = repeated_ps / facts.total_self_ps().max(1) as f64;
    let text = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("replicated_work_ratio"), ratio) else {
        return Outcome::Passed(format!("{text} of the work."));
    };
    let whole = if programs.iter().any(|own| is_whole(own.hlo)) {
        " Every input of the program is whole on each device."
    } else {
        ""
    };
    finding(
        &RULE,
        severity,
        format!(
            "{text} of the work of {} is matrix products that another device computes with the same \
             values.{whole}",
            format::counted(devices.len(), "device"),
        ),
    )
    .why(
        "The inputs of these products are replicated, so each device computes all of them instead of \
         its part.",
    )
    .fix(
        "Divide the batch over the devices, or the weights of these layers: check in `collectives` \
         how each input is sharded.",
    )
    .code(
        "batch = jax.device_put(batch, NamedSharding(mesh, P(\"data\")))   # P() puts all of it on every \
         device",
    )
    .gain(
        facts.weighted_per_step(share_of),
        "time of these products × the share of it in which devices repeat each other",
    )
    .sure(Confidence::Medium)
    .seen(facts.largest_ops(|row| share_of(row) >= MOSTLY))
    .found()
}

/// Of each op with products, by program id and name, the share of its operations that devices repeat.
fn alike<'a>(facts: &'a Facts<'_>) -> FxHashMap<(&'a str, &'a str), f64> {
    let mut found = FxHashMap::default();
    for program in facts.programs() {
        for (row, instruction) in program.executed(&facts.ops) {
            let needed = program.hlo.needed(instruction);
            let all = needed.products.total() + needed.copied;
            if needed.copied > 0.0 && all > 0.0 {
                let name = (row.program_id.as_str(), row.name.as_str());
                found.insert(name, needed.copied / all);
            }
        }
    }
    found
}

/// Whether no array that a program is called with is divided.
fn is_whole(program: &stepscope_model::hlo::Program) -> bool {
    let Some(entry) = program.entry() else {
        return false;
    };
    let parameters = program.instructions_of(entry).iter();
    let mut arrays = parameters
        .filter(|one| one.opcode == "parameter")
        .flat_map(|one| program.placed(one));
    program.has_placements()
        && arrays.all(|(_, own)| own.iter().all(|one| one.part_count == Some(1)))
}
