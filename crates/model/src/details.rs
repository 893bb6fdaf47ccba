//! Details of one slice, read again from the file's bytes on demand.

use stepscope_xplane::{Event, EventMetadata, Plane, Space, StatValue};

use crate::ids::SliceId;
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
    /// Recorded on the metadata, hence the same for all slices of this name.
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

    /// The stats of several slices, as [`Self::stats`] of each; every line is walked once.
    pub fn stats_of(&self, slices: &[SliceId]) -> Vec<Vec<Stat>> {
        let mut found = vec![Vec::new(); slices.len()];
        let mut wanted: Vec<(SliceId, usize)> = slices.iter().copied().zip(0..).collect();
        wanted.sort_unstable_by_key(|&(slice, _)| slice.track);
        for of_track in wanted.chunk_by(|a, b| a.0.track == b.0.track) {
            let Some(track) = self.tracks.get(of_track[0].0.track.index()) else {
                continue;
            };
            let bytes = &self.host(track.host).bytes;
            let space = Space::scan((**bytes).as_ref());
            let mut ordinals: Vec<(u32, usize)> = of_track
                .iter()
                .filter_map(|&(slice, position)| {
                    let lane = self.lane(slice.track, slice.lane)?;
                    Some((*lane.events().get(slice.index as usize)?, position))
                })
                .collect();
            ordinals.sort_unstable();
            walk(
                &space,
                &track.origin,
                &ordinals,
                |position, plane, event| {
                    found[position] = stats_of_event(plane, event);
                },
            );
        }
        found
    }

    /// How many take part in an exchange between slices of a job, where its op says so.
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

/// Visits the events of ascending ordinals, each line from its beginning once.
fn walk<'s, 'a>(
    space: &'s Space<'a>,
    origin: &Origin,
    ordinals: &[(u32, usize)],
    mut visit: impl FnMut(usize, &'s Plane<'a>, &Event<'a>),
) {
    for (number, line) in origin.lines.iter().enumerate() {
        let next_line = origin.lines.get(number + 1);
        let end = next_line.map_or(u32::MAX, |next| next.first_event);
        let first = ordinals.partition_point(|&(ordinal, _)| ordinal < line.first_event);
        let last = ordinals.partition_point(|&(ordinal, _)| ordinal < end);
        let plane = space.planes.get(line.plane as usize);
        let found = plane.and_then(|plane| Some((plane, plane.lines.get(line.line as usize)?)));
        let (Some((plane, recorded)), true) = (found, first < last) else {
            continue;
        };
        let mut events = recorded.events();
        let mut next = line.first_event;
        for &(ordinal, position) in &ordinals[first..last] {
            // Two slices of one event are asked for with the same ordinal: it is not walked to twice.
            let Some(skipped) = ordinal.checked_sub(next) else {
                continue;
            };
            let Some(event) = events.nth(skipped as usize) else {
                break;
            };
            next = ordinal + 1;
            visit(position, plane, &event);
        }
    }
}
