//! The time that work is divided by: elapsed or busy.

use stepscope_model::{DeviceId, SaturatingSum as _, Session, Span};

use super::options::Choice;
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;
use crate::measuring::totals::work_labels;
use crate::measuring::windows::work_extents;
use crate::measuring::work::work_intervals;

/// The elapsed time of a device, including idle time: from its first to its last work, or the
/// selected steps and times.
pub(crate) fn elapsed(selected: &Selected<'_>, windows: Intervals, extent: Span) -> Intervals {
    if selected.steps.is_some() && selected.time.is_none() {
        return windows;
    }
    // Selected times may be open on one side.
    windows.intersect(&Intervals::union_of(vec![extent]))
}

/// Σ elapsed time over the main devices that worked: from the first to the last work, or the
/// selected steps. If idle time is excluded, the union of work.
pub(super) fn elapsed_ps(session: &Session, selected: &Selected<'_>, idle: Choice) -> i64 {
    let extents = work_extents(session);
    let labels = work_labels(session, selected);
    let of_device = |&device: &DeviceId| {
        let Some(extent) = extents[device.index()] else {
            return 0;
        };
        let windows = Intervals::union_of(selected.windows(device));
        if idle == Choice::Exclude {
            let busy = work_intervals(session, device, windows.spans(), &labels);
            return busy.duration().0;
        }
        elapsed(selected, windows, extent).duration().0
    };
    (selected.main_devices.iter())
        .map(of_device)
        .saturating_sum()
}
