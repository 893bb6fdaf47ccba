//! Communication per device and per step, as unions of intervals.

use stepscope_model::{DeviceId, Session, Span};

use super::evidence::Evidence;
use super::matching::Wait;
use super::report::{CollectiveDeviceRow, CollectiveStepRow};
use crate::measuring::communication::{AllCommunication, Communication};
use crate::measuring::interval::Intervals;
use crate::measuring::selection::{Selected, device_span};

/// Communication of one selected device within its windows.
pub(super) struct DeviceCommunication {
    pub(super) device: DeviceId,
    pub(super) communication: Communication,
}

/// Rows of the selected devices that recorded work, in order.
pub(super) fn devices(
    evidence: &Evidence<'_>,
    selected: &Selected<'_>,
    devices: &[DeviceCommunication],
    waits: &[Option<Wait>],
) -> Vec<CollectiveDeviceRow> {
    let session = evidence.session;
    let mut wait_ps: Vec<Option<i64>> = vec![None; session.devices.len()];
    for (number, occurrence) in evidence.occurrences() {
        if let Some(wait) = waits[number] {
            let sum = wait_ps[occurrence.device.index()].get_or_insert(0);
            *sum = sum.saturating_add(wait.wait_ps);
        }
    }
    let row = |of: &DeviceCommunication| {
        let device = session.device(of.device);
        let window_ps = window_ps(session, selected, of)?;
        let total_ps = of.communication.all.duration().0;
        let exposed_ps = of.communication.exposed.duration().0;
        Some(CollectiveDeviceRow {
            host: session.host(device.host).name.clone(),
            device: device.name.clone(),
            device_index: of.device.0,
            total_ps,
            exposed_ps,
            hidden_ps: total_ps - exposed_ps,
            wait_ps: wait_ps[of.device.index()],
            window_ps,
            exposed_ratio: (window_ps > 0).then(|| exposed_ps as f64 / window_ps as f64),
        })
    };
    devices.iter().filter_map(row).collect()
}

/// Length of the selected time on the device, else from its first to its last work; none without work.
fn window_ps(session: &Session, selected: &Selected<'_>, of: &DeviceCommunication) -> Option<i64> {
    let extents = session
        .work_tracks(of.device)
        .filter_map(|(_, track)| track.extent());
    let extent = extents.reduce(Span::hull)?;
    if selected.is_all_time() {
        return Some(extent.duration().0);
    }
    // Selected times may end long after the recording, or have open ends.
    let windows = Intervals::union_of(selected.windows(of.device));
    Some(windows.clip(session.extent()?).duration().0)
}

/// Rows of the selected steps, mean over the devices on which they ran and that communicate.
pub(super) fn steps(
    session: &Session,
    selected: &Selected<'_>,
    communication: &AllCommunication,
) -> Vec<CollectiveStepRow> {
    // Whole steps, as in `steps`, even if the selected time only contains a part of one.
    let communicating: Vec<(DeviceId, &Communication)> = selected
        .devices
        .iter()
        .map(|&device| (device, communication.of_device(device)))
        .filter(|(_, of)| !of.all.spans().is_empty())
        .collect();
    if communicating.is_empty() {
        return Vec::new();
    }
    let row = |position: usize| {
        let step = &session.steps[position];
        let mut count = 0usize;
        let (mut duration, mut total, mut exposed) = (0i64, 0i64, 0i64);
        let mut most: Option<(i64, DeviceId)> = None;
        let mut start_ps = i64::MAX;
        for &(device, of) in &communicating {
            let Some(span) = device_span(step, session, device) else {
                continue;
            };
            let exposed_ps = of.exposed.duration_within(span).0;
            count += 1;
            duration = duration.saturating_add(span.duration().0);
            total = total.saturating_add(of.all.duration_within(span).0);
            exposed = exposed.saturating_add(exposed_ps);
            start_ps = start_ps.min(span.start.0);
            if most.is_none_or(|(largest, _)| exposed_ps > largest) {
                most = Some((exposed_ps, device));
            }
        }
        let (max_exposed_ps, device) = most?;
        let mean = |sum: i64| sum as f64 / count as f64;
        Some(CollectiveStepRow {
            step: step.number,
            start_ps,
            duration_ps: mean(duration),
            total_ps: mean(total),
            exposed_ps: mean(exposed),
            exposed_ratio: (duration > 0).then(|| exposed as f64 / duration as f64),
            device: if max_exposed_ps > 0 {
                session.device_title(device)
            } else {
                String::new()
            },
            max_exposed_ps,
        })
    };
    selected
        .step_positions()
        .into_iter()
        .filter_map(row)
        .collect()
}
