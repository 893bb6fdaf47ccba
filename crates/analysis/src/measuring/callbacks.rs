//! When devices wait for Python that their programs call.
//!
//! ```text
//! XLA:CPU   device  [ op ][  pure_callback.1  ][ op ]          a slice of its own
//! GPU       host    [     pure_callback.1       ]              the runtime's slice, named after the op
//!           device  [ op ][D2H]..........[H2D]   [ op ]        only its copies
//! ```
//!
//! On a GPU, the device waits where the host is in the op and the device has nothing else to do.

use std::collections::BTreeSet;
use std::sync::Arc;

use stepscope_model::hlo::OpClass;
use stepscope_model::{DeviceId, Label, Session, SliceKind, Span, TrackId};

use crate::measuring::interval::Intervals;
use crate::measuring::work::{
    AllWork, NO_LEVEL, add_levels_in_passing, is_callback, work_intervals,
};

/// The labels of ops that call Python: found once per session and kept.
pub(crate) struct Callbacks {
    /// By label: whether it is device work.
    on_device: Vec<bool>,
    /// By label: whether it is the host's slice of such an op of a GPU.
    on_host: Vec<bool>,
}

impl Callbacks {
    /// All of the session.
    pub(crate) fn of(session: &Session) -> Arc<Self> {
        session.memo.get_or_compute(|| Self::find(session))
    }

    fn find(session: &Session) -> Self {
        let names = names(session);
        let on_host = |label: &Label| {
            label.kind == SliceKind::Host && names.contains(session.text(label.name))
        };
        Self {
            on_device: session.labels.iter().map(is_callback).collect(),
            on_host: session.labels.iter().map(on_host).collect(),
        }
    }

    /// Those of the ops whose names pass.
    pub(crate) fn named(&self, session: &Session, passes: impl Fn(&str) -> bool) -> Self {
        let of = |all: &[bool]| {
            let labels = session.labels.iter().zip(all);
            labels
                .map(|(label, &counts)| counts && passes(session.text(label.name)))
                .collect()
        };
        Self {
            on_device: of(&self.on_device),
            on_host: of(&self.on_host),
        }
    }

    /// When a device waits for them, within windows that are sorted and do not overlap.
    pub(crate) fn within(
        &self,
        session: &Session,
        device: DeviceId,
        windows: &[Span],
    ) -> Intervals {
        if session.device(device).kind.is_gpu() {
            self.unrecorded(session, device, windows)
        } else {
            work_intervals(session, device, windows, &self.on_device)
        }
    }

    /// Of that, what no slice of the device shows: that of GPUs.
    pub(crate) fn unrecorded(
        &self,
        session: &Session,
        device: DeviceId,
        windows: &[Span],
    ) -> Intervals {
        if !session.device(device).kind.is_gpu() || !self.on_host.contains(&true) {
            return Intervals::default();
        }
        let levels: Vec<u8> = self
            .on_host
            .iter()
            .map(|&counts| if counts { 0 } else { NO_LEVEL })
            .collect();
        let mut spans = vec![Vec::new()];
        for track in launching_threads(session, device) {
            add_levels_in_passing(session, track, &levels, windows, &mut spans);
        }
        let called = Intervals::union_of_sorted(spans.pop().unwrap_or_default());
        called.subtract(&AllWork::of(session).within(session, device, windows))
    }
}

/// The names of all instructions that call Python, if the session has a GPU.
fn names(session: &Session) -> BTreeSet<&str> {
    let mut devices = session.devices.iter();
    if !devices.any(|device| device.kind.is_gpu()) {
        return BTreeSet::new();
    }
    let programs = session.programs.iter();
    let programs = programs.filter_map(|program| program.hlo.as_ref());
    let calls = programs.flat_map(|hlo| {
        let instructions = hlo.instructions();
        let calls = instructions.filter(|instruction| instruction.opcode == "custom-call");
        calls.filter(|instruction| hlo.class(instruction) == OpClass::HostCallback)
    });
    calls.map(|instruction| instruction.name.as_str()).collect()
}

/// The threads that launched the programs of a device.
fn launching_threads(session: &Session, device: DeviceId) -> BTreeSet<TrackId> {
    let runs = session.program_runs.iter();
    let own = runs.filter(|run| run.device == device);
    own.filter_map(|run| run.launched_on).collect()
}
