//! Tracks and arrows that were read in passing a moment ago.
//!
//! One question often reads a device several times in a row: for its work, its pauses, its steps.
//! With many hosts nothing that was decoded is kept, so the last few tracks are, and the arrows of the
//! last host: few enough that memory does not grow with the session.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::flow::HostFlows;
use crate::ids::{HostId, TrackId};
use crate::track::Track;

/// Slices of all kept tracks, 24 bytes each.
const MOST_SLICES: usize = 1 << 20;
/// Kept tracks: each access looks through all of them.
const MOST_TRACKS: usize = 64;

/// The tracks that were read last, the latest at the end.
#[derive(Default)]
pub(crate) struct Recent(Mutex<VecDeque<(TrackId, Track)>>);

impl Recent {
    /// The track as it was read a moment ago, or `fresh`.
    pub(crate) fn get_or_keep(&self, id: TrackId, fresh: impl FnOnce() -> Track) -> Track {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().position(|(own, _)| *own == id);
        let known = known.and_then(|position| kept.remove(position));
        let (_, track) = known.unwrap_or_else(|| (id, fresh()));
        kept.push_back((id, track.clone()));
        let mut slices: usize = kept.iter().map(|(_, track)| track.slice_count()).sum();
        while slices > MOST_SLICES || kept.len() > MOST_TRACKS {
            let Some((_, oldest)) = kept.pop_front() else {
                break;
            };
            slices -= oldest.slice_count();
        }
        track
    }
}

/// The arrows of the host that was read last.
#[derive(Default)]
pub(crate) struct RecentFlows(Mutex<Option<(HostId, Arc<HostFlows>)>>);

impl RecentFlows {
    /// The arrows as they were read a moment ago, or `fresh`.
    pub(crate) fn get_or_keep(
        &self,
        host: HostId,
        fresh: impl FnOnce() -> Arc<HostFlows>,
    ) -> Arc<HostFlows> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, flows)) = kept.as_ref().filter(|(own, _)| *own == host) {
            return Arc::clone(flows);
        }
        let flows = fresh();
        *kept = Some((host, Arc::clone(&flows)));
        flows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelId, StringId};
    use crate::track::{Lane, Origin, TrackRole};

    fn of(slices: usize) -> Track {
        let times: Vec<i64> = (0..).take(slices).collect();
        let labels = vec![LabelId(0); slices];
        let events = vec![0; slices];
        Track {
            name: StringId(0),
            host: HostId(0),
            process: None,
            device: None,
            role: TrackRole::Ops,
            line_id: 0,
            lanes: vec![Lane::from_columns(&times, &times, &labels, &events)],
            nests: Vec::new(),
            labels: Arc::default(),
            samples: None,
            origin: Origin::default(),
        }
    }

    #[test]
    fn the_last_tracks_are_kept_up_to_a_size() {
        let recent = Recent::default();
        let mut decoded = 0;
        let mut read = |id: u32, slices: usize| {
            let fresh = || {
                decoded += 1;
                of(slices)
            };
            let track = recent.get_or_keep(TrackId(id), fresh);
            assert_eq!(track.slice_count(), slices);
            decoded
        };
        let half = MOST_SLICES / 2;
        assert_eq!(read(1, half), 1);
        assert_eq!(read(2, half), 2);
        assert_eq!(read(1, half), 2);
        // The second was read longest ago.
        assert_eq!(read(3, half), 3);
        assert_eq!(read(1, half), 3);
        assert_eq!(read(2, half), 4);
        // One that is larger than all that is kept is not.
        assert_eq!(read(4, MOST_SLICES + 1), 5);
        assert_eq!(read(4, MOST_SLICES + 1), 6);
        // Neither are more of them than are quickly looked through.
        for id in 0..=MOST_TRACKS {
            read(u32::try_from(100 + id).unwrap_or(0), 1);
        }
        assert_eq!(read(101, 1), 71);
        assert_eq!(read(100, 1), 72);
    }
}
