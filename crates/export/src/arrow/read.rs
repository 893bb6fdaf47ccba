//! Rows that were asked for in SQL, as a table with units. The unit of a column is the suffix of its
//! name, as everywhere.

use std::io::Read;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_ipc::reader::StreamReader;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use stepscope_analysis::{Cell, Column, Table, Unit};

/// Ends of names, with the unit that they stand for; longer ones first.
const UNITS: [(&str, Unit); 8] = [
    ("_flops_per_second", Unit::FlopRate),
    ("_bytes_per_second", Unit::ByteRate),
    ("flop_rate", Unit::FlopRate),
    ("bandwidth", Unit::ByteRate),
    ("_ps", Unit::Picos),
    ("ratio", Unit::Ratio),
    ("flops", Unit::Flops),
    ("bytes", Unit::Bytes),
];

/// What a column's numbers measure, by its name and type.
fn unit(name: &str, kind: &DataType) -> Unit {
    match kind {
        DataType::Boolean => Unit::Flag,
        kind if kind.is_numeric() => {
            let mut known = UNITS.iter();
            let found = known.find(|(end, _)| name.ends_with(end));
            found.map_or(Unit::Count, |(_, unit)| *unit)
        }
        _ => Unit::Text,
    }
}

/// A name of a column. Those of reports are constants, those of queries are known at run time; a
/// process asks few different ones, so they are kept.
fn kept(name: &str) -> &'static str {
    Box::leak(name.to_owned().into_boxed_str())
}

/// An Arrow IPC stream as a table.
///
/// # Errors
///
/// The bytes are no stream, or a value has no text.
pub fn table_of_stream(bytes: impl Read) -> Result<Table, ArrowError> {
    let reader = StreamReader::try_new(bytes, None)?;
    let schema = reader.schema();
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>()?;
    let count = batches.iter().map(RecordBatch::num_rows).sum();
    table_of(&schema, &batches, count)
}

/// Rows as a table, the first of `row_count`.
///
/// # Errors
///
/// A value has no text.
pub fn table_of(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    row_count: usize,
) -> Result<Table, ArrowError> {
    let columns = schema.fields().iter().map(|field| {
        let (name, kind) = (kept(field.name()), field.data_type());
        Column {
            is_fractional: kind.is_numeric() && !kind.is_integer(),
            ..Column::new(name, name, unit(name, kind))
        }
    });
    let columns: Vec<Column> = columns.collect();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for batch in batches {
        let arrays = batch.columns().iter().map(plain);
        let arrays: Vec<ArrayRef> = arrays.collect::<Result<_, _>>()?;
        let row = |row| arrays.iter().map(|array| cell(array, row)).collect();
        rows.extend((0..batch.num_rows()).map(row));
    }
    Ok(Table::new("rows", "", &columns, rows).with_row_count(row_count))
}

/// The column as one of the four types of cells.
fn plain(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let kind = match array.data_type() {
        DataType::Boolean => DataType::Boolean,
        kind if kind.is_integer() => DataType::Int64,
        kind if kind.is_numeric() => DataType::Float64,
        _ => DataType::Utf8,
    };
    cast(array, &kind)
}

fn cell(array: &ArrayRef, row: usize) -> Cell {
    if array.is_null(row) {
        return Cell::Missing;
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).into(),
        _ => array.as_string::<i32>().value(row).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_unit() {
        for (name, expected) in [
            ("self_ps", Unit::Picos),
            ("mfu_ratio", Unit::Ratio),
            ("ratio", Unit::Ratio),
            ("peak_bytes", Unit::Bytes),
            ("bytes", Unit::Bytes),
            ("peak_flops_per_second", Unit::FlopRate),
            ("bus_bandwidth", Unit::ByteRate),
            ("occurrences", Unit::Count),
        ] {
            assert_eq!(unit(name, &DataType::Int64), expected, "{name}");
        }
        assert_eq!(unit("self_ps", &DataType::Utf8), Unit::Text);
        assert_eq!(unit("is_remat", &DataType::Boolean), Unit::Flag);
    }
}
