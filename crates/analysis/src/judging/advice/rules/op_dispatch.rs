//! The time in which PyTorch's host dispatches ops: it launches op by op, and what it does around each
//! launch takes several times as long as the launch.
//!
//! ```text
//! loop     [ aten::linear      ]   [ aten::addmm     ]     [ Optimizer.step#AdamW.step ]
//!             [cudaLaunchKernel]       [cudaLaunchKernel]
//! device                       [k]                      [k]
//! ```

use stepscope_model::{Activity, DeviceId, Framework, HostId, LabelId, Session, Track};

use crate::judging::advice::facts::{Facts, OfPlace, Place, part_ps};
use crate::measuring::activity::Activities;
use crate::measuring::interval::Intervals;
use crate::measuring::steps::StepParts;

use super::WAITING;
use super::call_copies::times;

/// What PyTorch records around its ops.
const OPS: [&str; 4] = ["aten::", "autograd::", "torch::", "Optimizer."];

/// The median step of the device that waits for its host for the largest part of it.
pub(super) struct OpDispatch {
    pub(super) place: Place,
    pub(super) step_ps: f64,
    /// The time in which the host dispatches ops, without what it waits for within them.
    pub(super) dispatch_ps: f64,
    /// The time in which the device is idle while its host works or waits.
    pub(super) waiting_ps: f64,
}

impl OpDispatch {
    /// None without steps, and of frameworks that launch whole programs.
    pub(super) fn of(facts: &Facts<'_>) -> Option<Self> {
        if facts.session.framework() != Framework::PyTorch || facts.step_ps.is_none() {
            return None;
        }
        let waiting = |row: &StepParts| {
            let parts = WAITING.iter();
            parts.map(|&part| part_ps(row, part) as f64).sum::<f64>() - row.lengths.paused_ps as f64
        };
        let places = facts.by_place(waiting).into_iter();
        let devices = places.filter(|of| of.place.1.is_some());
        let worst = devices.max_by(|a, b| a.median.total_cmp(&b.median))?;
        let median_of = |figure: &dyn Fn(&StepParts) -> f64| {
            let places: Vec<OfPlace> = facts.by_place(figure);
            let own = places.iter().find(|of| of.place == worst.place);
            own.map_or(0.0, |of| of.median)
        };
        let (host, device): (HostId, Option<DeviceId>) = worst.place;
        let times = dispatching(facts.session, host);
        let dispatch_ps = median_of(&|row| {
            if (row.host, row.device) == (host, device) {
                times.duration_within(row.span).0 as f64
            } else {
                0.0
            }
        });
        let step_ps = median_of(&|row| row.span.duration().0 as f64);
        (dispatch_ps > 0.0 && step_ps > 0.0).then_some(Self {
            place: worst.place,
            step_ps,
            dispatch_ps,
            waiting_ps: worst.median,
        })
    }
}

/// When threads of a host are within ops, and neither wait nor copy there.
fn dispatching(session: &Session, host: HostId) -> Intervals {
    let activities = Activities::of(session);
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    let is_op: Vec<bool> = ids
        .clone()
        .map(|id| {
            let name = session.label_name(id);
            OPS.iter().any(|op| name.starts_with(op))
        })
        .collect();
    let is_wait: Vec<bool> = ids
        .map(|id| {
            matches!(
                activities.label(id),
                Activity::Blocked | Activity::Transfer(_) | Activity::Input(_)
            )
        })
        .collect();
    let own = session.track_ids().filter(|&id| {
        let track = session.track(id);
        track.host == host && track.device.is_none()
    });
    let tracks = own.filter_map(|id| session.track_having(id, |label| is_op[label.index()]));
    let of_track = |track: &Track| times(track, &is_op).subtract(&times(track, &is_wait));
    tracks.fold(Intervals::default(), |all, track| {
        all.union(&of_track(&track))
    })
}
