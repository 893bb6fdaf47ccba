//! Details of one slice, read again from the file's bytes on demand.

use stepscope_xplane::{Event, EventMetadata, Plane, Space};

use crate::ids::SliceId;
use crate::ingest::value_text;
use crate::session::Session;
use crate::track::{Origin, Track};

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

    fn read_stats(&self, track: &Track, ordinal: u32) -> Option<Vec<Stat>> {
        let bytes = &self.host(track.host).bytes;
        let space = Space::scan((**bytes).as_ref());
        let (plane, event) = find_event(&space, &track.origin, ordinal)?;
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
        Some(stats.collect())
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
