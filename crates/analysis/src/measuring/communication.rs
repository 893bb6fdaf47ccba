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

use std::borrow::Cow;
use std::sync::Arc;

use rayon::prelude::*;
use stepscope_model::{
    Class, DeviceId, DeviceKind, Label, Session, SliceKind, Span, Track, TrackRole,
};

use crate::measuring::interval::Intervals;
use crate::measuring::levels::{COLLECTIVE, COMPUTE, device_levels};
use crate::measuring::work::{EVERYTHING, NO_LEVEL, add_levels, lengths_within};

/// When a device communicates.
#[derive(Debug, Clone, Default)]
pub(crate) struct Communication {
    /// Collective work, and asynchronous collectives from start to end.
    pub(crate) all: Intervals,
    /// Communication while the device computes nothing.
    pub(crate) exposed: Intervals,
}

/// Communication of every device, computed once per session, and when each computes. The latter is as
/// large as what a device recorded: with many hosts it is found for whoever asks.
pub(crate) struct AllCommunication {
    levels: Vec<u8>,
    of_devices: Vec<Communication>,
    /// Compute work by device; empty with many hosts.
    compute: Vec<Intervals>,
}

impl AllCommunication {
    /// Computes or reuses the communication of the session.
    pub(crate) fn of(session: &Session) -> Arc<Self> {
        session.memo.get_or_compute(|| {
            let levels = levels(session);
            let devices: Vec<DeviceId> = session.device_ids().collect();
            let is_kept = !session.has_many_hosts();
            let of_device = |&device: &DeviceId| {
                let (compute, work) = compute_and_work(session, device, &levels);
                let all = work.union(&under_way(session, device, &[EVERYTHING]));
                let exposed = all.subtract(&compute);
                let compute = if is_kept {
                    compute
                } else {
                    Intervals::default()
                };
                (Communication { all, exposed }, compute)
            };
            let found = devices.par_iter().map(of_device);
            let (of_devices, mut compute): (_, Vec<Intervals>) = found.unzip();
            if !is_kept {
                compute.clear();
            }
            Self {
                levels,
                of_devices,
                compute,
            }
        })
    }

    /// All communication of a device.
    pub(crate) fn of_device(&self, device: DeviceId) -> &Communication {
        &self.of_devices[device.index()]
    }

    /// Compute work of a device.
    pub(crate) fn compute(&self, session: &Session, device: DeviceId) -> Cow<'_, Intervals> {
        match self.compute.get(device.index()) {
            Some(own) => Cow::Borrowed(own),
            None => Cow::Owned(compute_and_work(session, device, &self.levels).0),
        }
    }

    /// How long the device computed within each of the spans, in their order.
    pub(crate) fn computed_ps(&self, session: &Session, spans: &[(DeviceId, Span)]) -> Vec<i64> {
        lengths_within(spans, |device| self.compute(session, device))
    }
}

impl Communication {
    /// The communication within `windows`, which may overlap.
    pub(crate) fn within(&self, windows: &[Span]) -> Self {
        let windows = Intervals::union_of(windows.to_vec());
        Self {
            all: self.all.intersect(&windows),
            exposed: self.exposed.intersect(&windows),
        }
    }
}

/// When a device computes, also by the device that it belongs to, and its collective work.
fn compute_and_work(session: &Session, device: DeviceId, levels: &[u8]) -> (Intervals, Intervals) {
    let own = |device: DeviceId| {
        let mut spans = vec![Vec::new(), Vec::new()];
        for (_, track) in session.work_tracks(device) {
            add_levels(&track, levels, &[EVERYTHING], &mut spans);
        }
        let mut unions = spans.into_iter().map(Intervals::union_of_sorted);
        let compute = unions.next().unwrap_or_default();
        (compute, unions.next().unwrap_or_default())
    };
    let (compute, work) = own(device);
    match leader(session, device) {
        Some(leader) => (compute.union(&own(leader).0), work),
        None => (compute, work),
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
    let is_async = |track: &Cow<'_, Track>| track.role == TrackRole::AsyncOps;
    let mut tracks = tracks.filter(is_async).peekable();
    if tracks.peek().is_none() {
        return Intervals::default();
    }
    let level = |label: &Label| {
        let is_span = label.kind == SliceKind::AsyncOp && label.class == Class::Collective;
        if is_span { 0 } else { NO_LEVEL }
    };
    let levels: Vec<u8> = session.labels.iter().map(level).collect();
    let mut spans = vec![Vec::new()];
    for track in tracks {
        add_levels(&track, &levels, windows, &mut spans);
    }
    Intervals::union_of_sorted(spans.pop().unwrap_or_default())
}
