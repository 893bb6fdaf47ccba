//! What a table is: its name and columns, and how its rows are read from one session.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use stepscope_analysis::telling::DeclaredColumn;
use stepscope_analysis::{Column, Unit};
use stepscope_export::arrow::{TextType, schema_of};
use stepscope_model::{Reads, Session};

use crate::asking::Ask;
use crate::library::{Library, Source};

/// The first column of every table.
pub(crate) const SESSION: Column =
    Column::new("session", "Session", Unit::Text).means("Name of the session.");

/// A session that is open.
pub(crate) struct Opened<'a> {
    pub(crate) library: &'a Library,
    pub(crate) source: &'a Source,
    pub(crate) session: Arc<Session>,
    /// Adds to the number of slices that are read to find the rows.
    pub(crate) count_slices: &'a dyn Fn(usize),
}

/// Receives rows, without the column `session`; false if nobody wants more.
pub(crate) type Receive<'a> = dyn FnMut(RecordBatch) -> bool + 'a;

/// A kind of rows.
pub(crate) trait Rows: Any + Debug + Send + Sync {
    /// Which data of a session it reads.
    fn reads(&self) -> Reads {
        Reads::Everything
    }
    /// Whether several readers can share one session; see [`Ask::share`].
    fn is_divisible(&self) -> bool {
        false
    }
    /// Columns whose filters are applied before rows are made, in groups that are known together.
    fn filtered_early(&self) -> &[&[&str]] {
        &[]
    }
    /// Columns that are the same where only some hosts were decoded, for rows of these hosts; none if
    /// rows are of more than a host.
    fn of_hosts(&self) -> &[&str] {
        &[]
    }
    /// Whether a row is a program: hosts share programs, and the first that has one gives its row.
    fn is_of_programs(&self) -> bool {
        false
    }
    /// Whether rows follow from the HLO in files, so that no slice is decoded.
    fn is_of_hlo(&self) -> bool {
        false
    }
    /// Whether the files of a session tell these columns, so that it need not be opened.
    fn is_of_files(&self, _columns: &[Column]) -> bool {
        false
    }
    /// Passes the rows on that the files tell.
    fn read_files(
        &self,
        _source: &Source,
        _ask: &Ask,
        _send: &mut Receive<'_>,
    ) -> Result<(), ArrowError> {
        Ok(())
    }
    /// Whether rows come from roll-ups, where a catalog has them.
    fn is_of_roll_ups(&self) -> bool {
        false
    }
    /// Passes the rows on that a catalog has, so that the session need not be opened. False if it has
    /// not all of them; then nothing was passed on.
    fn read_indexed(
        &self,
        _library: &Library,
        _source: &Source,
        _ask: &Ask,
        _send: &mut Receive<'_>,
    ) -> Result<bool, ArrowError> {
        Ok(false)
    }
    /// Passes the rows of a session on, with the columns that were asked for.
    fn read(
        &self,
        opened: &Opened<'_>,
        ask: &Ask,
        send: &mut Receive<'_>,
    ) -> Result<(), ArrowError>;
}

/// A table of the catalog.
#[derive(Debug, Clone)]
pub struct SqlTable {
    /// Its name.
    pub name: String,
    /// What a row is.
    pub meaning: String,
    /// Its columns after `session`.
    pub columns: Vec<SqlColumn>,
    /// Options of its analysis, as [`SqlTable::with_options`] got them.
    pub(crate) options: Vec<String>,
    pub(crate) text: TextType,
    pub(crate) rows: Arc<dyn Rows>,
}

/// A column of a table.
#[derive(Debug, Clone)]
pub struct SqlColumn {
    /// The column.
    pub column: Column,
    /// What it means.
    pub meaning: String,
}

impl SqlColumn {
    pub(super) fn of(column: Column) -> Self {
        let meaning = match column.meaning {
            "" => column.header,
            meaning => meaning,
        };
        Self {
            column,
            meaning: meaning.to_owned(),
        }
    }
}

impl From<DeclaredColumn> for SqlColumn {
    fn from(declared: DeclaredColumn) -> Self {
        Self {
            column: declared.column,
            meaning: declared.meaning,
        }
    }
}

impl SqlTable {
    /// All its columns, `session` first.
    pub fn every_column(&self) -> impl Iterator<Item = SqlColumn> {
        std::iter::once(SqlColumn::of(SESSION)).chain(self.columns.iter().cloned())
    }

    /// Its schema, `session` first.
    pub(crate) fn schema(&self) -> SchemaRef {
        let columns: Vec<Column> = self.every_column().map(|column| column.column).collect();
        let schema = schema_of(&self.name, &self.name, &columns, self.text);
        // Titles and keys are for tables that are saved.
        let fields = schema.fields().iter();
        let fields = fields.map(|field| field.as_ref().clone().with_metadata([].into()));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }
}
