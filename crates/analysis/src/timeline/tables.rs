//! The `timeline` report as a table: one row per track.

use super::report::{TimelineReport, TimelineRow, TrackGroup};
use crate::cell::{Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<TimelineRow>] = &[
    ("slice_count", |row| SortValue::Int(row.slice_count)),
    ("lanes", |row| SortValue::Int(i64::from(row.lanes))),
    ("counter_max", |row| SortValue::Float(row.counter_max)),
    ("track", |row| SortValue::Int(i64::from(row.track))),
    ("group", |row| SortValue::Text(&row.group)),
    ("name", |row| SortValue::Text(&row.name)),
    ("role", |row| SortValue::Text(&row.role)),
];

const COLUMNS: &[Column] = &[
    Column::wide("track", "Track", Unit::Count),
    Column::new("group", "Group", Unit::Text),
    Column::new("name", "Name", Unit::Text),
    Column::new("role", "Role", Unit::Text),
    Column::new("slice_count", "Slices", Unit::Count),
    Column::wide("lanes", "Lanes", Unit::Count),
    Column::wide("counter_max", "Largest sample", Unit::Count).fractional(),
];

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
    fn tables(&self) -> Vec<Table> {
        let rows = self.rows.iter().map(|row| {
            vec![
                i64::from(row.track).into(),
                row.group.as_str().into(),
                row.name.as_str().into(),
                row.role.as_str().into(),
                row.slice_count.into(),
                i64::from(row.lanes).into(),
                row.counter_max.into(),
            ]
        });
        vec![Table {
            key: "tracks",
            title: "Tracks".to_owned(),
            columns: COLUMNS.to_vec(),
            rows: rows.collect(),
            row_count: self.groups.iter().map(|group| group.tracks.len()).sum(),
        }]
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
