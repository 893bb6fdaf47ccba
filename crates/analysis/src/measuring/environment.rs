//! Where the capture was taken: hosts, devices, chips with their peaks, recorded facts.

use std::collections::BTreeMap;

use documented::DocumentedFields;
use serde::Serialize;
use stepscope_model::{Chip, Device, DeviceKind, Host, Peak, Session};
use ts_rs::TS;

use crate::measuring::selection::Selected;

/// Versions, options, chips.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct EnvironmentReport {
    /// Host names.
    pub hosts: Vec<String>,
    /// Kinds of devices with counts, by chip, such as `8 × XLA:CPU` or `4 × TPU v6 Lite`.
    pub devices: String,
    /// Chips with their peaks, one row per distinct chip.
    pub chips: Vec<ChipReport>,
    /// Software versions and process facts as recorded, by name and value.
    pub facts: Vec<Fact>,
}

/// A name and a value.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct Fact {
    /// Name of the fact as recorded, such as `jax_version`.
    pub name: String,
    /// Value of the fact, as text.
    pub value: String,
}

/// One hardware model and its peaks.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ChipReport {
    /// Model, such as `TPU v6 Lite` or `NVIDIA H200`.
    pub name: String,
    /// Peak rate of dense floating-point operations, per second.
    pub peak_flops_per_second: Option<f64>,
    /// Source of the compute peak, in words.
    pub peak_flops_source: String,
    /// Peak bandwidth of device memory, in bytes per second.
    pub peak_bytes_per_second: Option<f64>,
    /// Source of the bandwidth peak, in words.
    pub peak_bytes_source: String,
    /// Capacity of device memory.
    #[ts(type = "number | null")]
    pub memory_bytes: Option<i64>,
}

pub(crate) fn environment(session: &Session, selected: &Selected<'_>) -> EnvironmentReport {
    EnvironmentReport {
        hosts: selected
            .hosts
            .iter()
            .map(|&host| session.host(host).name.clone())
            .collect(),
        devices: device_counts(session, selected),
        chips: chips(session, selected),
        facts: facts(session, selected),
    }
}

/// What a device is called when devices are counted: its chip, or its kind where chips have no names.
pub fn hardware(device: &Device) -> &str {
    match device.kind {
        DeviceKind::Cpu | DeviceKind::SparseCore => device.kind.name(),
        _ if device.chip.name.is_empty() => device.kind.name(),
        _ => &device.chip.name,
    }
}

/// `8 × XLA:CPU`, `4 × TPU v6 Lite`; kinds in the order of [`DeviceKind`].
fn device_counts(session: &Session, selected: &Selected<'_>) -> String {
    let mut counts: BTreeMap<(DeviceKind, &str), usize> = BTreeMap::new();
    for &device in &selected.devices {
        let device = session.device(device);
        *counts.entry((device.kind, hardware(device))).or_default() += 1;
    }
    let texts: Vec<String> = counts
        .iter()
        .map(|((_, name), count)| format!("{count} × {name}"))
        .collect();
    if texts.is_empty() {
        "none".to_owned()
    } else {
        texts.join(", ")
    }
}

/// Distinct chips, in the order of devices.
fn chips(session: &Session, selected: &Selected<'_>) -> Vec<ChipReport> {
    let mut distinct: Vec<&Chip> = Vec::new();
    for &device in &selected.devices {
        let chip = &session.device(device).chip;
        if !distinct.contains(&chip) {
            distinct.push(chip);
        }
    }
    distinct.into_iter().map(chip_report).collect()
}

fn chip_report(chip: &Chip) -> ChipReport {
    let source = |peak: &Option<Peak>| {
        peak.as_ref()
            .map_or_else(|| "not known".to_owned(), |peak| peak.source.clone())
    };
    ChipReport {
        name: chip.name.clone(),
        peak_flops_per_second: chip.peak_flops.as_ref().map(|peak| peak.per_second),
        peak_flops_source: source(&chip.peak_flops),
        peak_bytes_per_second: chip.peak_bandwidth.as_ref().map(|peak| peak.per_second),
        peak_bytes_source: source(&chip.peak_bandwidth),
        memory_bytes: chip
            .memory_bytes
            .map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
    }
}

/// Facts by name. A fact that all hosts share is listed once; where hosts differ, each has its own line.
fn facts(session: &Session, selected: &Selected<'_>) -> Vec<Fact> {
    let mut by_name: BTreeMap<String, Vec<(&str, String)>> = BTreeMap::new();
    for &host in &selected.hosts {
        let host = session.host(host);
        for (name, value) in all_facts(host) {
            by_name.entry(name).or_default().push((&host.name, value));
        }
    }
    let mut facts = Vec::new();
    for (name, values) in by_name {
        let first = &values[0].1;
        let is_shared = values.iter().all(|(_, value)| value == first);
        if is_shared {
            let value = first.clone();
            facts.push(Fact { name, value });
            continue;
        }
        facts.extend(values.into_iter().map(|(host, value)| Fact {
            name: format!("{name} ({host})"),
            value,
        }));
    }
    facts
}

/// Facts from the profile, and from its manifest those that the profile lacks.
fn all_facts(host: &Host) -> Vec<(String, String)> {
    let mut facts = host.facts.clone();
    let is_recorded = |name: &str| host.facts.iter().any(|(known, _)| known == name);
    if let Some(manifest) = &host.manifest {
        let others = manifest.facts().into_iter();
        facts.extend(others.filter(|(name, _)| !is_recorded(name)));
    }
    facts
}
