//! Tables as CSV.

use super::cell::{Cell, CellRef};
use super::column::Column;
use super::escape;
use super::table::Table;

/// A table as CSV (RFC 4180): keys in the first line, numbers in base units without digit grouping,
/// missing values empty. Texts that a spreadsheet would take for formulas start with an
/// apostrophe.
pub fn to_csv(table: &Table) -> String {
    let mut csv = String::new();
    push_csv_keys(&mut csv, &table.columns);
    for row in &table.rows {
        push_csv_row(&mut csv, row.iter().map(Cell::borrowed));
    }
    csv
}

/// The bytes that [`to_csv`] makes of a table at most.
pub fn most_csv_bytes(table: &Table) -> u64 {
    /// The longest number with its separator, and quotes around a text.
    const CELL_BYTES: usize = 32;
    let cells = table.rows.iter().flatten();
    let bytes = cells.map(|cell| match cell {
        // Each quote is doubled.
        Cell::Text(text) => CELL_BYTES + 2 * text.len(),
        _ => CELL_BYTES,
    });
    bytes.map(|bytes| bytes as u64).sum()
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

pub(super) fn push_csv(csv: &mut String, cell: CellRef<'_>) {
    use std::fmt::Write;
    let written = match cell {
        CellRef::Missing => Ok(()),
        CellRef::Int(value) => write!(csv, "{value}"),
        CellRef::Float(value) => write!(csv, "{value}"),
        CellRef::Flag(value) => write!(csv, "{value}"),
        CellRef::Text(text) => {
            let text = escape::cell(text);
            if text.contains(['"', ',', '\n', '\r']) {
                write!(csv, "\"{}\"", text.replace('"', "\"\""))
            } else {
                csv.write_str(&text)
            }
        }
    };
    debug_assert!(written.is_ok(), "writing to a String never fails");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telling::Unit;

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
