//! Tables as bytes: CSV, and Parquet in groups of rows.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::RecordBatchReader as _;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use stepscope_analysis::Table;
use stepscope_analysis::telling::csv::{push_csv_keys, push_csv_row, to_csv};
use stepscope_model::Session;

use super::format::Format;
use crate::about::VERSION;
use crate::arrow::{self, TextType};
use crate::slices::{COLUMNS, SliceBatches, Slices};

/// Rows per Parquet group. A group is held in memory until it is complete: 22 columns of this many
/// rows are a few dozen megabytes.
const GROUP_ROWS: usize = 1 << 17;
/// Bytes of CSV that are collected before they are written.
const BLOCK_BYTES: usize = 1 << 18;

type Out<'a> = &'a mut (dyn Write + Send);

/// Writes a table.
pub(super) fn table(table: &Table, format: Format, out: Out<'_>) -> io::Result<()> {
    match format {
        Format::Csv => out.write_all(to_csv(table).as_bytes()),
        Format::Parquet => {
            let batch = arrow::batch(table).map_err(io::Error::other)?;
            let mut writer = parquet(out, batch.schema())?;
            writer.write(&batch).map_err(io::Error::other)?;
            writer.close().map(drop).map_err(io::Error::other)
        }
    }
}

/// Writes every slice while walking them; returns their number.
pub(super) fn slices(
    rows: &Arc<Slices<&Session>>,
    format: Format,
    out: Out<'_>,
) -> io::Result<u64> {
    match format {
        Format::Csv => slices_csv(rows, out),
        Format::Parquet => slices_parquet(rows, out),
    }
}

fn slices_csv(rows: &Slices<&Session>, out: Out<'_>) -> io::Result<u64> {
    let mut block = String::with_capacity(BLOCK_BYTES + 4096);
    push_csv_keys(&mut block, COLUMNS);
    let count = rows.for_each(&mut |row| {
        push_csv_row(&mut block, row.iter().copied());
        if block.len() >= BLOCK_BYTES {
            out.write_all(block.as_bytes())?;
            block.clear();
        }
        Ok(())
    })?;
    out.write_all(block.as_bytes())?;
    Ok(count)
}

fn slices_parquet(rows: &Arc<Slices<&Session>>, out: Out<'_>) -> io::Result<u64> {
    let all = (0..COLUMNS.len()).collect();
    let batches = SliceBatches::new(Arc::clone(rows), all, TextType::Plain);
    let mut writer = parquet(out, batches.schema())?;
    let mut count = 0;
    for batch in batches {
        let batch = batch.map_err(io::Error::other)?;
        count += batch.num_rows() as u64;
        writer.write(&batch).map_err(io::Error::other)?;
    }
    writer.close().map_err(io::Error::other)?;
    Ok(count)
}

fn parquet(out: Out<'_>, schema: SchemaRef) -> io::Result<ArrowWriter<Out<'_>>> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_created_by(format!("stepscope {VERSION}"))
        .build();
    ArrowWriter::try_new(out, schema, Some(properties)).map_err(io::Error::other)
}
