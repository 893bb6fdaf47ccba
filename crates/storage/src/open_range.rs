//! Opening some hosts of a session without the others, as `stepscope_model::frame` explains.

use stepscope_model::ingest::{ingest_range, survey_range};
use stepscope_model::{Frame, RangeFacts, Reads, Session};

use crate::error::StorageError;
use crate::hosts::OpenedHosts;
use crate::open_session::{OpenSessionError, opened};
use crate::progress::NoProgress;
use crate::session::SessionFiles;

/// What some hosts of a session say that matters to its others; see [`SessionFiles::only`].
///
/// # Errors
///
/// Memory that others use is all that lacks. Files that cannot be read are left out, as in the whole
/// session.
pub fn survey_hosts(files: &SessionFiles) -> Result<RangeFacts, OpenSessionError> {
    opened(
        files,
        Reads::Everything,
        |_| NoProgress,
        |opened| Ok(survey_range(&had_memory(opened)?.inputs)),
    )
}

/// Opens some hosts of a session, see [`SessionFiles::only`]: it has no others, and they are as in the
/// whole session. `None` if the files are not those that the frame was made for.
///
/// # Errors
///
/// As for [`survey_hosts`].
pub fn open_range(
    files: &SessionFiles,
    frame: &Frame,
) -> Result<Option<Session>, OpenSessionError> {
    opened(
        files,
        Reads::Everything,
        |_| NoProgress,
        |opened| {
            let inputs = had_memory(opened)?.inputs;
            Ok(ingest_range(&files.name, &inputs, frame))
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
