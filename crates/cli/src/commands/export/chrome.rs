//! `--chrome`.

use std::path::Path;

use stepscope_interchange::write::{Wanted, write_chrome};
use stepscope_model::Session;

use super::report::Report;
use crate::exit::Failure;
use crate::file;

/// Writes the trace.
pub(crate) fn write(session: &Session, wanted: &Wanted, path: &Path) -> Result<Report, Failure> {
    let (written, file_bytes) =
        file::write_of(session, path, |out| write_chrome(session, wanted, out))?;
    Ok(Report {
        written,
        file_bytes,
    })
}
