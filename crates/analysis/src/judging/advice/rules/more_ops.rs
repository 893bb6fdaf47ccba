//! A device that runs more ops than most others: it has more work, whatever its times say. Virtual devices
//! of XLA:CPU have nothing else that tells, since they take turns on the same cores.

use std::collections::BTreeMap;

use stepscope_model::{Class, DeviceId, ProgramId};

use crate::judging::advice::facts::{Facts, part_ps};
use crate::measuring::steps::{PartKind, median};

/// Ops that a device runs, relative to the median of the others, from which on it has more work.
const MORE_OPS: f64 = 1.2;

/// Such a device, with the most ops.
#[derive(Debug, Clone, Copy)]
pub(super) struct MoreOps {
    pub(super) device: DeviceId,
    /// Its ops ÷ those of the device with the second most.
    ratio_to_second: f64,
    /// Its ops ÷ the median of the others.
    ratio: f64,
    /// Time per step of the ops that it runs more often than the others, in their median.
    pub(super) more_ps: f64,
    /// The share of that time that it keeps once the work is divided equally.
    pub(super) kept: f64,
}

impl MoreOps {
    pub(super) fn of(facts: &Facts<'_>) -> Option<Self> {
        let ran = Ran::of(facts);
        let counts: BTreeMap<DeviceId, f64> = ran.counts();
        // The first one of several.
        let (&device, _) = counts.iter().rev().max_by(|a, b| a.1.total_cmp(b.1))?;
        Self::among(facts, &ran, device)
    }

    /// The device with this title, if it has more work than most others.
    pub(super) fn of_device(facts: &Facts<'_>, title: &str) -> Option<Self> {
        let ran = Ran::of(facts);
        let mut devices = ran.devices.iter();
        let device = devices.find(|&&device| facts.session.device_title(device) == title)?;
        Self::among(facts, &ran, *device)
    }

    fn among(facts: &Facts<'_>, ran: &Ran, device: DeviceId) -> Option<Self> {
        let counts = ran.counts();
        let others: Vec<f64> = (counts.iter().filter(|one| *one.0 != device))
            .map(|(_, &count)| count)
            .collect();
        let second = others.iter().copied().reduce(f64::max)?;
        let most = counts[&device];
        let ratio = most / median(&others).max(1.0);
        if ratio < MORE_OPS {
            return None;
        }
        let more = |&one: &DeviceId| ran.more_ps(facts, one);
        let more_ps = more(&device);
        let all_ps: f64 = ran.devices.iter().map(more).sum();
        let mean_ps = all_ps / ran.devices.len() as f64;
        Some(Self {
            device,
            ratio_to_second: most / second.max(1.0),
            ratio,
            more_ps,
            kept: if more_ps > 0.0 {
                (mean_ps / more_ps).min(1.0)
            } else {
                1.0
            },
        })
    }

    /// `3.2 times as many ops as any other device`
    pub(super) fn told(&self) -> String {
        if self.ratio_to_second >= MORE_OPS {
            format!(
                "{:.1} times as many ops as any other device",
                self.ratio_to_second
            )
        } else {
            format!("{:.1} times as many ops as most other devices", self.ratio)
        }
    }
}

/// How often each device ran each op but collectives, which all run alike, and their times.
struct Ran {
    devices: Vec<DeviceId>,
    /// By program and name.
    ops: BTreeMap<(Option<ProgramId>, String), OfDevices>,
}

/// How often each device ran an op, and its self time.
type OfDevices = BTreeMap<DeviceId, (f64, f64)>;

impl Ran {
    fn of(facts: &Facts<'_>) -> Self {
        let session = facts.session;
        let mut ran = Self {
            devices: facts.working().collect(),
            ops: BTreeMap::new(),
        };
        for totals in facts.totals.iter() {
            for (id, one) in &totals.labels {
                let label = session.label(*id);
                if label.class == Class::Collective || !ran.devices.contains(&totals.device) {
                    continue;
                }
                let op = (label.program, session.label_name(*id).to_owned());
                let of_device = ran.ops.entry(op).or_default();
                let own = of_device.entry(totals.device).or_default();
                own.0 += one.occurrences as f64;
                own.1 += one.self_ps as f64;
            }
        }
        ran
    }

    fn counts(&self) -> BTreeMap<DeviceId, f64> {
        let mut counts: BTreeMap<DeviceId, f64> =
            self.devices.iter().map(|&device| (device, 0.0)).collect();
        for (&device, &(count, _)) in self.ops.values().flatten() {
            *counts.entry(device).or_default() += count;
        }
        counts
    }

    /// What a device computes per step because it runs ops more often than the median of the others: their
    /// share of its ops' time, of the time in which it computes.
    fn more_ps(&self, facts: &Facts<'_>, device: DeviceId) -> f64 {
        let (mut more, mut all) = (0.0, 0.0);
        for of_device in self.ops.values() {
            let Some(&(count, self_ps)) = of_device.get(&device) else {
                continue;
            };
            let count_of = |one: &DeviceId| of_device.get(one).map_or(0.0, |own| own.0);
            let others = self.devices.iter().filter(|&&one| one != device);
            let usual = median(&others.map(count_of).collect::<Vec<_>>());
            all += self_ps;
            more += self_ps * (1.0 - usual / count.max(1.0)).max(0.0);
        }
        let computes = facts.by_place(|row| part_ps(row, PartKind::DeviceCompute) as f64);
        let mut computes = computes.iter();
        let own = computes.find(|own| own.place.1 == Some(device));
        own.map_or(0.0, |own| own.mean * more / f64::max(all, 1.0))
    }
}
