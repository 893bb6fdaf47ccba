//! Utilization from registers: one sample of a device is one line of its counters.

use std::collections::BTreeMap;

use stepscope_model::{DeviceId, Session, register_utilization};

use super::Family;
use super::report::UtilizationRow;

/// Utilization in every sample of every selected device, in the order of the chip's units.
pub(super) fn utilization(session: &Session, groups: &[Family<'_>]) -> Vec<UtilizationRow> {
    let mut lines: BTreeMap<(DeviceId, i64, &str), Registers<'_>> = BTreeMap::new();
    for group in groups {
        let Some(device) = group.device else { continue };
        for (_, track) in &group.tracks {
            let Some(samples) = &track.samples else {
                continue;
            };
            let (Some(&time), Some(&value)) = (samples.times.last(), samples.values.last()) else {
                continue;
            };
            let key = (device, track.line_id, samples.facts.line.as_str());
            let registers = lines.entry(key).or_default();
            registers.time = registers.time.max(time);
            registers.all.push((group.name, value));
        }
    }
    let rows = lines
        .into_iter()
        .flat_map(|((device, line, line_name), registers)| {
            let chip = &session.device(device).chip;
            let found = register_utilization(chip, registers.all.iter().copied());
            found.into_iter().map(move |ratio| UtilizationRow {
                device: session.device_title(device),
                host: session.host(session.device(device).host).name.clone(),
                sample: line,
                line: line_name.to_owned(),
                at_ps: registers.time,
                unit: ratio.unit,
                name: ratio.name,
                achieved: ratio.achieved,
                peak: ratio.peak,
                measure: ratio.measure.to_owned(),
                ratio: (ratio.peak > 0.0).then(|| ratio.achieved / ratio.peak),
                peak_source: ratio.peak_source,
            })
        });
    rows.collect()
}

/// The last value of each register of a line.
#[derive(Default)]
struct Registers<'a> {
    time: i64,
    all: Vec<(&'a str, f64)>,
}
