//! Communication of a device and how much of it is *exposed*: the only definition of that word.
//!
//! ```text
//! collective work     ████            ██        ops and kernels that communicate
//! in flight             ░░░░░░░░░░░░░░░░        asynchronous ones, from start to end
//! compute work              ██████              ops and kernels that compute
//! exposed             ██████      ██████        communication − compute
//! ```
//!
//! Copies are neither communication nor computation: a copy does not hide communication. Control ops
//! (while, call) span their bodies and are not computation either. `steps` divides each step by the
//! same levels, so its part *collectives* is the exposed time within the step.

use std::sync::Arc;

use rayon::prelude::*;
use stepscope_model::{Class, DeviceId, DeviceKind, Picos, Session, SliceKind, Span, TrackRole};

use crate::measuring::interval::Intervals;
use crate::measuring::levels::{COLLECTIVE, COMPUTE, device_levels};
use crate::measuring::work::{NO_LEVEL, add_levels};

/// When a device communicates and when it computes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Communication {
    /// Collective work, and asynchronous collectives from start to end.
    pub(crate) all: Intervals,
    /// Compute work.
    pub(crate) compute: Intervals,
    /// Communication while the device computes nothing.
    pub(crate) exposed: Intervals,
}

/// Communication of every device, computed once per session.
pub(crate) struct AllCommunication(Vec<Communication>);

impl AllCommunication {
    /// Computes or reuses the communication of the session.
    pub(crate) fn of(session: &Session) -> Arc<Self> {
        session.memo.get_or_compute(|| {
            let levels = levels(session);
            let devices: Vec<DeviceId> = session.device_ids().collect();
            let of_device = |&device: &DeviceId| Communication::of(session, device, &levels);
            let mut found: Vec<Communication> = devices.par_iter().map(of_device).collect();
            for &device in &devices {
                if let Some(leader) = leader(session, device) {
                    let compute = found[leader.index()].compute.clone();
                    found[device.index()].hide_by(&compute);
                }
            }
            Self(found)
        })
    }

    /// All communication of a device.
    pub(crate) fn of_device(&self, device: DeviceId) -> &Communication {
        &self.0[device.index()]
    }
}

impl Communication {
    fn of(session: &Session, device: DeviceId, levels: &[u8]) -> Self {
        let everything = [Span {
            start: Picos(i64::MIN),
            end: Picos::MAX,
        }];
        let mut spans = vec![Vec::new(), Vec::new()];
        for (_, track) in session.work_tracks(device) {
            add_levels(track, levels, &everything, &mut spans);
        }
        let mut unions = spans.into_iter().map(Intervals::union_of_sorted);
        let compute = unions.next().unwrap_or_default();
        let work = unions.next().unwrap_or_default();
        let all = work.union(&under_way(session, device, &everything));
        let exposed = all.subtract(&compute);
        Self {
            all,
            compute,
            exposed,
        }
    }

    /// Computation on another device hides this one's communication too.
    fn hide_by(&mut self, compute: &Intervals) {
        self.compute = self.compute.union(compute);
        self.exposed = self.all.subtract(&self.compute);
    }

    /// The communication within `windows`, which may overlap.
    pub(crate) fn within(&self, windows: &[Span]) -> Self {
        let windows = Intervals::union_of(windows.to_vec());
        Self {
            all: self.all.intersect(&windows),
            compute: self.compute.intersect(&windows),
            exposed: self.exposed.intersect(&windows),
        }
    }
}

/// The TensorCore of a SparseCore's chip: what the one computes hides what the other exchanges.
fn leader(session: &Session, device: DeviceId) -> Option<DeviceId> {
    let own = session.device(device);
    session.device_ids().find(|&id| {
        let other = session.device(id);
        own.kind == DeviceKind::SparseCore
            && other.kind == DeviceKind::Tpu
            && (other.host, other.ordinal) == (own.host, own.ordinal)
    })
}

/// Level of each label: computation, collective, or neither.
fn levels(session: &Session) -> Vec<u8> {
    let mut levels = device_levels(session);
    for level in &mut levels {
        if !matches!(*level, COMPUTE | COLLECTIVE) {
            *level = NO_LEVEL;
        }
    }
    levels
}

/// When asynchronous collectives were in flight, by the spans that the device recorded. Most devices
/// record none and return early.
pub(crate) fn under_way(session: &Session, device: DeviceId, windows: &[Span]) -> Intervals {
    let tracks = session.device_tracks(device).map(|(_, track)| track);
    let is_async = |track: &&stepscope_model::Track| track.role == TrackRole::AsyncOps;
    let mut tracks = tracks.filter(is_async).peekable();
    if tracks.peek().is_none() {
        return Intervals::default();
    }
    let level = |label: &stepscope_model::Label| {
        let is_span = label.kind == SliceKind::AsyncOp && label.class == Class::Collective;
        if is_span { 0 } else { NO_LEVEL }
    };
    let levels: Vec<u8> = session.labels.iter().map(level).collect();
    let mut spans = vec![Vec::new()];
    for track in tracks {
        add_levels(track, &levels, windows, &mut spans);
    }
    Intervals::union_of_sorted(spans.pop().unwrap_or_default())
}
