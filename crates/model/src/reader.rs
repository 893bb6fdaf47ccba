//! Reading slices one by one, wherever they are: those that arrows lead to and from.

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::ids::{LabelId, SliceId, TrackId};
use crate::session::Session;
use crate::track::{Lane, Track};
use crate::units::Span;

/// Tracks that one question reads at random, each decoded at most once: with many hosts, what was
/// decoded goes with the reader, so that there is one for each host.
pub struct TrackReader<'s> {
    session: &'s Session,
    tracks: FxHashMap<TrackId, Cow<'s, Track>>,
}

impl<'s> TrackReader<'s> {
    /// A reader that has read nothing.
    pub fn new(session: &'s Session) -> Self {
        Self {
            session,
            tracks: FxHashMap::default(),
        }
    }

    /// A track.
    pub fn track(&mut self, id: TrackId) -> &Track {
        if !self.session.has_many_hosts() {
            return self.session.track(id);
        }
        match self.tracks.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(self.session.track_in_passing(id)),
        }
    }

    /// When a slice ran; `None` if there is none.
    pub fn span(&mut self, slice: SliceId) -> Option<Span> {
        let (lane, index) = self.place(slice)?;
        Some(lane.span(index))
    }

    /// The label of a slice; `None` if there is none.
    pub fn label(&mut self, slice: SliceId) -> Option<LabelId> {
        let (lane, index) = self.place(slice)?;
        lane.labels().get(index).copied()
    }

    fn place(&mut self, slice: SliceId) -> Option<(&Lane, usize)> {
        let index = slice.index as usize;
        let lane = self.track(slice.track).lanes.get(slice.lane as usize)?;
        (index < lane.len()).then_some((lane, index))
    }
}
