//! Steps that need much more memory than the others (guides: spikes, danger of running out).

use super::{Outcome, Rule, finding, no_memory};
use crate::judging::advice::evidence::between;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceEvidence;
use crate::judging::verdict::Severity;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "memory_spikes",
    title: "Steps that need much more memory",
    parts: &[],
    check,
};

/// Fewer steps do not tell what is usual.
const MIN_STEPS: usize = 5;

fn check(facts: &Facts<'_>) -> Outcome {
    let memory = facts.memory();
    if memory.allocators.is_empty() {
        return no_memory(facts);
    }
    let steps = &memory.steps;
    if steps.len() < MIN_STEPS {
        return Outcome::Skipped("Needs five steps to know a usual one.".to_owned());
    }
    let spikes = steps.iter().filter(|row| row.is_spike);
    let Some(worst) = spikes.max_by_key(|row| row.peak_bytes) else {
        return Outcome::Passed("No step stands out.".to_owned());
    };
    let own = steps
        .iter()
        .filter(|row| row.allocator == worst.allocator && row.host == worst.host);
    let peaks: Vec<f64> = own.map(|row| row.peak_bytes as f64).collect();
    let usual = crate::measuring::steps::median(&peaks);
    let end_ps = worst.start_ps.saturating_add(worst.duration_ps.max(1));
    finding(
        &RULE,
        Severity::Warning,
        format!(
            "Step {} takes up to {} of {} where {} are usual.",
            worst.step,
            format::bytes(worst.peak_bytes as f64),
            worst.allocator,
            format::bytes(usual)
        ),
    )
    .why("An evaluation, a checkpoint or a longer batch in between; the run ends when it meets a full memory.")
    .fix("Look at who was alive at the peak, and give that work its own, smaller batches.")
    .seen([AdviceEvidence {
        step: Some(worst.step),
        ..between(worst.start_ps, end_ps, format!("step {}", worst.step))
    }])
    .found()
}
