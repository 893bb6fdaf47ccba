//! Steps that need much more memory than the others (guides: spikes, danger of running out).

use super::{Outcome, Rule, finding, memory_headroom::missing};
use crate::advice::facts::Facts;
use crate::advice::report::AdviceEvidence;
use crate::format;
use crate::verdict::Severity;

pub(super) static RULE: Rule = Rule {
    id: "memory_spikes",
    title: "Steps that need much more memory",
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.memory.allocators.is_empty() {
        return missing(facts);
    }
    let steps = &facts.memory.steps;
    if steps.len() < 5 {
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
    let usual = crate::steps::median(&peaks);
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
        text: format!("step {}", worst.step),
        view: "timeline".to_owned(),
        start_ps: Some(worst.start_ps),
        end_ps: Some(worst.start_ps.saturating_add(worst.duration_ps)),
        step: Some(worst.step),
        ..AdviceEvidence::default()
    }])
    .found()
}
