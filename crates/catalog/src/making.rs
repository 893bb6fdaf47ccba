//! From the files of a session to its roll-up.

use stepscope_analysis::{ANALYSES, AnalysisError, COMPARISONS, Compared, Entry, Table};
use stepscope_export::tables::{every_row, pack};
use stepscope_model::{Reads, Session};
use stepscope_storage::{
    FileStamps, OpenSessionError, Progress, SessionFiles, open_hosts, session_of, shown,
};

use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::identity;
use crate::roll_up::{Answered, Writer, Written};
use crate::summary::Summary;

/// A packed table above this size is left out: whoever asks for it opens the session.
const MAX_TABLE_BYTES: usize = 512 << 10;

/// Why a session has no roll-up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MakeError {
    #[error(transparent)]
    Open(#[from] OpenSessionError),
    /// Another attempt may read it, so what is there now is not kept.
    #[error("a file could not be read: {0}")]
    Unread(String),
    #[error("a file was written meanwhile: {0}")]
    Changed(String),
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error("a table cannot be stored: {0}")]
    Table(String),
}

impl MakeError {
    /// Whether memory that others use is all it lacks.
    pub(crate) const fn lacks_memory(&self) -> bool {
        matches!(self, Self::Open(error) if error.lacks_memory())
    }
}

/// A roll-up that is in the catalog.
pub(crate) struct Made {
    pub(crate) address: String,
    pub(crate) summary: Summary,
    pub(crate) written: Written,
    /// Whether a copy of the capture had it made before.
    pub(crate) is_known: bool,
}

/// Makes the roll-up of a session, or finds that of a copy.
pub(crate) fn make<P: Progress>(
    catalog: &Catalog,
    files: &SessionFiles,
    progress: impl Fn(usize) -> P,
) -> Result<Made, MakeError> {
    let stamps = FileStamps::of(files);
    let opened = open_hosts(files, Reads::Everything, progress);
    let all_failed =
        opened.inputs.is_empty() && opened.memory.is_empty() && opened.programs.is_empty();
    if let Some((host, error)) = opened.unread.first().filter(|_| !all_failed) {
        return Err(MakeError::Unread(format!("{host}: {error}")));
    }
    let address = identity::address(&opened);
    if let Some((known, written)) = catalog.whole_roll_up(&address) {
        let made = Made {
            address,
            summary: known.summary().clone(),
            written,
            is_known: true,
        };
        unless_changed(files, &stamps)?;
        return Ok(made);
    }
    let first = files.files().next();
    let first = first.map_or_else(String::new, |file| shown(&file.display_path()));
    let session = session_of(&files.name, &first, opened)?.session;
    let (bytes, summary) = rolled_up(&session, &address)?;
    if let Some(why) = session.changed() {
        return Err(MakeError::Changed(why));
    }
    unless_changed(files, &stamps)?;
    let written = catalog.write(&address, bytes)?;
    Ok(Made {
        address,
        summary,
        written,
        is_known: false,
    })
}

fn unless_changed(files: &SessionFiles, stamps: &FileStamps) -> Result<(), MakeError> {
    if stamps.are_outdated() {
        return Err(MakeError::Changed(files.name.clone()));
    }
    Ok(())
}

/// The bytes of a session's roll-up, and its summary.
fn rolled_up(session: &Session, address: &str) -> Result<(Vec<u8>, Summary), MakeError> {
    let mut writer = Writer::new(Vec::new()).map_err(CatalogError::from)?;
    for entry in ANALYSES {
        let answered = answered(session, entry, &mut writer)?;
        writer.answer(answered);
    }
    let one = Compared {
        name: &session.name,
        session,
    };
    for comparison in COMPARISONS {
        // What cannot be measured, the comparison says when it opens the session.
        if let Some(Ok(measured)) = comparison.measured(one) {
            writer.measured(comparison.name, measured);
        }
    }
    let summary = Summary::of(session);
    let bytes = writer
        .finish(address, &summary)
        .map_err(CatalogError::from)?;
    Ok((bytes, summary))
}

fn answered(
    session: &Session,
    entry: &Entry,
    writer: &mut Writer<Vec<u8>>,
) -> Result<Answered, MakeError> {
    let mut answered = Answered {
        analysis: entry.name.to_owned(),
        error: String::new(),
        notes: Vec::new(),
        tables: Vec::new(),
        left_out: Vec::new(),
    };
    let answer = match entry.run_pairs(session, every_row(entry, &[])) {
        Ok(answer) => answer,
        Err(AnalysisError::Changed(why)) => return Err(MakeError::Changed(why)),
        Err(error) => {
            answered.error = error.to_string();
            return Ok(answered);
        }
    };
    answered.notes = answer
        .notes()
        .iter()
        .map(|note| note.text.clone())
        .collect();
    for table in answer.tables() {
        let Table { key, rows, .. } = &table;
        if rows.is_empty() {
            continue;
        }
        let packed = pack(&table).map_err(|error| MakeError::Table(format!("{key}: {error}")))?;
        if packed.len() > MAX_TABLE_BYTES {
            answered.left_out.push((*key).to_owned());
            continue;
        }
        let stored = writer.table(key, rows.len(), &packed);
        answered.tables.push(stored.map_err(CatalogError::from)?);
    }
    Ok(answered)
}
