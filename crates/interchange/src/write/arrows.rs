//! Arrows whose ends are both written, found from either end.

use stepscope_model::{Session, SliceId};

use super::Wanted;

/// Ends of arrows, sorted by slice: the slice and the arrow's number.
pub(super) struct Arrows {
    from: Vec<(SliceId, u32)>,
    to: Vec<(SliceId, u32)>,
}

/// The ends on one track, as cursors over its lanes.
pub(super) struct OfTrack<'a> {
    from: &'a [(SliceId, u32)],
    to: &'a [(SliceId, u32)],
}

impl Arrows {
    pub(super) fn of(session: &Session, wanted: &Wanted) -> Self {
        let (mut from, mut to) = (Vec::new(), Vec::new());
        let mut number = 0;
        for host in session.host_ids() {
            for flow in session.flows_of(host).all() {
                number += 1;
                if wanted.has_slice(session, flow.from) && wanted.has_slice(session, flow.to) {
                    from.push((flow.from, number));
                    to.push((flow.to, number));
                }
            }
        }
        from.sort_unstable();
        to.sort_unstable();
        Self { from, to }
    }

    pub(super) fn count(&self) -> u64 {
        self.from.len() as u64
    }

    pub(super) fn of_track(&self, track: stepscope_model::TrackId) -> OfTrack<'_> {
        let range = |ends: &[(SliceId, u32)]| {
            let first = ends.partition_point(|(slice, _)| slice.track < track);
            let last = ends.partition_point(|(slice, _)| slice.track <= track);
            first..last
        };
        OfTrack {
            from: &self.from[range(&self.from)],
            to: &self.to[range(&self.to)],
        }
    }
}

impl<'a> OfTrack<'a> {
    /// Numbers of the arrows that leave the slice.
    pub(super) fn leaving(&self, slice: SliceId) -> impl Iterator<Item = u32> + use<'a> {
        numbers(self.from, slice)
    }

    /// Numbers of the arrows that arrive at the slice.
    pub(super) fn arriving(&self, slice: SliceId) -> impl Iterator<Item = u32> + use<'a> {
        numbers(self.to, slice)
    }
}

fn numbers(ends: &[(SliceId, u32)], slice: SliceId) -> impl Iterator<Item = u32> {
    let first = if ends.is_empty() {
        0
    } else {
        ends.partition_point(|(other, _)| *other < slice)
    };
    ends[first..]
        .iter()
        .take_while(move |(other, _)| *other == slice)
        .map(|(_, number)| *number)
}
