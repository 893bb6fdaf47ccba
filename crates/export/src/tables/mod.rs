//! A folder of tables: one file per table of every analysis, every slice, and what the files are.
//!
//! Tables of analyses are named after them (`ops`, `steps`); an analysis' other tables carry their key
//! behind it (`overview_devices`). `slices` is walked and written row by row, so that memory does not
//! grow with the session. `tables.json` describes all of it.

mod collect;
mod manifest;
mod write;

use std::io::{self, Write};

use stepscope_model::Session;

use crate::about::About;
use crate::error::ExportError;
use crate::slices::{self, SliceQuery, Slices};
use crate::{Pairs, selection};
pub use manifest::{ColumnEntry, LeftOut, Manifest, TableEntry};

/// Name of the file that says what the others are.
pub const MANIFEST: &str = "tables.json";

/// How tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// RFC 4180: keys in the first line, figures in the units of their keys.
    Csv,
    /// Apache Parquet, compressed with Snappy.
    Parquet,
}

impl Format {
    /// The end of a file's name.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}

/// Writes the bytes of one file.
pub type FileWriter<'a> = dyn FnMut(&mut (dyn Write + Send)) -> io::Result<()> + 'a;

/// Where files go.
pub trait Folder {
    /// Makes a file of what the writer writes.
    ///
    /// # Errors
    ///
    /// The writer's error, or why there is no such file.
    fn file(&mut self, name: &str, write: &mut FileWriter<'_>) -> io::Result<()>;
}

/// Writes every table of the part of a session that options select; `tables.json` comes last.
///
/// # Errors
///
/// An option that is wrong or selects nothing, and errors of the folder. What a session has nothing of
/// is no error: it stands in the manifest.
pub fn write_tables(
    session: &Session,
    about: &About,
    options: &Pairs,
    format: Format,
    folder: &mut dyn Folder,
) -> Result<Manifest, ExportError> {
    let collected = collect::tables(session, options)?;
    let mut manifest = Manifest::new(session, about, options, format);
    manifest.left_out = collected.left_out;
    for named in &collected.tables {
        let file = format!("{}.{}", named.name, format.extension());
        folder.file(&file, &mut |out| write::table(&named.table, format, out))?;
        manifest.tables.push(TableEntry::of(named, file));
    }
    if session.tracks.is_empty() {
        manifest.left_out.push(LeftOut {
            name: slices::NAME.to_owned(),
            reason: "this session has no time axis".to_owned(),
        });
    } else {
        let query = SliceQuery {
            selection: selection(options),
            ..SliceQuery::default()
        };
        let rows = Slices::new(session, &query)?;
        let file = format!("{}.{}", slices::NAME, format.extension());
        let mut count = 0;
        folder.file(&file, &mut |out| {
            count = write::slices(&rows, format, out)?;
            Ok(())
        })?;
        manifest.tables.push(TableEntry::of_slices(file, count));
    }
    let mut text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other)?;
    text.push(b'\n');
    folder.file(MANIFEST, &mut |out| out.write_all(&text))?;
    Ok(manifest)
}
