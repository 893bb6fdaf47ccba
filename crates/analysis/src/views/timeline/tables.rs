//! The `timeline` report as a table: one row per track.

use super::columns::{self, TRACKS};
use super::report::{TimelineReport, TimelineRow, TrackGroup};
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, Table};

/// The tracks of all groups, in display order.
pub(super) fn rows(groups: &[TrackGroup]) -> Vec<TimelineRow> {
    let tracks = groups
        .iter()
        .flat_map(|group| group.tracks.iter().map(move |track| (group, track)));
    tracks
        .map(|(group, track)| TimelineRow {
            track: track.track,
            group: group.name.clone(),
            name: track.name.clone(),
            role: track.role.clone(),
            slice_count: track.slice_count,
            lanes: track.lanes,
            counter_max: track.counter_max,
        })
        .collect()
}

impl Report for TimelineReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("tracks", "Tracks", TRACKS, &self.rows)
                .with_row_count(self.groups.iter().map(|group| group.tracks.len()).sum()),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let length_ps = self.end_ps.saturating_sub(self.start_ps);
        vec![
            ("Duration".to_owned(), format::duration_ps(length_ps as f64)),
            ("Slices".to_owned(), self.slice_count.to_string()),
        ]
    }
}
