//! Busy time: union of a device's work intervals ÷ observed window.
//!
//! The window is the selection, if steps or times are selected: the selected steps on the device and
//! the selected times, clipped to the recording. Otherwise it is the steps that the mean step is made
//! of, without those that are cut off. Without such steps, it runs from the first to the last step, or
//! from the first to the last work of any device in the session, so that a device that stops early
//! counts as idle from then on.

use std::collections::{BTreeMap, HashSet};

use super::windows::observed_windows;
use documented::DocumentedFields;
use rayon::prelude::*;
use serde::Serialize;
use stepscope_model::{DeviceId, Session, Span};
use ts_rs::TS;

use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;
use crate::measuring::steps::bars::busy_ratio;
use crate::measuring::steps::{DividedSteps, StepParts};
use crate::measuring::work::AllWork;

/// How busy one device was.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct DeviceBusy {
    /// Index of the device in the session.
    pub device_index: u32,
    /// Name of the device, such as `host-0/GPU:0`.
    pub device: String,
    /// Time for which the device is busy: the union of its work intervals inside the window.
    #[ts(type = "number")]
    pub busy_ps: i64,
    /// Window of the busy ratio: the selected steps or times; otherwise all steps that are not cut off,
    /// or without steps from the first to the last work of any device.
    #[ts(type = "number")]
    pub window_ps: i64,
    /// Busy share of the device: busy time ÷ window. Absent if the device recorded no work in the window.
    pub busy_ratio: Option<f64>,
}

/// Every selected device. Devices that recorded no work in their window have no ratio.
pub(crate) fn devices(
    session: &Session,
    selected: &Selected<'_>,
    steps: &DividedSteps,
) -> Vec<DeviceBusy> {
    let work = AllWork::of(session);
    let mut in_steps = windows_in_steps(selected, &steps.rows);
    let windows = observed_windows(session, selected).into_iter();
    let windows = windows.map(|(device, whole)| match in_steps.remove(&device) {
        Some(spans) => (device, Intervals::union_of(spans)),
        None => (device, whole),
    });
    let windows: Vec<(DeviceId, Intervals)> = windows.collect();
    windows
        .into_par_iter()
        .map(|(device, windows)| {
            let busy_ps = steps.busy_ps(device, &windows).unwrap_or_else(|| {
                let own = work.within(session, device, windows.spans());
                own.duration().0
            });
            let window = windows.duration();
            let busy_ratio =
                (busy_ps > 0 && window.0 > 0).then(|| busy_ps as f64 / window.0 as f64);
            DeviceBusy {
                device_index: device.0,
                device: session.device_title(device),
                busy_ps,
                window_ps: window.0,
                busy_ratio,
            }
        })
        .collect()
}

/// The steps on each device, if neither steps nor times are selected.
fn windows_in_steps(selected: &Selected<'_>, rows: &[StepParts]) -> BTreeMap<DeviceId, Vec<Span>> {
    let mut of_device: BTreeMap<DeviceId, Vec<Span>> = BTreeMap::new();
    let rows = rows.iter().filter(|_| selected.is_all_time());
    for (device, row) in rows.filter_map(|row| Some((row.device?, row))) {
        of_device.entry(device).or_default().push(row.span);
    }
    of_device
}

/// The share of the mean step in which devices are busy: the sum of its busy parts, on the devices that
/// work in the steps. With selected times or without steps on devices, the mean over the devices that
/// recorded work.
pub(crate) fn mean(
    selected: &Selected<'_>,
    devices: &[DeviceBusy],
    steps: &[StepParts],
) -> Option<f64> {
    let counted: HashSet<u32> = counted(devices, steps)
        .iter()
        .map(|device| device.device_index)
        .collect();
    let of_steps = busy_ratio(steps, |device| counted.contains(&device.0));
    let of_steps = of_steps.filter(|_| selected.time.is_none());
    of_steps.or_else(|| mean_of_devices(devices, steps))
}

fn mean_of_devices(devices: &[DeviceBusy], steps: &[StepParts]) -> Option<f64> {
    let ratios: Vec<f64> = counted(devices, steps)
        .iter()
        .filter_map(|device| device.busy_ratio)
        .collect();
    (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
}

/// The devices that the mean covers.
pub(crate) fn counted<'a>(devices: &'a [DeviceBusy], steps: &[StepParts]) -> Vec<&'a DeviceBusy> {
    let in_steps: HashSet<u32> = steps
        .iter()
        .filter_map(|row| row.device.map(|device| device.0))
        .collect();
    devices
        .iter()
        .filter(|device| device.busy_ratio.is_some())
        .filter(|device| in_steps.is_empty() || in_steps.contains(&device.device_index))
        .collect()
}
