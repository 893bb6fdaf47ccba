//! Rows as a table with units, for the terminal, CSV and JSON. The unit of a column is the suffix of
//! its name.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use datafusion::common::cast::as_boolean_array;
use stepscope_analysis::{Cell, Column, Table, Unit};

/// Suffixes of names, with the unit that they stand for.
const UNITS: [(&str, Unit); 8] = [
    ("_ps", Unit::Picos),
    ("_bytes", Unit::Bytes),
    ("_ratio", Unit::Ratio),
    ("_flops", Unit::Flops),
    ("flop_rate", Unit::FlopRate),
    ("_flops_per_second", Unit::FlopRate),
    ("bandwidth", Unit::ByteRate),
    ("_bytes_per_second", Unit::ByteRate),
];

/// What a column's numbers measure, by its name and type.
pub fn unit(name: &str, kind: &DataType) -> Unit {
    match kind {
        DataType::Boolean => Unit::Flag,
        kind if kind.is_numeric() => {
            let mut known = UNITS.iter().rev();
            let found = known.find(|(suffix, _)| name.ends_with(suffix));
            let whole = [("flops", Unit::Flops), ("bytes", Unit::Bytes)];
            let whole = whole.iter().find(|(own, _)| name == *own);
            found.or(whole).map_or(Unit::Count, |(_, unit)| *unit)
        }
        _ => Unit::Text,
    }
}

/// A name that a table's column may have. Columns of queries are named at run time; those of reports
/// are constants. A process asks few queries, so the names are kept.
fn leaked(name: &str) -> &'static str {
    Box::leak(name.to_owned().into_boxed_str())
}

/// The rows as a table of this many rows altogether.
///
/// # Errors
///
/// A value that cannot be read.
pub fn table(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    row_count: usize,
) -> Result<Table, datafusion::error::DataFusionError> {
    let columns = schema.fields().iter().map(|field| {
        let name = leaked(field.name());
        let column = Column::new(name, name, unit(name, field.data_type()));
        let is_whole = field.data_type().is_integer();
        Column {
            is_fractional: field.data_type().is_numeric() && !is_whole,
            ..column
        }
    });
    let columns: Vec<Column> = columns.collect();
    let mut rows = Vec::new();
    for batch in batches {
        let arrays: Vec<ArrayRef> = batch.columns().iter().map(plain).collect::<Result<_, _>>()?;
        for row in 0..batch.num_rows() {
            rows.push(arrays.iter().map(|array| cell(array, row)).collect::<Result<_, _>>()?);
        }
    }
    Ok(Table::new("rows", "", &columns, rows).with_row_count(row_count))
}

/// The column as one of the four types of cells.
fn plain(array: &ArrayRef) -> Result<ArrayRef, arrow_schema::ArrowError> {
    let kind = match array.data_type() {
        DataType::Boolean => DataType::Boolean,
        kind if kind.is_integer() => DataType::Int64,
        kind if kind.is_numeric() => DataType::Float64,
        _ => DataType::Utf8,
    };
    datafusion::arrow::compute::cast(array, &kind)
}

fn cell(array: &ArrayRef, row: usize) -> Result<Cell, datafusion::error::DataFusionError> {
    if array.is_null(row) {
        return Ok(Cell::Missing);
    }
    Ok(match array.data_type() {
        DataType::Boolean => as_boolean_array(array)?.value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).into(),
        _ => array.as_string::<i32>().value(row).into(),
    })
}
