//! Idle time: elapsed time in which devices did no work.

use rayon::prelude::*;
use stepscope_model::{DeviceId, Session};

use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;
use crate::measuring::windows::work_extents;
use crate::measuring::work::{work_intervals, work_labels};
use crate::views::roofline::elapsed;

/// Σ over the selected devices that worked: elapsed time (from first to last work, or the selected
/// steps) − union of work. Python callbacks count as work, since they are nodes of the tree.
/// `--program` and `--match` have no effect: a device that does other work is not idle.
pub(super) fn idle_ps(session: &Session, selected: &Selected<'_>) -> Option<i64> {
    let extents = work_extents(session);
    let labels = work_labels(session);
    let of_device = |&device: &DeviceId| {
        let extent = extents[device.index()]?;
        let windows = Intervals::union_of(selected.windows(device));
        let windows = elapsed(selected, windows, extent);
        let work = work_intervals(session, device, windows.spans(), &labels);
        Some(windows.duration().0 - work.duration().0)
    };
    let idle: Vec<Option<i64>> = selected.main_devices.par_iter().map(of_device).collect();
    idle.into_iter().flatten().reduce(|a, b| a + b)
}
