//! What busy devices are busy with: computing, only communicating, only copying.
//!
//! Shares of the steps' time on devices, by the parts of `steps`; without steps, of the observed
//! windows. An instant counts once, for the first of the three that covers it, so the shares and what
//! is neither (idle, callbacks) sum to one.

use stepscope_model::Session;

use crate::measuring::busy::DeviceBusy;
use crate::measuring::communication::AllCommunication;
use crate::measuring::selection::Selected;
use crate::measuring::steps::{PartKind, StepParts, part_position};
use crate::measuring::windows::observed_windows;

/// Shares of the time, 0..1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Occupation {
    /// The device computes.
    pub(crate) compute: f64,
    /// It communicates and computes nothing.
    pub(crate) communication: f64,
    /// It copies and does neither.
    pub(crate) copies: f64,
    /// What the shares are of: the steps, or else the observed windows.
    pub(crate) is_of_steps: bool,
}

impl Occupation {
    /// Share of the time in which the device does one of the three.
    pub(crate) fn busy(&self) -> f64 {
        self.compute + self.communication + self.copies
    }

    /// Whether devices copy and communicate for longer than they compute.
    pub(crate) fn is_mostly_elsewhere(&self) -> bool {
        self.communication + self.copies > self.compute
    }
}

/// None without work.
pub(crate) fn occupation(
    session: &Session,
    selected: &Selected<'_>,
    rows: &[StepParts],
    devices: &[DeviceBusy],
) -> Option<Occupation> {
    let mut on_devices = rows.iter().filter(|row| row.device.is_some()).peekable();
    if on_devices.peek().is_some() {
        return of_steps(on_devices);
    }
    of_windows(session, selected, devices)
}

fn of_steps<'a>(rows: impl Iterator<Item = &'a StepParts>) -> Option<Occupation> {
    let (mut all, mut parts) = (0.0, [0.0; 3]);
    for row in rows {
        all += row.span.duration().0 as f64;
        let of = |part: PartKind| row.lengths.parts_ps[part_position(part)] as f64;
        parts[0] += of(PartKind::DeviceCompute);
        parts[1] += of(PartKind::Collectives);
        parts[2] +=
            of(PartKind::HostToDevice) + of(PartKind::DeviceToHost) + of(PartKind::DeviceToDevice);
    }
    shares(all, parts, true)
}

fn of_windows(
    session: &Session,
    selected: &Selected<'_>,
    devices: &[DeviceBusy],
) -> Option<Occupation> {
    let communication = AllCommunication::of(session);
    let (mut all, mut parts) = (0.0, [0.0; 3]);
    for (device, windows) in observed_windows(session, selected) {
        let busy = devices.iter().find(|busy| busy.device_index == device.0);
        let Some(busy) = busy.filter(|busy| busy.busy_ratio.is_some()) else {
            continue;
        };
        let own = communication.of_device(device).within(windows.spans());
        let compute = communication.compute(session, device);
        let compute = compute.intersect(&windows).duration().0 as f64;
        let exposed = own.exposed.duration().0 as f64;
        all += windows.duration().0 as f64;
        parts[0] += compute;
        parts[1] += exposed;
        // What else keeps the device busy; asynchronous communication alone does not.
        parts[2] += (busy.busy_ps as f64 - compute - exposed).max(0.0);
    }
    shares(all, parts, false)
}

fn shares(all: f64, parts: [f64; 3], is_of_steps: bool) -> Option<Occupation> {
    let [compute, communication, copies] = parts;
    (all > 0.0).then(|| Occupation {
        compute: compute / all,
        communication: communication / all,
        copies: copies / all,
        is_of_steps,
    })
}
