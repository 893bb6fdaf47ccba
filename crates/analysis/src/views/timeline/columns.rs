//! Columns of the tables of `timeline`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::TimelineRow;
use crate::telling::{Column, Declared, Field, Unit};

pub(super) const TRACKS: &[Field<TimelineRow>] = &[
    Column::wide("track", "Track", Unit::Count)
        .position()
        .of(|row| i64::from(row.track).into()),
    Column::new("group", "Group", Unit::Text).of(|row| row.group.as_str().into()),
    Column::new("name", "Name", Unit::Text).of(|row| row.name.as_str().into()),
    Column::new("role", "Role", Unit::Text).of(|row| row.role.as_str().into()),
    Column::new("slice_count", "Slices", Unit::Count).of(|row| row.slice_count.into()),
    Column::wide("lanes", "Lanes", Unit::Count)
        .position()
        .of(|row| i64::from(row.lanes).into()),
    Column::wide("counter_max", "Largest sample", Unit::Count)
        .fractional()
        .of(|row| row.counter_max.into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![Declared::of("tracks", TRACKS)]
}
