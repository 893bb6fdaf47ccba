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

/// With fewer steps, the typical peak is unknown.
const MIN_STEPS: usize = 5;

fn check(facts: &Facts<'_>) -> Outcome {
    let memory = facts.memory();
    if memory.allocators.is_empty() {
        return no_memory(facts);
    }
    let steps = &memory.steps;
    if steps.len() < MIN_STEPS {
        return Outcome::Skipped("Requires five steps to know the typical peak.".to_owned());
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
            "Step {} uses up to {} of {} (typical: {}).",
            worst.step,
            format::bytes(worst.peak_bytes as f64),
            worst.allocator,
            format::bytes(usual)
        ),
    )
    .why(
        "An occasional evaluation, checkpoint or longer batch can cause a spike. The run fails if \
         memory is full at that time.",
    )
    .fix("Check what was alive at the peak, and use smaller batches for that work.")
    .seen([AdviceEvidence {
        step: Some(worst.step),
        ..between(worst.start_ps, end_ps, format!("step {}", worst.step))
    }])
    .found()
}
