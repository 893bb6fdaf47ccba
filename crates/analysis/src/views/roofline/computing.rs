//! How near devices come to their peaks while they compute: without idle time, and without the time in
//! which they only copy or communicate.

use stepscope_model::{DeviceId, Session};

use super::points;
use super::report::RooflineRow;
use crate::measuring::communication::AllCommunication;
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;
use crate::views::ops::{Measured, common_peaks};

/// The work of ops that compute, over the union of the time in which the devices do: ops that run at the
/// same time do not take it twice.
pub(crate) fn while_computing(
    session: &Session,
    selected: &Selected<'_>,
    ops: &[Measured],
) -> RooflineRow {
    let communication = AllCommunication::of(session);
    let mut devices: Vec<DeviceId> = Vec::new();
    let mut time_ps = 0_i64;
    for &device in &selected.main_devices {
        let windows = Intervals::union_of(selected.windows(device));
        let compute = communication.compute(session, device);
        let computed_ps = compute.intersect(&windows).duration().0;
        if computed_ps > 0 {
            devices.push(device);
            time_ps = time_ps.saturating_add(computed_ps);
        }
    }
    let peaks = common_peaks(session, &devices);
    points::over(computing(ops), time_ps, &peaks)
}

/// Ops that compute, and do not copy or communicate.
pub(crate) fn computing(ops: &[Measured]) -> impl Iterator<Item = &Measured> + Clone {
    let is_other = |op: &&Measured| matches!(op.row.class.as_str(), "collective" | "copy");
    ops.iter().filter(move |op| !is_other(op))
}
