//! A folder of tables: one file per table of every analysis, every slice, and a description of the
//! files.
//!
//! Tables of analyses are named after them (`ops`, `steps`); an analysis's other tables have their
//! key appended (`overview_devices`). `slices` is written row by row, so that memory use does not
//! grow with the session. `tables.json` describes everything.

mod collect;
mod format;
mod manifest;
mod named;
mod write;

#[cfg(not(feature = "parquet"))]
mod left_out;
#[cfg(feature = "parquet")]
mod packed;
#[cfg(feature = "parquet")]
mod parquet_file;
#[cfg(not(feature = "parquet"))]
use left_out as parquet_file;

use std::io::{self, Write};
use std::sync::Arc;

use stepscope_analysis::AnalysisError;
use stepscope_model::Session;

use crate::about::About;
use crate::error::ExportError;
use crate::slices::{self, SliceQuery, Slices};
use crate::{Pairs, selection};
pub use collect::{every_row, table_name};
pub use format::Format;
#[cfg(not(feature = "parquet"))]
pub use left_out::{pack, unpack};
pub use manifest::{ColumnEntry, LeftOut, Manifest, TableEntry};
#[cfg(feature = "parquet")]
pub use packed::{pack, unpack};

/// Name of the file that describes the others.
pub const MANIFEST: &str = "tables.json";

/// Writes the bytes of one file.
pub type FileWriter<'a> = dyn FnMut(&mut (dyn Write + Send)) -> io::Result<()> + 'a;

/// The destination of files.
pub trait Folder {
    /// Creates a file with the writer's output.
    ///
    /// # Errors
    ///
    /// The writer's error, or why the file cannot be created.
    fn file(&mut self, name: &str, write: &mut FileWriter<'_>) -> io::Result<()>;
}

/// Writes every table of the part of a session selected by options; `tables.json` comes last.
///
/// # Errors
///
/// An option that is wrong or selects nothing, and errors of the folder. Tables without data are
/// not an error: they are listed in the manifest.
pub fn write_tables(
    session: &Session,
    about: &About,
    options: &Pairs,
    format: Format,
    folder: &mut dyn Folder,
) -> Result<Manifest, ExportError> {
    if format == Format::Parquet && !cfg!(feature = "parquet") {
        return Err(ExportError::NoParquet);
    }
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
        let rows = Arc::new(Slices::new(session, &query)?);
        let file = format!("{}.{}", slices::NAME, format.extension());
        let mut count = 0;
        folder.file(&file, &mut |out| {
            count = write::slices(&rows, format, out)?;
            Ok(())
        })?;
        manifest.tables.push(TableEntry::of_slices(file, count));
    }
    AnalysisError::if_changed(session)?;
    let mut text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other)?;
    text.push(b'\n');
    folder.file(MANIFEST, &mut |out| out.write_all(&text))?;
    Ok(manifest)
}
