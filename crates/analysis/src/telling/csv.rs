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
    /// The longest usual number with its separator, and quotes around a text.
    const CELL_BYTES: usize = 40;
    /// The longest number: with hundreds of zeros.
    const EXTREME_BYTES: usize = 360;
    /// A control character, such as `\u{1b}`, becomes six of them; each quote becomes two, and no
    /// other sign becomes more than three times as long.
    const MOST_TIMES: usize = 6;
    let keys = table.columns.iter();
    let keys = keys.map(|column| CELL_BYTES + column.key.len());
    let cells = table.rows.iter().flatten();
    let cells = cells.map(|cell| match cell {
        Cell::Text(text) => CELL_BYTES + MOST_TIMES * text.len(),
        Cell::Float(value) if *value != 0.0 && !(1e-15..1e21).contains(&value.abs()) => {
            EXTREME_BYTES
        }
        _ => CELL_BYTES,
    });
    let ends = 2 * (table.rows.len() as u64 + 1);
    ends + keys.chain(cells).map(|bytes| bytes as u64).sum::<u64>()
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
    fn no_text_is_longer_than_was_reserved_for_it() {
        for letter in [
            'a',
            '"',
            ',',
            '\r',
            '\n',
            '=',
            '\u{1}',
            '\u{1b}',
            '\u{7f}',
            '\u{80}',
            '\u{9f}',
            '\u{61c}',
            '\u{200b}',
            '\u{202e}',
            '\u{feff}',
            '\u{ffff}',
            '\u{1f600}',
        ] {
            let texts = [
                letter.to_string().repeat(1000),
                format!("={letter},\"").repeat(250),
            ];
            for text in texts {
                let table = Table {
                    key: "rows",
                    title: String::new(),
                    columns: vec![Column::new("name", "Name", Unit::Text)],
                    rows: vec![vec![text.as_str().into()], Vec::new(), vec![0.1.into()]],
                    row_count: 3,
                };
                let (length, most) = (to_csv(&table).len() as u64, most_csv_bytes(&table));
                assert!(length <= most, "{letter:?}: {length} of {most}");
            }
        }
    }

    #[test]
    fn the_longest_number_fits() {
        for number in [f64::MAX, f64::MIN, f64::MIN_POSITIVE, -1.0 / 3.0, f64::NAN] {
            let table = Table {
                key: "rows",
                title: String::new(),
                columns: vec![Column::new("a", "A", Unit::Count)],
                rows: vec![vec![number.into()]; 8],
                row_count: 8,
            };
            let (length, most) = (to_csv(&table).len() as u64, most_csv_bytes(&table));
            assert!(length <= most, "{number}: {length} of {most}");
        }
    }

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
