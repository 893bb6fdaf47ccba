//! Steps that need much more memory than the others (guides: spikes, danger of running out).

use super::{Outcome, Rule, finding, gravity, no_memory};
use crate::judging::advice::evidence::between;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceEvidence;
use crate::measuring::steps::median;
use crate::telling::format;
use crate::views::memory::{DeviceMemory, StepMemoryRow};

pub(super) static RULE: Rule = Rule {
    id: "memory_spikes",
    title: "Steps that need much more memory",
    parts: &[],
    check,
};

/// With fewer steps, the typical peak is unknown.
const MIN_STEPS: usize = 5;

/// Bytes that a device is taken to have if that was not recorded.
const MEMORY_BYTES: f64 = 16.0 * 1024.0 * 1024.0 * 1024.0;

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
    let spikes = spikes.map(|row| (row, Beyond::of(memory, row)));
    let Some((worst, beyond)) = spikes.max_by(|a, b| a.1.ratio().total_cmp(&b.1.ratio())) else {
        return Outcome::Passed("No step stands out.".to_owned());
    };
    let more = beyond.more();
    let text = format!(
        "Step {} uses up to {} of {} (typical: {}): {more} more",
        worst.step,
        format::bytes(worst.peak_bytes as f64),
        worst.allocator,
        format::bytes(beyond.usual)
    );
    let Some(severity) = gravity(&facts.threshold("memory_spike_ratio"), beyond.ratio()) else {
        return Outcome::Passed(format!("{text}."));
    };
    let end_ps = worst.start_ps.saturating_add(worst.duration_ps.max(1));
    finding(
        &RULE,
        severity,
        format!("{text}."),
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

/// What a step takes beyond the typical one.
struct Beyond {
    usual: f64,
    bytes: f64,
    /// Of the allocator; none if it was not recorded.
    capacity: Option<f64>,
}

impl Beyond {
    fn of(memory: &DeviceMemory, row: &StepMemoryRow) -> Self {
        let own = memory.steps.iter();
        let own = own.filter(|one| one.allocator == row.allocator && one.host == row.host);
        let peaks: Vec<f64> = own.map(|row| row.peak_bytes as f64).collect();
        let usual = median(&peaks);
        let mut allocators = memory.allocators.iter();
        let own = allocators.find(|one| one.allocator == row.allocator && one.host == row.host);
        let capacity = own.map(|one| one.capacity_bytes as f64);
        Self {
            usual,
            bytes: row.peak_bytes as f64 - usual,
            capacity: capacity.filter(|&bytes| bytes > 0.0),
        }
    }

    /// Its share of the memory, which tells how close to full it brings it.
    fn ratio(&self) -> f64 {
        self.bytes / self.capacity.unwrap_or(MEMORY_BYTES)
    }

    /// `27.00 GiB (33.8 % of the memory)`
    fn more(&self) -> String {
        let bytes = format::bytes(self.bytes);
        let share = format::percent(self.ratio());
        match self.capacity {
            Some(_) => format!("{bytes} ({share} of the memory)"),
            None => bytes,
        }
    }
}
