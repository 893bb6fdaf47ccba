//! What events of devices recorded about graphs, track by track: of many hosts it stays in the file until
//! the kernels of its host are looked at.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::decode::{GraphEvent, decode_track};
use super::deferred::Deferred;
use super::nest::Nester;
use crate::ids::TrackId;

/// The events of one track that are part of graphs, in file order, or where they are found.
pub(super) enum GraphEvents {
    Found(Vec<GraphEvent>),
    Deferred(Arc<Deferred>),
}

impl GraphEvents {
    /// Whether the track has some.
    pub(super) const fn has_any(&self) -> bool {
        match self {
            Self::Found(events) => !events.is_empty(),
            Self::Deferred(_) => true,
        }
    }

    fn get(&self) -> Cow<'_, [GraphEvent]> {
        match self {
            Self::Found(events) => Cow::Borrowed(events),
            Self::Deferred(source) => {
                let decoded =
                    source.decode(|lines, kind| decode_track(lines, kind, &mut Nester::for_ends()));
                Cow::Owned(decoded.graph_events)
            }
        }
    }
}

impl Default for GraphEvents {
    fn default() -> Self {
        Self::Found(Vec::new())
    }
}

/// The events of some tracks.
#[derive(Default)]
pub(super) struct TrackEvents<'a>(FxHashMap<TrackId, Cow<'a, [GraphEvent]>>);

impl<'a> TrackEvents<'a> {
    /// Those of these tracks; `events` are of all, by position.
    pub(super) fn of(events: &'a [GraphEvents], tracks: impl Iterator<Item = TrackId>) -> Self {
        let own = tracks.filter_map(|track| {
            let own = events.get(track.index()).filter(|own| own.has_any())?;
            Some((track, own.get()))
        });
        Self(own.collect())
    }

    /// What an event recorded, by its place among its track's events.
    pub(super) fn get(&self, track: TrackId, event: u32) -> Option<GraphEvent> {
        let own = self.0.get(&track)?;
        let found = own.binary_search_by_key(&event, |event| event.event);
        Some(own[found.ok()?])
    }
}
