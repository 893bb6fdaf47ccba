//! Tables: what every report looks like as rows, before anybody decides how to print it.

pub use crate::telling::column::{Adds, Better, Column, Declared, DeclaredColumn, Field, Unit};

/// A table of a report.
#[derive(Debug, Clone)]
pub struct Table {
    /// Key within the report (the JSON field the rows stand in), such as `rows`.
    pub key: &'static str,
    /// Title in words.
    pub title: String,
    /// Columns, in order. CSV uses the keys, the terminal the headers.
    pub columns: Vec<Column>,
    /// Cells, one row after another; each row has as many cells as there are columns.
    pub rows: Vec<Vec<Cell>>,
    /// Rows before the limit.
    pub row_count: usize,
}

/// A value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Text.
    Text(String),
    /// A whole number, in the column's unit.
    Int(i64),
    /// A number, in the column's unit.
    Float(f64),
    /// Yes or no.
    Flag(bool),
    /// Not known.
    Missing,
}

impl Table {
    /// A table of all its rows.
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

    /// A table of all its rows, as its columns are declared.
    pub fn of<'a, R: 'a>(
        key: &'static str,
        title: &str,
        fields: &[Field<R>],
        rows: impl IntoIterator<Item = &'a R>,
    ) -> Self {
        Self::within(key, title, fields, rows.into_iter().map(|row| (row, &())))
    }

    /// The same of rows with what they stand in.
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

    /// The table without some of its columns, by key.
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

    /// The table, its rows being the first of so many.
    #[must_use]
    pub fn with_row_count(self, row_count: usize) -> Self {
        Self { row_count, ..self }
    }
}

/// A cell that borrows its text: rows by the million are written from these.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellRef<'a> {
    /// Text.
    Text(&'a str),
    /// A whole number, in the column's unit.
    Int(i64),
    /// A number, in the column's unit.
    Float(f64),
    /// Yes or no.
    Flag(bool),
    /// Not known.
    Missing,
}

impl Cell {
    /// The cell, its text borrowed.
    pub fn borrowed(&self) -> CellRef<'_> {
        match self {
            Self::Text(text) => CellRef::Text(text),
            Self::Int(value) => CellRef::Int(*value),
            Self::Float(value) => CellRef::Float(*value),
            Self::Flag(value) => CellRef::Flag(*value),
            Self::Missing => CellRef::Missing,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Int(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        if value.is_finite() {
            Self::Float(value)
        } else {
            Self::Missing
        }
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// A name of a tree, shifted to its level.
pub(crate) fn indented(depth: u32, name: &str) -> String {
    format!("{}{name}", "  ".repeat(depth as usize))
}

/// A table as CSV by RFC 4180: keys in the first line, numbers in base units without grouping,
/// nothing where a value is missing.
pub fn to_csv(table: &Table) -> String {
    let mut csv = String::new();
    push_csv_keys(&mut csv, &table.columns);
    for row in &table.rows {
        push_csv_row(&mut csv, row.iter().map(Cell::borrowed));
    }
    csv
}

/// The first line of CSV: the keys of the columns.
pub fn push_csv_keys(csv: &mut String, columns: &[Column]) {
    push_csv_row(csv, columns.iter().map(|column| CellRef::Text(column.key)));
}

/// One line of CSV.
pub fn push_csv_row<'a>(csv: &mut String, cells: impl Iterator<Item = CellRef<'a>>) {
    for (position, cell) in cells.enumerate() {
        if position > 0 {
            csv.push(',');
        }
        push_csv(csv, cell);
    }
    csv.push_str("\r\n");
}

fn push_csv(csv: &mut String, cell: CellRef<'_>) {
    use std::fmt::Write;
    let written = match cell {
        CellRef::Missing => Ok(()),
        CellRef::Int(value) => write!(csv, "{value}"),
        CellRef::Float(value) => write!(csv, "{value}"),
        CellRef::Flag(value) => write!(csv, "{value}"),
        CellRef::Text(text) if text.contains(['"', ',', '\n', '\r']) => {
            write!(csv, "\"{}\"", text.replace('"', "\"\""))
        }
        CellRef::Text(text) => csv.write_str(text),
    };
    debug_assert!(written.is_ok(), "a String takes everything");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_what_needs_it() {
        let table = Table {
            key: "rows",
            title: String::new(),
            columns: vec![
                Column::new("name", "Name", Unit::Text),
                Column::new("total_ps", "Total", Unit::Picos),
                Column::wide("ratio", "Ratio", Unit::Ratio),
            ],
            rows: vec![
                vec!["fusion(a, \"b\")".into(), 12i64.into(), 0.25.into()],
                vec!["dot\n".into(), Cell::Missing, true.into()],
            ],
            row_count: 2,
        };
        let expected =
            "name,total_ps,ratio\r\n\"fusion(a, \"\"b\"\")\",12,0.25\r\n\"dot\n\",,true\r\n";
        assert_eq!(to_csv(&table), expected);
    }
}
