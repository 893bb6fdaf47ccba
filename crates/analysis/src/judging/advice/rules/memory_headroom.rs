//! Device memory that is almost full at its peak (guides: peak < 90 %), what holds it, and how to shrink
//! it according to the program's memory plan.

use super::{Outcome, Rule, finding, fullest, gravity};
use crate::judging::advice::evidence::{between, in_view};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceEvidence;
use crate::telling::format;
use crate::views::buffers::plan_figures;
use crate::views::memory::AliveRow;

pub(super) static RULE: Rule = Rule {
    id: "memory_headroom",
    title: "Device memory almost full",
    parts: &[],
    check,
};

/// Number of holders and of ways to shrink in the evidence.
const TOLD: usize = 3;

fn check(facts: &Facts<'_>) -> Outcome {
    let (row, ratio) = match fullest(facts, |row| row.peak_ratio) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let share = format::percent(ratio);
    let text = format!(
        "{} of {} on {} at the peak ({share}); {} left.",
        format::bytes(row.peak_bytes.max(row.recorded_peak_bytes) as f64),
        format::bytes(row.capacity_bytes as f64),
        row.device,
        format::bytes(row.headroom_bytes as f64)
    );
    let Some(severity) = gravity(&facts.threshold("memory_peak_ratio"), ratio) else {
        return Outcome::Passed(text);
    };
    let own = |alive: &&AliveRow| alive.allocator == row.allocator && alive.host == row.host;
    let holders = facts
        .memory()
        .alive
        .iter()
        .filter(own)
        .take(TOLD)
        .map(|alive| {
            let names = [&alive.op, &alive.caller, &alive.kind];
            let name = names.into_iter().find(|name| !name.is_empty());
            let text = format!(
                "held by {}: {}",
                name.map_or_else(String::new, |name| name.replace('_', " ")),
                format::bytes(alive.bytes as f64)
            );
            AdviceEvidence {
                device: row.device.clone(),
                source: alive.source.clone(),
                ..between(row.peak_ps, row.peak_ps + 1, text)
            }
        });
    finding(&RULE, severity, text)
        .why("A larger batch, a second program or more fragmentation will cause an out-of-memory error.")
        .fix(
            "Donate what is not needed after the step, rematerialize cheap results, shard or \
             offload the optimizer state, or use smaller batches and accumulate gradients.",
        )
        .fix_elsewhere(
            "Release what is not needed after the step, rematerialize cheap results, shard or \
             offload the optimizer state, or use smaller batches and accumulate gradients.",
        )
        .code("step = jax.jit(train_step, donate_argnums=0)")
        .seen(holders)
        .seen(ways_to_shrink(facts))
        .found()
}

/// Ways to shrink the memory plan of the busiest program.
fn ways_to_shrink(facts: &Facts<'_>) -> Vec<AdviceEvidence> {
    let Some(program) = facts.programs().first() else {
        return Vec::new();
    };
    let Some(plan) = plan_figures(facts.session, program.id) else {
        return Vec::new();
    };
    let ways = plan.savings.into_iter().take(TOLD).map(|saving| {
        let text = format!(
            "{} {}: the peak of {} falls by {}",
            saving.remedy,
            format::shortened(&saving.group),
            program.title,
            format::bytes(saving.frees_bytes as f64)
        );
        AdviceEvidence {
            program_id: facts.session.program(program.id).id.to_string(),
            source: saving.source,
            ..in_view("buffers", text)
        }
    });
    ways.collect()
}
