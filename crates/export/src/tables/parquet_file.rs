//! Tables as Parquet files, in groups of rows.

use std::io;
use std::sync::Arc;

use arrow_array::RecordBatchReader as _;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use stepscope_analysis::Table;
use stepscope_model::Session;

use super::format::Out;
use crate::about::VERSION;
use crate::arrow::{self, TextType};
use crate::slices::{COLUMNS, SliceBatches, Slices};

/// Rows per Parquet group. A group is held in memory until it is complete: 22 columns of this many
/// rows are a few dozen megabytes.
const GROUP_ROWS: usize = 1 << 17;

/// Writes a table.
pub(super) fn table(table: &Table, out: Out<'_>) -> io::Result<()> {
    let batch = arrow::batch(table).map_err(io::Error::other)?;
    let mut writer = writer(out, batch.schema())?;
    writer.write(&batch).map_err(io::Error::other)?;
    writer.close().map(drop).map_err(io::Error::other)
}

/// Writes every slice while walking them; returns their number.
pub(super) fn slices(rows: &Arc<Slices<&Session>>, out: Out<'_>) -> io::Result<u64> {
    let all = (0..COLUMNS.len()).collect();
    let batches = SliceBatches::new(Arc::clone(rows), all, TextType::Plain);
    let mut writer = writer(out, batches.schema())?;
    let mut count = 0;
    for batch in batches {
        let batch = batch.map_err(io::Error::other)?;
        count += batch.num_rows() as u64;
        writer.write(&batch).map_err(io::Error::other)?;
    }
    writer.close().map_err(io::Error::other)?;
    Ok(count)
}

fn writer(out: Out<'_>, schema: SchemaRef) -> io::Result<ArrowWriter<Out<'_>>> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_created_by(format!("stepscope {VERSION}"))
        .build();
    ArrowWriter::try_new(out, schema, Some(properties)).map_err(io::Error::other)
}
