//! Columns of the tables of `heap`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{HeapFrameRow, HeapFunctionRow, HeapGroup, HeapSnapshotRow, HeapStackRow};
use crate::telling::{Column, Declared, Field, Identity, Unit, indented};

const CHANGE_BYTES: Column = Column::new("change_bytes", "Change", Unit::Bytes)
    .adds_over_rows()
    .less_is_better();
const CHANGE_ALLOCATIONS: Column =
    Column::wide("change_allocations", "Change of count", Unit::Count).adds_over_rows();
const BYTES: Column = Column::new("bytes", "Bytes", Unit::Bytes)
    .adds_over_rows()
    .less_is_better();
const ALLOCATIONS: Column = Column::new("allocations", "Count", Unit::Count).adds_over_rows();
const RATIO: Column = Column::wide("ratio", "Share", Unit::Ratio);
const TOTAL_BYTES: Column = Column::new("total_bytes", "Bytes", Unit::Bytes)
    .adds_over_rows()
    .less_is_better();
const SELF_BYTES: Column = Column::new("self_bytes", "Self", Unit::Bytes)
    .adds_over_rows()
    .less_is_better();
const TOTAL_ALLOCATIONS: Column =
    Column::wide("total_allocations", "Count", Unit::Count).adds_over_rows();
const SELF_ALLOCATIONS: Column =
    Column::wide("self_allocations", "Self count", Unit::Count).adds_over_rows();

pub(super) const ROWS: &[Field<HeapStackRow>] = &[
    Column::new("site", "Allocated in", Unit::Text).of(|row| row.site.as_str().into()),
    CHANGE_BYTES.of(|row| row.change_bytes.into()),
    CHANGE_ALLOCATIONS.of(|row| row.change_allocations.into()),
    Column::new("change", "State", Unit::Text)
        .of(|row| row.change.map(|change| change.name().to_owned()).into()),
    BYTES.of(|row| row.bytes.into()),
    ALLOCATIONS.of(|row| row.allocations.into()),
    RATIO.of(|row| row.ratio.into()),
    Column::new("kind", "Kind", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.kind.as_str().into()),
    Column::wide("devices", "Devices", Unit::Text).of(|row| row.devices.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|row| row.source.as_str().into()),
    Column::wide("stack", "Stack", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.stack.join("; ").into()),
];

pub(super) const FUNCTIONS: &[Field<HeapFunctionRow>] = &[
    Column::new("name", "Function", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.name.as_str().into()),
    CHANGE_BYTES.of(|row| row.change_bytes.into()),
    CHANGE_ALLOCATIONS.of(|row| row.change_allocations.into()),
    TOTAL_BYTES.of(|row| row.total_bytes.into()),
    SELF_BYTES.of(|row| row.self_bytes.into()),
    RATIO.of(|row| row.ratio.into()),
    TOTAL_ALLOCATIONS.of(|row| row.total_allocations.into()),
    SELF_ALLOCATIONS.of(|row| row.self_allocations.into()),
    Column::new("source", "Source", Unit::Text)
        .identifies(Identity::Unnumbered)
        .of(|row| row.source.as_str().into()),
];

pub(super) const DEVICES: &[Field<HeapGroup>] = &[
    Column::new("name", "Device", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| named(row, "device").into()),
    CHANGE_BYTES.of(|row| row.change_bytes.into()),
    CHANGE_ALLOCATIONS.of(|row| row.change_allocations.into()),
    BYTES.of(|row| row.bytes.into()),
    ALLOCATIONS.of(|row| row.allocations.into()),
    RATIO.of(|row| row.ratio.into()),
];

pub(super) const KINDS: &[Field<HeapGroup>] = &[
    Column::new("name", "Kind", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| named(row, "kind").into()),
    CHANGE_BYTES.of(|row| row.change_bytes.into()),
    CHANGE_ALLOCATIONS.of(|row| row.change_allocations.into()),
    BYTES.of(|row| row.bytes.into()),
    ALLOCATIONS.of(|row| row.allocations.into()),
    RATIO.of(|row| row.ratio.into()),
];

pub(super) const TREE: &[Field<HeapFrameRow>] = &[
    Column::new("name", "Frame", Unit::Text).of(|row| indented(row.depth, &row.name).into()),
    CHANGE_BYTES.of(|row| row.change_bytes.into()),
    CHANGE_ALLOCATIONS.of(|row| row.change_allocations.into()),
    TOTAL_BYTES.of(|row| row.total_bytes.into()),
    SELF_BYTES.of(|row| row.self_bytes.into()),
    TOTAL_ALLOCATIONS.of(|row| row.total_allocations.into()),
    SELF_ALLOCATIONS.of(|row| row.self_allocations.into()),
    Column::wide("depth", "Level", Unit::Count)
        .position()
        .of(|row| i64::from(row.depth).into()),
    Column::new("source", "Source", Unit::Text).of(|row| row.source.as_str().into()),
];

pub(super) const SNAPSHOTS: &[Field<HeapSnapshotRow>] = &[
    Column::new("name", "Snapshot", Unit::Text).of(|row| row.name.as_str().into()),
    BYTES.of(|row| row.bytes.into()),
    ALLOCATIONS.of(|row| row.allocations.into()),
    Column::new("change_bytes", "Change from previous", Unit::Bytes)
        .less_is_better()
        .of(|row| row.change_bytes.into()),
    Column::wide("change_allocations", "Change of count", Unit::Count)
        .of(|row| row.change_allocations.into()),
];

/// The key figures of the report.
pub(super) const FIGURES: &[Column] = &[
    Column::new("total_bytes", "Alive", Unit::Bytes).less_is_better(),
    Column::new("total_allocations", "Allocations", Unit::Count),
    Column::new("change_bytes", "Change", Unit::Bytes),
    Column::new("change_allocations", "Change in count", Unit::Count),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("functions", FUNCTIONS),
        Declared::of("devices", DEVICES),
        Declared::of("kinds", KINDS),
        Declared::of("tree", TREE),
        Declared::of("snapshots", SNAPSHOTS),
    ]
}

fn named(row: &HeapGroup, what: &str) -> String {
    match row.name.as_str() {
        "" => format!("(no {what})"),
        name => name.to_owned(),
    }
}
