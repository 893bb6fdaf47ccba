//! One table as the bytes of a small Parquet file, and back: what roll-ups consist of.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use arrow_select::concat::concat_batches;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use stepscope_analysis::{Column, Table};

use crate::arrow::{batch, data_type};

/// The rows of a table as Parquet, without what only large files need: statistics and a second
/// description of the columns.
///
/// # Errors
///
/// A cell has a different type than its column.
pub fn pack(table: &Table) -> Result<Vec<u8>, ArrowError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .build();
    let options = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(true);
    let rows = batch(table)?;
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new_with_options(&mut bytes, rows.schema(), options)?;
    writer.write(&rows)?;
    writer.close()?;
    Ok(bytes)
}

/// Columns of a packed table, in the order given; `None` for those that it does not have. Others
/// are not decoded.
///
/// # Errors
///
/// The bytes are not such a table, or one of its columns has a type that is not declared.
pub fn unpack(
    bytes: Bytes,
    columns: &[Column],
) -> Result<(usize, Vec<Option<ArrayRef>>), ArrowError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes)?;
    let own = builder.schema();
    let position = |column: &Column| own.fields().iter().position(|f| f.name() == column.key);
    let roots: Vec<usize> = columns.iter().filter_map(position).collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
    let row_count = builder.metadata().file_metadata().num_rows();
    let row_count = usize::try_from(row_count).unwrap_or(0);
    let reader = builder
        .with_projection(mask)
        .with_batch_size(row_count.max(1))
        .build()?;
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>()?;
    let rows = match &batches[..] {
        [only] => only.clone(),
        _ => concat_batches(&schema, &batches)?,
    };
    let array = |column: &Column| {
        let Some(array) = rows.column_by_name(column.key) else {
            return Ok(None);
        };
        if *array.data_type() == data_type(column) {
            return Ok(Some(Arc::clone(array)));
        }
        let (key, kind) = (column.key, array.data_type());
        Err(ArrowError::SchemaError(format!(
            "{key} is stored as {kind}"
        )))
    };
    let arrays = columns.iter().map(array).collect::<Result<_, _>>()?;
    Ok((row_count, arrays))
}
