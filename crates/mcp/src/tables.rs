//! Tables of reports as rows of an answer: the columns that say something, figures as numbers in JSON
//! and with their unit in text.

use serde_json::{Number, Value};
use stepscope_analysis::telling::format::{bytes, duration_ps, percent, rate};
use stepscope_analysis::{Cell, Column, Table, Unit};

use crate::page::{Block, TablePart, Whole, plain};

/// Longest cell.
const LONGEST: usize = 120;
/// Most bytes of the texts of a row; longer ones are shortened further.
const ROW_BYTES: usize = 900;
/// Most bytes of the names of columns that are left out.
const NAMED: usize = 40;

/// Which columns are shown.
#[derive(Debug, Clone, Default)]
pub(crate) enum Columns {
    /// Those that narrow terminals show, if they say something.
    #[default]
    Essential,
    /// All.
    All,
    /// These.
    Named(Vec<String>),
}

/// Adds the first rows of a table; all of them without a limit.
///
/// # Errors
///
/// A named column does not exist.
pub(crate) fn push(
    whole: &mut Whole,
    table: &Table,
    columns: &Columns,
    limit: Option<usize>,
) -> Result<(), String> {
    let shown = chosen(table, columns)?;
    let position = whole.tables.len();
    let of = |index: &usize| &table.columns[*index];
    let left_out = (0..table.columns.len()).filter(|index| !shown.contains(index));
    let left_out: Vec<&str> = left_out.map(|index| table.columns[index].key).collect();
    let mut more_columns: Vec<String> = left_out
        .iter()
        .take(NAMED)
        .map(|key| (*key).to_owned())
        .collect();
    if matches!(columns, Columns::Named(_)) {
        more_columns.clear();
    }
    whole.tables.push(TablePart {
        key: table.key.to_owned(),
        title: plain(&table.title, LONGEST),
        columns: shown.iter().map(|index| of(index).key.to_owned()).collect(),
        headers: shown
            .iter()
            .map(|index| of(index).header.to_owned())
            .collect(),
        rows: Vec::new(),
        row_count: table.row_count.max(table.rows.len()),
        more_columns,
    });
    for row in table.rows.iter().take(limit.unwrap_or(usize::MAX)) {
        let cells: Vec<(&Column, &Cell)> = shown
            .iter()
            .map(|index| (of(index), &row[*index]))
            .collect();
        whole.blocks.push(row_block(position, &cells));
    }
    Ok(())
}

/// A table with the addresses of the slices that its rows name, for `explain`. `rows` is the table as
/// JSON, where a slice is an object.
pub(crate) fn with_slices(mut table: Table, rows: &Value) -> Table {
    let Some(rows) = rows
        .as_array()
        .filter(|rows| rows.len() == table.rows.len())
    else {
        return table;
    };
    let addresses: Vec<Option<String>> = rows.iter().map(|row| address(&row["slice"])).collect();
    if addresses.iter().all(Option::is_none) || table.columns.iter().any(|one| one.key == "slice") {
        return table;
    }
    table.columns.push(SLICE);
    for (cells, address) in table.rows.iter_mut().zip(addresses) {
        cells.push(address.into());
    }
    table
}

const SLICE: Column = Column::new("slice", "Slice", Unit::Text);

fn address(slice: &Value) -> Option<String> {
    let number = |key: &str| slice[key].as_u64();
    let (track, lane) = (number("track")?, number("lane")?);
    Some(format!("{track}/{lane}/{}", number("index")?))
}

fn row_block(position: usize, cells: &[(&Column, &Cell)]) -> Block {
    let mut longest = LONGEST;
    loop {
        let values: Vec<Value> = cells.iter().map(|(_, cell)| value(cell, longest)).collect();
        let texts: Vec<String> = cells
            .iter()
            .map(|(column, cell)| text(column.unit, cell, longest).replace('|', "¦"))
            .collect();
        let size: usize = texts.iter().map(|text| text.len() + 3).sum();
        if size <= ROW_BYTES || longest < 12 {
            return Block::Row(position, values, texts);
        }
        longest /= 2;
    }
}

/// Positions of the shown columns.
fn chosen(table: &Table, columns: &Columns) -> Result<Vec<usize>, String> {
    let all = 0..table.columns.len();
    match columns {
        Columns::All => Ok(all.collect()),
        Columns::Named(names) => {
            let found = names.iter().map(|name| {
                let mut keys = table.columns.iter();
                let position = keys.position(|column| column.key == name);
                position.ok_or_else(|| {
                    let keys: Vec<&str> = table.columns.iter().map(|one| one.key).collect();
                    format!(
                        "unknown column {name:?} of {}; it has {}",
                        table.key,
                        keys.join(", ")
                    )
                })
            });
            found.collect()
        }
        Columns::Essential => {
            let says = |index: &usize| {
                let mut cells = table.rows.iter().map(|row| &row[*index]);
                let says = |cell: &Cell| !matches!(cell, Cell::Missing | Cell::Text(_));
                cells.any(|cell| says(cell) || matches!(cell, Cell::Text(text) if !text.is_empty()))
            };
            let essential = |index: &usize| table.columns[*index].is_essential;
            let shown: Vec<usize> = all.clone().filter(|i| essential(i) && says(i)).collect();
            Ok(if shown.is_empty() {
                all.collect()
            } else {
                shown
            })
        }
    }
}

/// One row as names and values, without what is unknown.
pub(crate) fn push_facts(whole: &mut Whole, columns: &[Column], row: &[Cell]) {
    for (column, cell) in columns.iter().zip(row) {
        let is_empty = match cell {
            Cell::Missing => true,
            Cell::Text(text) => text.is_empty(),
            _ => false,
        };
        if !is_empty {
            let shown = text(column.unit, cell, 600);
            whole.fact(column.key, value(cell, 600), &shown);
        }
    }
}

/// A cell as JSON. Figures have six digits: more than a recording is exact.
pub(crate) fn value(cell: &Cell, longest: usize) -> Value {
    match cell {
        Cell::Text(text) => Value::from(plain(text, longest)),
        Cell::Int(value) => Value::from(*value),
        Cell::Float(value) => rounded(*value),
        Cell::Flag(value) => Value::from(*value),
        Cell::Missing => Value::Null,
    }
}

/// A number with six digits.
pub(crate) fn rounded(value: f64) -> Value {
    let text = format!("{value:.5e}");
    let short: f64 = text.parse().unwrap_or(value);
    if short.fract() == 0.0 && short.abs() < 9e15 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is whole and small enough"
        )]
        let whole = short as i64;
        return Value::from(whole);
    }
    Number::from_f64(short).map_or(Value::Null, Value::Number)
}

/// A cell for people.
fn text(unit: Unit, cell: &Cell, longest: usize) -> String {
    let number = match cell {
        Cell::Text(text) => return plain(text, longest),
        Cell::Flag(true) => return "yes".to_owned(),
        Cell::Flag(false) => return "no".to_owned(),
        Cell::Missing => return "-".to_owned(),
        // An id is exact.
        Cell::Int(value) if unit == Unit::Count => return value.to_string(),
        Cell::Int(value) => *value as f64,
        Cell::Float(value) => *value,
    };
    match unit {
        Unit::Picos => duration_ps(number),
        Unit::Bytes => bytes(number),
        Unit::Ratio => percent(number),
        Unit::Flops => rate(number, "FLOP"),
        Unit::FlopRate => rate(number, "FLOP/s"),
        Unit::ByteRate => rate(number, "B/s"),
        Unit::Text | Unit::Count | Unit::Flag => rounded(number).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_six_digits() {
        assert_eq!(rounded(0.123_456_789).to_string(), "0.123457");
        assert_eq!(rounded(1_234_567_890.0).to_string(), "1234570000");
        assert_eq!(rounded(3.0).to_string(), "3");
        assert_eq!(rounded(f64::NAN), Value::Null);
    }
}
