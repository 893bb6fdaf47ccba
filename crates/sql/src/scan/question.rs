//! A scan without its sessions, so that another process can ask the same of sessions that it opens.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::Expr;

use super::plan::{Part, Scan};
use crate::asking::Filter;
use crate::library::Library;
use crate::tables::{SqlTable, tables};

/// What a scan asks every session.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Name of the table.
    pub table: String,
    /// Options of its analysis, such as `steps=3..8`.
    pub options: Vec<String>,
    /// Columns, in their order.
    pub columns: Vec<String>,
    /// Conditions that rows meet: all are applied, or may be, before rows are made.
    pub filters: Vec<Expr>,
}

impl Question {
    /// Columns of the rows.
    ///
    /// # Errors
    ///
    /// A table, an option or a column that this version does not have.
    pub fn schema(&self) -> Result<SchemaRef> {
        let table = self.table()?;
        Ok(Arc::new(table.schema().project(&self.positions(&table)?)?))
    }

    /// Asks all sessions of a library, one after another.
    ///
    /// # Errors
    ///
    /// As for [`Question::schema`].
    pub fn scan(&self, library: Arc<Library>) -> Result<Scan> {
        let table = self.table()?;
        let columns = self.positions(&table)?;
        let part = Part {
            sessions: (0..library.sources().len()).collect(),
            ..Part::default()
        };
        let filters = self.filters.iter().map(Filter::of).collect();
        Scan::new(table, library, &columns, filters, vec![part])
    }

    fn table(&self) -> Result<SqlTable> {
        let table = tables().into_iter().find(|table| table.name == self.table);
        let table = table.ok_or_else(|| self.unknown("table", &self.table))?;
        if self.options.is_empty() {
            return Ok(table);
        }
        let table = table.with_options(&self.options);
        table.map_err(DataFusionError::Plan)
    }

    fn positions(&self, table: &SqlTable) -> Result<Vec<usize>> {
        let schema = table.schema();
        let position = |name: &String| {
            let position = schema.index_of(name);
            position.map_err(|_| self.unknown("column", name))
        };
        self.columns.iter().map(position).collect()
    }

    fn unknown(&self, what: &str, name: &str) -> DataFusionError {
        let table = &self.table;
        DataFusionError::Plan(format!(
            "no {what} {name} for a scan of {table}: all programs must be of one release"
        ))
    }
}

impl Scan {
    /// What it asks every session.
    pub fn question(&self) -> Question {
        let names = self.schema.fields().iter();
        let filters = self.ask.filters.iter();
        Question {
            table: self.table.name.clone(),
            options: self.table.options.clone(),
            columns: names.map(|field| field.name().clone()).collect(),
            filters: filters.map(|filter| filter.expression().clone()).collect(),
        }
    }
}
