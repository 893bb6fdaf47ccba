//! Places (devices that recorded work, and hosts without such devices) and how late each arrives.

use std::collections::BTreeMap;

use stepscope_model::{DeviceId, HostId, Session};

use super::blame::StepBlame;
use super::report::HostDeviceRow;
use super::waits::WaitsAt;
use crate::views::collectives::{Evidence, Exchanges};

use crate::measuring::selection::Selected;
use crate::measuring::steps::{StepParts, median};
use crate::measuring::work::has_worked;

/// A device, or a host whose devices recorded no work.
pub(super) type Place = (HostId, Option<DeviceId>);

/// How late devices arrive at collectives, and how long they wait.
pub(super) struct Lateness {
    /// By device: own − median arrival, one value for each matched occurrence.
    all_ps: Vec<Vec<f64>>,
    /// By device: Σ waiting.
    pub(super) wait_ps: Vec<i64>,
    /// By device: number of steps in which it caused the most waiting.
    pub(super) last_count: Vec<usize>,
    /// By host: Σ waiting caused, over the steps in which it was blamed.
    pub(super) caused_ps: Vec<i64>,
    /// By step and device: lateness at the collective that cost the most waiting in the step.
    in_step: std::collections::BTreeMap<(usize, DeviceId), i64>,
}

impl Lateness {
    pub(super) fn of(evidence: &Evidence<'_>, waits: &[WaitsAt], blamed: &[StepBlame]) -> Self {
        let session = evidence.session;
        let Exchanges {
            survey,
            matched,
            clocks,
        } = &**evidence;
        let device_count = session.devices.len();
        let mut found = Self {
            all_ps: vec![Vec::new(); device_count],
            wait_ps: vec![0; device_count],
            last_count: vec![0; device_count],
            caused_ps: vec![0; session.hosts.len()],
            in_step: std::collections::BTreeMap::new(),
        };
        let mut step_of = vec![None; matched.instances.len()];
        for of in blamed {
            step_of[of.instance] = Some(of.step);
            found.last_count[of.device.index()] += 1;
            let caused = &mut found.caused_ps[session.device(of.device).host.index()];
            *caused = caused.saturating_add(of.caused_ps);
        }
        for at in waits {
            let members = &matched.instances[at.instance].members;
            for (&member, &wait_ps) in members.iter().zip(&at.exposed_ps) {
                let occurrence = &survey.occurrences[member];
                let device = occurrence.device;
                let start = clocks
                    .aligned(session.device(device).host, occurrence.span.start)
                    .0;
                let late_ps = start - at.arrivals.median_ps;
                found.all_ps[device.index()].push(late_ps as f64);
                let sum = &mut found.wait_ps[device.index()];
                *sum = sum.saturating_add(wait_ps);
                if let Some(step) = step_of[at.instance] {
                    found.in_step.insert((step, device), late_ps);
                }
            }
        }
        found
    }

    /// Whether any collective was matched.
    pub(super) fn has_any(&self) -> bool {
        self.all_ps.iter().any(|values| !values.is_empty())
    }

    /// Median lateness of devices.
    pub(super) fn median_ps(&self, devices: impl Iterator<Item = DeviceId>) -> Option<f64> {
        let values: Vec<f64> = devices
            .flat_map(|device| self.all_ps[device.index()].iter().copied())
            .collect();
        (!values.is_empty()).then(|| median(&values))
    }

    /// Lateness of a device in a step.
    pub(super) fn in_step(&self, step: usize, device: Option<DeviceId>) -> Option<i64> {
        self.in_step.get(&(step, device?)).copied()
    }
}

/// Devices in their order, then hosts without such a device.
pub(super) fn places(session: &Session, selected: &Selected<'_>, rows: &[StepParts]) -> Vec<Place> {
    let mut places: Vec<Place> = selected
        .main_devices
        .iter()
        .filter(|&&device| has_worked(session, device))
        .map(|&device| (session.device(device).host, Some(device)))
        .collect();
    places.extend(rows.iter().map(|row| (row.host, row.device)));
    places.extend(
        selected
            .hosts
            .iter()
            .filter_map(|&host| {
                let has_device = places.iter().any(|&(own, _)| own == host);
                (!has_device).then_some((host, None))
            })
            .collect::<Vec<_>>(),
    );
    places.sort_unstable();
    places.dedup();
    places
}

/// One row per place.
pub(super) fn rows(
    session: &Session,
    places: &[Place],
    rows: &[StepParts],
    lateness: &Lateness,
) -> Vec<HostDeviceRow> {
    let mut by_place: BTreeMap<Place, Vec<&StepParts>> = BTreeMap::new();
    for row in rows {
        by_place
            .entry((row.host, row.device))
            .or_default()
            .push(row);
    }
    let row = |&(host, device): &Place| {
        let own = by_place.get(&(host, device)).map_or(&[][..], Vec::as_slice);
        let step_count = own.len();
        let mean = |of: fn(&StepParts) -> i64| {
            let sum: f64 = own.iter().map(|row| of(row) as f64).sum();
            (step_count > 0).then(|| sum / step_count as f64)
        };
        let index = device.map(DeviceId::index);
        HostDeviceRow {
            host: session.host(host).name.clone(),
            device: device
                .map(|id| session.device(id).name.clone())
                .unwrap_or_default(),
            device_index: device.map(|id| i64::from(id.0)),
            step_count,
            step_ps: mean(|row| row.span.duration().0),
            busy_ps: mean(|row| row.lengths.busy_ps),
            lateness_ps: lateness.median_ps(device.into_iter()),
            last_count: index.map_or(0, |index| lateness.last_count[index]),
            wait_ps: index.map_or(0, |index| lateness.wait_ps[index]),
        }
    };
    places.iter().map(row).collect()
}
