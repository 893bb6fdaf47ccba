//! Details of one slice, read again from the file's bytes on demand.

use rayon::prelude::*;
use stepscope_xplane::{Event, EventMetadata, Plane, Space, StatValue};

use crate::ids::{SliceId, TrackId};
use crate::ingest::value_text;
use crate::session::Session;
use crate::track::{Origin, Track};
use crate::vendor::collectives::{EXCHANGE_STAT, exchange_participants};

/// One recorded stat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// Name.
    pub name: String,
    /// Value as text; bytes as their length.
    pub value: String,
    /// Recorded in the metadata, so it is the same for all slices with this name.
    pub is_constant: bool,
}

impl Session {
    /// The recorded stats of a slice: its own in file order, then those of its metadata. Empty for
    /// slices that were derived. Walks the slice's line, so it costs milliseconds, not more.
    pub fn stats(&self, slice: SliceId) -> Vec<Stat> {
        let Some(track) = self.tracks.get(slice.track.index()) else {
            return Vec::new();
        };
        let Some(ordinal) = self
            .lane(slice.track, slice.lane)
            .and_then(|lane| lane.events().get(slice.index as usize).copied())
        else {
            return Vec::new();
        };
        self.read_stats(track, ordinal).unwrap_or_default()
    }

    /// The stats of several slices, like [`Self::stats`] for each. Each file and each line is read
    /// once.
    /// every line walked once.
    pub fn stats_of(&self, slices: &[SliceId]) -> Vec<Vec<Stat>> {
        let mut wanted: Vec<Wanted<'_>> = Vec::with_capacity(slices.len());
        for (position, &slice) in slices.iter().enumerate() {
            let lane = self.lane(slice.track, slice.lane);
            let ordinal = lane.and_then(|lane| lane.events().get(slice.index as usize).copied());
            if let (Some(track), Some(ordinal)) = (self.tracks.get(slice.track.index()), ordinal) {
                wanted.push(Wanted {
                    track,
                    id: slice.track,
                    ordinal,
                    position,
                });
            }
        }
        wanted.sort_unstable_by_key(|one| (one.track.host, one.id, one.ordinal));
        let mut found = vec![Vec::new(); slices.len()];
        for of_host in wanted.chunk_by(|a, b| a.track.host == b.track.host) {
            let bytes = &self.host(of_host[0].track.host).bytes;
            let space = Space::scan((**bytes).as_ref());
            let tracks: Vec<&[Wanted<'_>]> = of_host.chunk_by(|a, b| a.id == b.id).collect();
            let stats: Vec<Vec<(usize, Vec<Stat>)>> = tracks
                .into_par_iter()
                .map(|of_track| {
                    let mut stats = Vec::with_capacity(of_track.len());
                    walk(&space, of_track, |position, plane, event| {
                        stats.push((position, stats_of_event(plane, event)));
                    });
                    stats
                })
                .collect();
            for (position, stats) in stats.into_iter().flatten() {
                found[position] = stats;
            }
        }
        found
    }

    /// Number of participants in an exchange between slices of a job, if its op says so.
    pub fn exchange_participants(&self, slice: SliceId) -> Option<u64> {
        let track = self.tracks.get(slice.track.index())?;
        let lane = self.lane(slice.track, slice.lane)?;
        let ordinal = *lane.events().get(slice.index as usize)?;
        let bytes = &self.host(track.host).bytes;
        let space = Space::scan((**bytes).as_ref());
        let (plane, event) = find_event(&space, &track.origin, ordinal)?;
        let metadata = plane.event_metadata.get(event.metadata_id);
        let constant = metadata.into_iter().flat_map(EventMetadata::stats);
        let mut stats = event.stats().chain(constant);
        let stat = stats.find(|stat| plane.stat_name(stat) == EXCHANGE_STAT)?;
        match stat.value() {
            StatValue::Bytes(message) => exchange_participants(message),
            _ => None,
        }
    }

    fn read_stats(&self, track: &Track, ordinal: u32) -> Option<Vec<Stat>> {
        let bytes = &self.host(track.host).bytes;
        let space = Space::scan((**bytes).as_ref());
        let (plane, event) = find_event(&space, &track.origin, ordinal)?;
        Some(stats_of_event(plane, &event))
    }
}

fn find_event<'s, 'a>(
    space: &'s Space<'a>,
    origin: &Origin,
    ordinal: u32,
) -> Option<(&'s Plane<'a>, Event<'a>)> {
    let after = origin
        .lines
        .partition_point(|line| line.first_event <= ordinal);
    let line = origin.lines.get(after.checked_sub(1)?)?;
    let plane = space.planes.get(line.plane as usize)?;
    let events = plane.lines.get(line.line as usize)?.events();
    let mut events = events.skip((ordinal - line.first_event) as usize);
    Some((plane, events.next()?))
}

fn stats_of_event(plane: &Plane<'_>, event: &Event<'_>) -> Vec<Stat> {
    let metadata = plane.event_metadata.get(event.metadata_id);
    let own = event.stats().map(|stat| (stat, false));
    let constant = metadata
        .into_iter()
        .flat_map(EventMetadata::stats)
        .map(|stat| (stat, true));
    let stats = own.chain(constant).map(|(stat, is_constant)| Stat {
        name: plane.stat_name(&stat).into_owned(),
        value: value_text(plane, stat.value()),
        is_constant,
    });
    stats.collect()
}

/// A slice whose event is wanted.
struct Wanted<'s> {
    track: &'s Track,
    id: TrackId,
    ordinal: u32,
    /// The position of its result.
    position: usize,
}

/// Visits the events of one track's slices in ascending order, reading each line once.
fn walk<'s, 'a>(
    space: &'s Space<'a>,
    wanted: &[Wanted<'_>],
    mut visit: impl FnMut(usize, &'s Plane<'a>, &Event<'a>),
) {
    let origins = wanted.first().map(|one| one.track.origin.lines.as_slice());
    let origins = origins.unwrap_or_default();
    for (number, line) in origins.iter().enumerate() {
        let next_line = origins.get(number + 1);
        let end = next_line.map_or(u32::MAX, |next| next.first_event);
        let first = wanted.partition_point(|one| one.ordinal < line.first_event);
        let last = wanted.partition_point(|one| one.ordinal < end);
        let plane = space.planes.get(line.plane as usize);
        let found = plane.and_then(|plane| Some((plane, plane.lines.get(line.line as usize)?)));
        let (Some((plane, recorded)), true) = (found, first < last) else {
            continue;
        };
        let mut events = recorded.events();
        let mut next = line.first_event;
        let mut current = None;
        for of_event in wanted[first..last].chunk_by(|a, b| a.ordinal == b.ordinal) {
            let ordinal = of_event[0].ordinal;
            if let Some(skipped) = ordinal.checked_sub(next) {
                current = events.nth(skipped as usize);
                next = ordinal + 1;
            }
            let Some(event) = &current else {
                break;
            };
            // One event may have become several slices.
            for one in of_event {
                visit(one.position, plane, event);
            }
        }
    }
}
