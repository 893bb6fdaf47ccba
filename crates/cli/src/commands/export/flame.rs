//! `--collapsed` and `--speedscope`: stacks of the host's threads, for flame graphs.

use std::path::Path;

use stepscope_interchange::write::{Wanted, write_collapsed, write_speedscope};
use stepscope_model::Session;

use super::report::Report;
use crate::exit::Failure;
use crate::file;

/// Writes collapsed stacks.
pub(crate) fn collapsed(
    session: &Session,
    wanted: &Wanted,
    path: &Path,
) -> Result<Report, Failure> {
    let (written, file_bytes) =
        file::write_of(session, path, |out| write_collapsed(session, wanted, out))?;
    Ok(Report {
        written,
        file_bytes,
    })
}

/// Writes a file for speedscope.
pub(crate) fn speedscope(
    session: &Session,
    wanted: &Wanted,
    path: &Path,
) -> Result<Report, Failure> {
    let (written, file_bytes) =
        file::write_of(session, path, |out| write_speedscope(session, wanted, out))?;
    Ok(Report {
        written,
        file_bytes,
    })
}
