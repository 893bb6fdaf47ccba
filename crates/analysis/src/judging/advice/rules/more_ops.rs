//! A device that runs more ops than all others: it has more work, whatever its times say. Virtual devices
//! of XLA:CPU have nothing else that tells, since they take turns on the same cores.

use std::collections::BTreeMap;

use stepscope_model::{DeviceId, SaturatingSum as _};

use crate::judging::advice::facts::Facts;

/// Ops that a device runs, relative to any other, from which on it has more work.
const MORE_OPS: f64 = 1.2;

/// Such a device.
#[derive(Debug, Clone, Copy)]
pub(super) struct MoreOps {
    pub(super) device: DeviceId,
    /// Its ops ÷ those of the device with the second most.
    pub(super) ratio: f64,
}

impl MoreOps {
    pub(super) fn of(facts: &Facts<'_>) -> Option<Self> {
        let mut counts: BTreeMap<DeviceId, i64> = BTreeMap::new();
        for totals in facts.totals.iter() {
            let ran = totals.labels.iter().map(|(_, one)| one.occurrences);
            *counts.entry(totals.device).or_default() += ran.saturating_sum();
        }
        let (&device, &most) = counts.iter().max_by_key(|&(_, count)| *count)?;
        let others = counts.iter().filter(|&(&other, _)| other != device);
        let second = others.map(|(_, &count)| count).max()?;
        let ratio = most as f64 / second.max(1) as f64;
        (ratio >= MORE_OPS).then_some(Self { device, ratio })
    }
}
