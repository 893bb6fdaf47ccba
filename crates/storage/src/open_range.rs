//! Opening some hosts of a session without the others, as `stepscope_model::frame` explains.

use stepscope_model::ingest::{ingest_range, survey_range, survey_starts};
use stepscope_model::{Frame, Known, RangeError, RangeFacts, Reads, Session};

use crate::error::StorageError;
use crate::hosts::OpenedHosts;
use crate::open_session::{OpenSessionError, opened};
use crate::progress::NoProgress;
use crate::session::SessionFiles;

/// What some hosts of a session say that matters to its others; see [`SessionFiles::only`]. Decodes
/// them if everything has to be known.
///
/// # Errors
///
/// Memory that others use is all that lacks. Files that cannot be read are left out, as in the whole
/// session.
pub fn survey_hosts(files: &SessionFiles, known: Known) -> Result<RangeFacts, OpenSessionError> {
    opened(
        files,
        Reads::Everything,
        |_| NoProgress,
        |opened| {
            let inputs = had_memory(opened)?.inputs;
            Ok(match known {
                Known::Everything => survey_range(&inputs),
                Known::Nothing | Known::Starts => survey_starts(&inputs),
            })
        },
    )
}

/// Opens some hosts of a session, see [`SessionFiles::only`]: it has no others, and they are as in the
/// whole session, or the frame does not fit.
///
/// # Errors
///
/// As for [`survey_hosts`].
pub fn open_range(
    files: &SessionFiles,
    frame: &Frame,
) -> Result<Result<Session, RangeError>, OpenSessionError> {
    opened(
        files,
        Reads::Everything,
        |_| NoProgress,
        |opened| {
            let opened = had_memory(opened)?;
            // How many hosts there are follows from all files then.
            if frame.known == Known::Nothing && !opened.unread.is_empty() {
                return Ok(Err(RangeError::TooLittleKnown));
            }
            Ok(ingest_range(&files.name, &opened.inputs, frame))
        },
    )
}

fn had_memory(opened: OpenedHosts) -> Result<OpenedHosts, OpenSessionError> {
    let lacks =
        |(_, error): &(String, StorageError)| matches!(error, StorageError::OverBudget { .. });
    match opened.unread.iter().position(lacks) {
        None => Ok(opened),
        Some(position) => {
            let mut unread = opened.unread;
            Err(OpenSessionError::Unread(unread.swap_remove(position).1))
        }
    }
}
