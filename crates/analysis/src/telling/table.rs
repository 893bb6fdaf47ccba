//! Tables: reports as rows.

use super::cell::Cell;
use super::column::{Column, Field};

/// A table of a report.
#[derive(Debug, Clone)]
pub struct Table {
    /// Key within the report (the JSON field with the rows), such as `rows`.
    pub key: &'static str,
    /// Title in words.
    pub title: String,
    /// Columns, in order. CSV uses the keys, the terminal the headers.
    pub columns: Vec<Column>,
    /// Cells, one row after another; each row has as many cells as there are columns.
    pub rows: Vec<Vec<Cell>>,
    /// Number of rows before the limit was applied.
    pub row_count: usize,
}

impl Table {
    /// A table without a row limit.
    pub fn new(
        key: &'static str,
        title: &str,
        columns: &[Column],
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Self {
        let rows: Vec<Vec<Cell>> = rows.into_iter().collect();
        Self {
            key,
            title: title.to_owned(),
            columns: columns.to_vec(),
            row_count: rows.len(),
            rows,
        }
    }

    /// A table from declared columns, without a row limit.
    pub fn of<'a, R: 'a>(
        key: &'static str,
        title: &str,
        fields: &[Field<R>],
        rows: impl IntoIterator<Item = &'a R>,
    ) -> Self {
        Self::within(key, title, fields, rows.into_iter().map(|row| (row, &())))
    }

    /// Like [`Self::of`], for rows with their context.
    pub fn within<'a, R: 'a, C: ?Sized + 'a>(
        key: &'static str,
        title: &str,
        fields: &[Field<R, C>],
        rows: impl IntoIterator<Item = (&'a R, &'a C)>,
    ) -> Self {
        let rows = rows.into_iter().map(|(row, within)| {
            let cells = fields.iter().map(|field| field.cell(row, within));
            cells.collect()
        });
        let columns: Vec<Column> = fields.iter().map(|field| field.column).collect();
        Self::new(key, title, &columns, rows)
    }

    /// The table without the columns that have these keys.
    #[must_use]
    pub(crate) fn without(self, keys: &[&str]) -> Self {
        let kept: Vec<bool> = self
            .columns
            .iter()
            .map(|column| !keys.contains(&column.key))
            .collect();
        let rows = self.rows.into_iter().map(|row| {
            let cells = row.into_iter().zip(&kept);
            cells
                .filter(|(_, kept)| **kept)
                .map(|(cell, _)| cell)
                .collect()
        });
        Self {
            columns: self
                .columns
                .iter()
                .zip(&kept)
                .filter(|(_, kept)| **kept)
                .map(|(column, _)| *column)
                .collect(),
            rows: rows.collect(),
            ..self
        }
    }

    /// The table, with its rows being the first of `row_count`.
    #[must_use]
    pub fn with_row_count(self, row_count: usize) -> Self {
        Self { row_count, ..self }
    }
}
