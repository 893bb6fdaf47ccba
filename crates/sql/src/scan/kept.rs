//! Which hosts of a session filters keep, by the names of its files.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, StringViewArray};
use arrow_schema::ArrowError;
use stepscope_export::arrow::TextType;
use stepscope_storage::SessionFiles;

use crate::asking::Ask;
use crate::tables::SqlTable;

/// The column with the name of a host. An empty name and none are those of rows that are of no host.
const HOST: &str = "host";

/// What filters on hosts keep of a session.
pub(super) enum Kept {
    /// None of its rows.
    Nothing,
    /// Rows of these hosts, which are the same if only these are decoded.
    Hosts(Vec<String>),
    /// All that is read of it, as far as is known.
    All,
}

/// What filters on hosts keep of a session.
pub(super) fn kept(table: &SqlTable, ask: &Ask, files: &SessionFiles) -> Result<Kept, ArrowError> {
    let Some(KeptFiles { own, of_no_host }) = kept_files(table, ask, files)? else {
        return Ok(Kept::All);
    };
    if !of_no_host && !own.contains(&true) {
        return Ok(Kept::Nothing);
    }
    let hosts = files.hosts.iter().zip(own);
    let hosts = hosts.filter(|&(_, is_kept)| is_kept);
    let hosts: Vec<String> = hosts.map(|(file, _)| file.host.clone()).collect();
    if hosts.len() == files.hosts.len() || !ask.needs_only(table.rows.of_hosts()) {
        return Ok(Kept::All);
    }
    Ok(Kept::Hosts(hosts))
}

/// Which files of hosts filters keep.
pub(super) struct KeptFiles {
    /// In their order.
    pub(super) own: Vec<bool>,
    /// Whether rows are kept that are of no host.
    pub(super) of_no_host: bool,
}

/// Which files of hosts filters keep; `None` if they say nothing about hosts, or files do not tell
/// whose they are.
pub(super) fn kept_files(
    table: &SqlTable,
    ask: &Ask,
    files: &SessionFiles,
) -> Result<Option<KeptFiles>, ArrowError> {
    let has_hosts = table.columns.iter().any(|one| one.column.key == HOST);
    let names = files.host_names().filter(|names| !names.is_empty());
    let Some(names) = names.filter(|_| has_hosts) else {
        return Ok(None);
    };
    let kept = ask.kept(&[HOST], |_| {
        // The last two rows are those of rows that are of no host.
        let texts = names.iter().copied().map(Some).chain([Some(""), None]);
        let values: ArrayRef = match table.text {
            TextType::Plain => Arc::new(texts.collect::<StringArray>()),
            TextType::View => Arc::new(texts.collect::<StringViewArray>()),
        };
        RecordBatch::try_from_iter([(HOST, values)])
    })?;
    Ok(kept.map(|mut own| {
        let of_no_host = own.split_off(names.len()).contains(&true);
        KeptFiles { own, of_no_host }
    }))
}
