//! Columns as axes of plots: figures in one unit, which the title names.

use stepscope_analysis::telling::Better;
use stepscope_analysis::{Cell, Column, Table, Unit};

use crate::format::{Charset, Scale};

/// What a column is in a plot.
pub const fn role(column: &Column) -> &'static str {
    match (column.unit, column.better) {
        (Unit::Text, _) => "text",
        (Unit::Flag, _) => "flag",
        (_, Better::Incomparable) => "position",
        _ => "figure",
    }
}

/// A column of figures, in the unit that suits them.
pub struct Axis {
    /// The title with the unit.
    pub title: String,
    /// One value per row; unknown ones are absent.
    pub values: Vec<Option<f64>>,
}

/// The first rows of columns as axes that share a unit, if all of them measure the same; otherwise
/// each in its own.
pub fn axes(table: &Table, keys: &[String], rows: usize) -> Option<Vec<Axis>> {
    let position = |key: &String| table.columns.iter().position(|column| column.key == key);
    let positions: Vec<usize> = keys.iter().map(position).collect::<Option<_>>()?;
    let values: Vec<Vec<Option<f64>>> = positions
        .iter()
        .map(|&position| {
            let rows = table.rows.iter().take(rows);
            rows.map(|row| row.get(position).and_then(number)).collect()
        })
        .collect();
    let unit = |position: usize| table.columns[position].unit;
    let is_shared = positions
        .windows(2)
        .all(|pair| unit(pair[0]) == unit(pair[1]));
    let axes = positions.iter().zip(&values).map(|(&position, own)| {
        let known: Vec<f64> = if is_shared {
            values.iter().flatten().flatten().copied().collect()
        } else {
            own.iter().flatten().copied().collect()
        };
        let scale = Scale::of(unit(position), known.into_iter(), Charset::Unicode);
        let header = table.columns[position].header;
        Axis {
            title: match scale.unit.as_str() {
                "" => header.to_owned(),
                unit => format!("{header} ({unit})"),
            },
            values: own
                .iter()
                .map(|value| value.map(|value| scale.of_unit(value)))
                .collect(),
        }
    });
    Some(axes.collect())
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Int(value) => Some(*value as f64),
        Cell::Float(value) => Some(*value),
        Cell::Text(_) | Cell::Flag(_) | Cell::Missing => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = [
            Column::new("name", "Op", Unit::Text),
            Column::new("self_ps", "Self", Unit::Picos),
            Column::new("idle_ps", "Idle", Unit::Picos),
            Column::new("bytes", "Bytes", Unit::Bytes),
        ];
        let rows: [Vec<Cell>; 2] = [
            vec![
                "a".into(),
                2_000_000_000i64.into(),
                500_000i64.into(),
                1024i64.into(),
            ],
            vec![
                "b".into(),
                4_000_000_000i64.into(),
                Cell::Missing,
                3072i64.into(),
            ],
        ];
        Table::new("rows", "Ops", &columns, rows)
    }

    fn of(keys: &[&str]) -> Vec<(String, Vec<Option<f64>>)> {
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        let axes = axes(&table(), &keys, 10).unwrap();
        axes.into_iter()
            .map(|axis| (axis.title, axis.values))
            .collect()
    }

    #[test]
    fn axes_of_the_same_kind_share_their_unit() {
        let both = of(&["self_ps", "idle_ps"]);
        assert_eq!(
            both[0],
            ("Self (ms)".to_owned(), vec![Some(2.0), Some(4.0)])
        );
        assert_eq!(both[1], ("Idle (ms)".to_owned(), vec![Some(0.0005), None]));
        assert_eq!(of(&["idle_ps"])[0].0, "Idle (ns)");
        let mixed = of(&["self_ps", "bytes"]);
        assert_eq!(
            mixed[1],
            ("Bytes (KiB)".to_owned(), vec![Some(1.0), Some(3.0)])
        );
    }

    #[test]
    fn an_unknown_column_has_no_axis() {
        assert!(axes(&table(), &["nothing".to_owned()], 10).is_none());
    }
}
