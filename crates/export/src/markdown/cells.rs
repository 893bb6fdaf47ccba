//! Tables and texts as Markdown: figures with their units, names without markup.

use std::fmt::Write;

use stepscope_analysis::telling::escape::markdown as escaped;
use stepscope_analysis::telling::format as figures;
use stepscope_analysis::{Cell, Column, Table, Unit};

/// Maximum length of a cell's text.
const LONGEST: usize = 80;

/// The selected columns of the first rows; all columns if none are named. Columns without values
/// are left out.
pub(super) fn push_table(page: &mut String, table: &Table, wanted: &[&str], limit: usize) {
    let rows = &table.rows[..table.rows.len().min(limit)];
    let is_blank = |index: usize| {
        rows.iter().all(|row| {
            row.get(index)
                .is_none_or(|cell| cell_text(cell, Unit::Text).is_empty())
        })
    };
    let positions: Vec<usize> = (0..table.columns.len())
        .filter(|&index| {
            let column = &table.columns[index];
            let is_wanted = if wanted.is_empty() {
                column.is_essential
            } else {
                wanted.contains(&column.key)
            };
            is_wanted && !is_blank(index)
        })
        .collect();
    let columns = || positions.iter().map(|&index| &table.columns[index]);
    let headers: Vec<String> = columns().map(|column| escaped(column.header)).collect();
    let _ = writeln!(page, "| {} |", headers.join(" | "));
    let rules: Vec<&str> = columns().map(rule).collect();
    let _ = writeln!(page, "|{}|", rules.join("|"));
    for row in rows {
        let cells = positions.iter().map(|&index| {
            let text = row
                .get(index)
                .map(|cell| cell_text(cell, table.columns[index].unit));
            escaped(&figures::shortened_to(&text.unwrap_or_default(), LONGEST))
        });
        let cells: Vec<String> = cells.collect();
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
    let more = table.row_count.max(table.rows.len()) - rows.len();
    if more > 0 {
        let _ = writeln!(page, "\n{}.", figures::counted(more, "more row"));
    }
}

const fn rule(column: &Column) -> &'static str {
    match column.unit {
        Unit::Text | Unit::Flag => "---",
        _ => "---:",
    }
}

fn cell_text(cell: &Cell, unit: Unit) -> String {
    match cell {
        Cell::Missing | Cell::Flag(false) => String::new(),
        Cell::Text(text) => text.clone(),
        Cell::Flag(true) => "yes".to_owned(),
        Cell::Int(value) => figure(*value as f64, unit).unwrap_or_else(|| value.to_string()),
        Cell::Float(value) => figure(*value, unit).unwrap_or_else(|| format!("{value:.3}")),
    }
}

/// A figure with its unit; `None` if it has none.
fn figure(value: f64, unit: Unit) -> Option<String> {
    match unit {
        Unit::Picos => Some(figures::duration_ps(value)),
        Unit::Bytes => Some(figures::bytes(value)),
        Unit::Ratio => Some(figures::percent(value)),
        Unit::Flops => Some(figures::rate(value, "FLOP")),
        Unit::FlopRate => Some(figures::rate(value, "FLOP/s")),
        Unit::ByteRate => Some(figures::rate(value, "B/s")),
        Unit::Text | Unit::Count | Unit::Flag => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_units_and_names_no_markup() {
        let columns = [
            Column::new("name", "Op", Unit::Text),
            Column::new("self_ps", "Self", Unit::Picos),
            Column::new("note", "Note", Unit::Text),
        ];
        let rows: [Vec<Cell>; 2] = [
            vec!["a|b_*<i>".into(), 2_000_000i64.into(), Cell::Missing],
            vec!["dot".into(), 1i64.into(), Cell::Missing],
        ];
        let table = Table::new("rows", "Ops", &columns, rows);
        let mut page = String::new();
        push_table(&mut page, &table, &[], 1);
        assert_eq!(
            page,
            "| Op | Self |\n|---|---:|\n| a\\|b\\_\\*&lt;i&gt; | 2.000 µs |\n\n1 more row.\n"
        );
    }
}
