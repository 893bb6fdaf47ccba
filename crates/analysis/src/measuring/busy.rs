//! Busy time: union of a device's work intervals ÷ observed window.
//!
//! The window is the selection, if steps or times are selected: the selected steps on the device and
//! the selected times, clipped to the recording. Otherwise it runs from the first to the last step that
//! is not cut off, with the time between steps; or without such steps from the first to the last work
//! of any device in the session, so that a device that stops early counts as idle from then on.

use std::collections::HashSet;

use super::windows::{observed_windows, work_extents};
use documented::DocumentedFields;
use rayon::prelude::*;
use serde::Serialize;
use stepscope_model::{DeviceId, Session};
use ts_rs::TS;

use crate::measuring::selection::Selected;
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
    /// Window of the busy ratio: the selected steps or times; otherwise from the first to the last
    /// step that statistics include, or without steps from the first to the last work of any device.
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
    observed_windows(session, selected)
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

/// The selected devices that recorded work in their window, in order.
pub(crate) fn observed(session: &Session, selected: &Selected<'_>) -> Vec<DeviceId> {
    let work = AllWork::of(session);
    let windows = observed_windows(session, selected).into_iter();
    let observed = windows.filter(|(device, windows)| {
        let own = work.within(session, *device, windows.spans());
        !own.spans().is_empty()
    });
    observed.map(|(device, _)| device).collect()
}

/// Mean over the devices that work in the steps, so that it describes the same devices as the parts of
/// the mean step; without steps on devices, over those that recorded work.
pub(crate) fn mean(devices: &[DeviceBusy], steps: &[StepParts]) -> Option<f64> {
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

/// Devices that the mean does not cover.
#[derive(Debug, Default)]
pub(crate) struct Excluded<'a> {
    /// They worked in the observed window, but ran nothing of a step: another device's copies from them.
    pub(crate) beside: Vec<&'a DeviceBusy>,
    /// They worked, but only outside of the steps or of the observed window.
    pub(crate) outside: Vec<&'a DeviceBusy>,
    /// They recorded no work at all.
    pub(crate) never: Vec<&'a DeviceBusy>,
}

/// The devices that [`counted`] leaves out.
pub(crate) fn excluded<'a>(
    session: &Session,
    devices: &'a [DeviceBusy],
    steps: &[StepParts],
) -> Excluded<'a> {
    let counted: HashSet<u32> = counted(devices, steps)
        .iter()
        .map(|device| device.device_index)
        .collect();
    let left_out = devices.iter();
    let mut excluded = Excluded::default();
    for device in left_out.filter(|device| !counted.contains(&device.device_index)) {
        let group = if device.busy_ps > 0 {
            &mut excluded.beside
        } else if has_ever_worked(session, device) {
            &mut excluded.outside
        } else {
            &mut excluded.never
        };
        group.push(device);
    }
    excluded
}

/// Whether the device recorded work at any time, in its window or outside of it.
pub fn has_ever_worked(session: &Session, device: &DeviceBusy) -> bool {
    let extents = work_extents(session);
    let extent = extents.get(device.device_index as usize);
    extent.is_some_and(Option::is_some)
}
