//! Tables as bytes: CSV here, Parquet next door.

use std::io;
use std::sync::Arc;

use stepscope_analysis::Table;
use stepscope_analysis::telling::csv::{push_csv_keys, push_csv_row, to_csv};
use stepscope_model::Session;

use super::format::{Format, Out};
use super::parquet_file;
use crate::slices::{COLUMNS, Slices};

/// Bytes of CSV that are collected before they are written.
const BLOCK_BYTES: usize = 1 << 18;

/// Writes a table.
pub(super) fn table(table: &Table, format: Format, out: Out<'_>) -> io::Result<()> {
    match format {
        Format::Csv => out.write_all(to_csv(table).as_bytes()),
        Format::Parquet => parquet_file::table(table, out),
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
        Format::Parquet => parquet_file::slices(rows, out),
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
