//! In place of `packed.rs` and `parquet_file.rs` where a build has no Parquet: every answer is an error
//! that says how to get it.

use std::io;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::ArrowError;
use bytes::Bytes;
use stepscope_analysis::{Column, Table};
use stepscope_model::Session;

use super::format::Out;
use crate::error::ExportError;
use crate::slices::Slices;

pub(super) fn table(_table: &Table, _out: Out<'_>) -> io::Result<()> {
    Err(io::Error::other(ExportError::NoParquet))
}

pub(super) fn slices(_rows: &Arc<Slices<&Session>>, _out: Out<'_>) -> io::Result<u64> {
    Err(io::Error::other(ExportError::NoParquet))
}

/// Gives [`ExportError::NoParquet`].
pub fn pack(_table: &Table) -> Result<Vec<u8>, ArrowError> {
    Err(ArrowError::from_external_error(Box::new(
        ExportError::NoParquet,
    )))
}

/// Gives [`ExportError::NoParquet`].
pub fn unpack(
    _bytes: Bytes,
    _columns: &[Column],
) -> Result<(usize, Vec<Option<ArrayRef>>), ArrowError> {
    Err(ArrowError::from_external_error(Box::new(
        ExportError::NoParquet,
    )))
}
