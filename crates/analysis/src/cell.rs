//! Tables: what every report looks like as rows, before anybody decides how to print it.

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

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// The JSON key, with its unit suffix.
    pub key: &'static str,
    /// Header in words, without unit.
    pub header: &'static str,
    /// Unit of the numbers.
    pub unit: Unit,
    /// Shown in the terminal even when it is narrow; other columns go first.
    pub is_essential: bool,
    /// Its figures have fractions although their unit is counted in wholes, such as a mean of
    /// picoseconds. Says which type the column has in formats that have types.
    pub is_fractional: bool,
}

/// What the numbers of a column measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Text.
    Text,
    /// A plain count or identity.
    Count,
    /// Picoseconds.
    Picos,
    /// Bytes.
    Bytes,
    /// 0..1.
    Ratio,
    /// Floating point operations.
    Flops,
    /// Floating point operations per second.
    FlopRate,
    /// Bytes per second.
    ByteRate,
    /// Yes or no.
    Flag,
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

    /// The table, its rows being the first of so many.
    #[must_use]
    pub fn with_row_count(self, row_count: usize) -> Self {
        Self { row_count, ..self }
    }
}

impl Column {
    /// An essential column.
    pub const fn new(key: &'static str, header: &'static str, unit: Unit) -> Self {
        Self {
            key,
            header,
            unit,
            is_essential: true,
            is_fractional: matches!(unit, Unit::Ratio | Unit::FlopRate | Unit::ByteRate),
        }
    }

    /// A column that yields to narrow terminals.
    pub const fn wide(key: &'static str, header: &'static str, unit: Unit) -> Self {
        Self {
            is_essential: false,
            ..Self::new(key, header, unit)
        }
    }

    /// The column, its figures having fractions.
    #[must_use]
    pub const fn fractional(self) -> Self {
        Self {
            is_fractional: true,
            ..self
        }
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
