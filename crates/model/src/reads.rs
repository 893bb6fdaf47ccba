//! The parts of a profile that a question reads, for files that are not completely available.
//!
//! Host threads are the larger part of many profiles (JAX's Python tracer records every call), and
//! answers about TPU ops do not need them.

use stepscope_xplane::{Line, Piece, Plane, Space, lossy, stat_names_at_end};

use crate::framework::Framework;
use crate::ingest::counts_from_recorded_start;
use crate::session::DeviceKind;
use crate::track::TrackRole;
use crate::vendor::frameworks::{of_event, of_program};
use crate::vendor::planes::{PlaneRole, device_line_role, plane_role};
use crate::vendor::stats::ThreadsMayHold;

/// The parts of a profile that a question reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reads {
    /// All of it.
    #[default]
    Everything,
    /// What devices did, and programs; no host threads.
    Devices,
}

/// A part of a file, identified by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePiece {
    /// Its length in bytes; the next piece follows.
    pub length: u64,
    /// Whether it is read.
    pub is_read: bool,
}

/// What a skipped piece may contain of what is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut(ThreadsMayHold);

impl LeftOut {
    /// Decided by the last bytes of the piece, which contain the names of its stats. `None` if more
    /// of them are needed.
    pub fn by_tail(tail: &[u8]) -> Option<Self> {
        let names = stat_names_at_end(tail)?;
        Some(Self(ThreadsMayHold::of(&names)))
    }
}

impl Reads {
    /// The piece of a profile that starts with `head`, which has at least its first hundred bytes
    /// or all of it. `None` if these bytes are not such a start.
    pub fn piece(self, head: &[u8]) -> Option<FilePiece> {
        let piece = Piece::at(head)?;
        let is_read = match (self, &piece.plane) {
            (Self::Everything, _) | (Self::Devices, None) => true,
            (Self::Devices, Some(name)) => {
                !matches!(plane_role(name), PlaneRole::Host | PlaneRole::Other)
            }
        };
        Some(FilePiece {
            length: piece.length,
            is_read,
        })
    }

    /// Whether the pieces that are read, joined in their order, give the same answers as the whole
    /// file, with all others left out. What TPUs did stands for itself where no program ran on the
    /// host's CPU, where steps are no matter of the host, and where time counts from a recorded
    /// start, and where programs are JAX's, whatever else the host loaded. Kernels of GPUs get programs
    /// and steps from the threads that launched them.
    pub fn suffices(self, pieces: &[u8], left_out: &[LeftOut]) -> bool {
        if self == Self::Everything {
            return true;
        }
        let space = Space::scan(pieces);
        let has_host_steps = left_out.iter().any(|piece| piece.0.steps);
        space.problems.is_empty()
            && space
                .planes
                .iter()
                .any(|plane| has_events(plane, |kind| !kind.is_gpu()))
            && !space
                .planes
                .iter()
                .any(|plane| has_events(plane, DeviceKind::is_gpu))
            && !left_out.iter().any(|piece| piece.0.ops)
            && (!has_host_steps || space.planes.iter().any(has_steps))
            && counts_from_recorded_start(&space)
            && space.planes.iter().any(tells_of_jax)
    }
}

/// Whether it is a device of such a kind, with activity.
fn has_events(plane: &Plane<'_>, is_wanted: impl Fn(DeviceKind) -> bool) -> bool {
    let PlaneRole::Device { kind, .. } = plane_role(&plane.name) else {
        return false;
    };
    is_wanted(kind) && plane.lines.iter().any(Line::has_events)
}

/// Hints depend on the framework, and evidence of JAX counts before all others.
fn tells_of_jax(plane: &Plane<'_>) -> bool {
    plane.event_metadata.iter().any(|event| {
        let name = lossy(event.name);
        [of_program(&name), of_event(&name)].contains(&Some(Framework::Jax))
    })
}

fn has_steps(plane: &Plane<'_>) -> bool {
    let PlaneRole::Device { kind, .. } = plane_role(&plane.name) else {
        return false;
    };
    let is_steps =
        |line: &Line<'_>| device_line_role(kind, line.id, &line.name) == TrackRole::Steps;
    plane
        .lines
        .iter()
        .any(|line| line.has_events() && is_steps(line))
}
