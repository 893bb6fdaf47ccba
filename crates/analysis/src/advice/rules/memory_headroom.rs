//! Device memory that is almost full at its peak (guides: peak < 90 %).

use super::{Outcome, Rule, finding, gravity};
use crate::advice::facts::Facts;
use crate::advice::report::AdviceEvidence;
use crate::format;

pub(super) static RULE: Rule = Rule {
    id: "memory_headroom",
    title: "Device memory almost full",
    check,
};

/// Why there is nothing to say of memory.
pub(super) fn missing(facts: &Facts<'_>) -> Outcome {
    let why = facts.memory.notes.first();
    Outcome::Skipped(why.map_or_else(
        || "No allocator event was recorded.".to_owned(),
        |note| note.text.clone(),
    ))
}

fn check(facts: &Facts<'_>) -> Outcome {
    let devices = facts
        .memory
        .allocators
        .iter()
        .filter(|row| !row.device.is_empty());
    let fullest = devices
        .filter_map(|row| Some((row, row.peak_ratio?)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((row, ratio)) = fullest else {
        return missing(facts);
    };
    let share = format::percent(ratio);
    let text = format!(
        "{} of {} on {} at the peak ({share}); {} are left.",
        format::bytes(row.peak_bytes.max(row.recorded_peak_bytes) as f64),
        format::bytes(row.capacity_bytes as f64),
        row.device,
        format::bytes(row.headroom_bytes as f64)
    );
    let Some(severity) = gravity(&facts.threshold("memory_peak_ratio"), ratio) else {
        return Outcome::Passed(text);
    };
    let own = |alive: &&crate::memory::AliveRow| {
        alive.allocator == row.allocator && alive.host == row.host
    };
    let holders = facts.memory.rows.iter().filter(own).take(3).map(|alive| {
        let who = [&alive.op, &alive.caller, &alive.kind]
            .into_iter()
            .find(|name| !name.is_empty())
            .map_or("", |name| name.as_str());
        AdviceEvidence {
            text: format!(
                "{}: {}",
                who.replace('_', " "),
                format::bytes(alive.bytes as f64)
            ),
            view: "memory".to_owned(),
            start_ps: Some(row.peak_ps),
            end_ps: Some(row.peak_ps),
            device: row.device.clone(),
            ..AdviceEvidence::default()
        }
    });
    finding(&RULE, severity, text)
        .why("The next larger batch, a second program or a fragment too many ends in an out-of-memory error.")
        .fix("Donate what is not needed after the step, rematerialise cheap results, shard or offload the optimiser's state, take smaller batches and accumulate gradients.")
        .code("step = jax.jit(train_step, donate_argnums=0)")
        .seen(holders)
        .found()
}
