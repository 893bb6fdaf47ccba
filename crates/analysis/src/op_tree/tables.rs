//! The `op_tree` report as tables.

use super::report::{OpTreeReport, OpTreeRow, OpTreeWaste};
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::ops::beside;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// A row with the number of its node.
type Sibling = (usize, OpTreeRow);

/// Columns that `--sort` orders siblings by.
pub(super) const SORT_COLUMNS: &[SortColumn<Sibling>] = &[
    ("self_ps", |(_, row)| SortValue::Int(row.self_ps)),
    ("total_ps", |(_, row)| SortValue::Int(row.total_ps)),
    ("occurrences", |(_, row)| SortValue::Int(row.occurrences)),
    ("wasted_ps", |(_, row)| {
        SortValue::Float(row.wasted_ps.map(|wasted| wasted as f64))
    }),
    ("best_ratio", |(_, row)| SortValue::Float(row.best_ratio)),
    ("flops", |(_, row)| SortValue::Float(row.flops)),
    ("bytes", |(_, row)| SortValue::Float(row.bytes)),
    ("flop_rate", |(_, row)| SortValue::Float(row.flop_rate)),
    ("bandwidth", |(_, row)| SortValue::Float(row.bandwidth)),
    ("name", |(_, row)| SortValue::Text(&row.name)),
];

const COLUMNS: &[Column] = &[
    Column::new("name", "Node", Unit::Text),
    Column::new("self_ps", "Self", Unit::Picos),
    Column::new("ratio", "Share", Unit::Ratio),
    Column::new("wasted_ps", "Wasted", Unit::Picos),
    Column::new("best_ratio", "Best use", Unit::Ratio),
    Column::wide("bound_by", "Bound by", Unit::Text),
    Column::wide("occurrences", "Count", Unit::Count),
    Column::wide("flop_rate", "FLOP rate", Unit::FlopRate),
    Column::wide("bandwidth", "Bandwidth", Unit::ByteRate),
    Column::wide("compute_ratio", "Of compute", Unit::Ratio),
    Column::wide("flops", "Work", Unit::Flops).fractional(),
    Column::wide("bytes", "Bytes", Unit::Bytes).fractional(),
    Column::wide("total_ps", "Total", Unit::Picos),
    Column::wide("duplicate_count", "Duplicates", Unit::Count),
    Column::wide("kind", "Kind", Unit::Text),
    Column::wide("category", "Category", Unit::Text),
    Column::wide("depth", "Level", Unit::Count),
    Column::wide("child_count", "Children", Unit::Count),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("path", "Path", Unit::Text),
    Column::wide("cost_source", "Work from", Unit::Text),
];

const WASTE_COLUMNS: &[Column] = &[
    Column::new("name", "Op", Unit::Text),
    Column::new("wasted_ps", "Wasted", Unit::Picos),
    Column::new("ratio", "Share", Unit::Ratio),
    Column::new("self_ps", "Self", Unit::Picos),
    Column::new("best_ratio", "Best use", Unit::Ratio),
    Column::new("bound_by", "Bound by", Unit::Text),
    Column::wide("duplicate_count", "Duplicates", Unit::Count),
    Column::wide("category", "Category", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("program_id", "Program id", Unit::Text),
];

fn cells(row: &OpTreeRow) -> Vec<Cell> {
    let indent = "  ".repeat(row.depth.min(40) as usize);
    let times = match row.duplicate_count {
        0 | 1 => String::new(),
        count => format!(" x{count}"),
    };
    let is_timed = row.kind != "instruction";
    vec![
        format!("{indent}{}{times}", row.name).into(),
        is_timed.then_some(row.self_ps).into(),
        is_timed.then_some(row.ratio).into(),
        row.wasted_ps.into(),
        row.best_ratio.into(),
        row.bound_by.as_str().into(),
        row.occurrences.into(),
        row.flop_rate.into(),
        row.bandwidth.into(),
        row.compute_ratio.into(),
        row.flops.into(),
        row.bytes.into(),
        is_timed.then_some(row.total_ps).into(),
        i64::from(row.duplicate_count).into(),
        row.kind.as_str().into(),
        row.category.as_str().into(),
        i64::from(row.depth).into(),
        i64::from(row.child_count).into(),
        row.source.as_str().into(),
        row.path.as_str().into(),
        row.cost_source.as_str().into(),
    ]
}

fn waste_cells(row: &OpTreeWaste) -> Vec<Cell> {
    vec![
        row.name.as_str().into(),
        row.wasted_ps.into(),
        row.ratio.into(),
        row.self_ps.into(),
        row.best_ratio.into(),
        row.bound_by.as_str().into(),
        i64::from(row.duplicate_count).into(),
        row.category.as_str().into(),
        row.source.as_str().into(),
        row.program_id.as_str().into(),
    ]
}

impl Report for OpTreeReport {
    fn tables(&self) -> Vec<Table> {
        vec![
            Table::new("rows", "Tree of ops", COLUMNS, self.rows.iter().map(cells))
                .with_row_count(self.row_count),
            Table::new(
                "wasted",
                "Wasted most",
                WASTE_COLUMNS,
                self.wasted.iter().map(waste_cells),
            ),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines = vec![(
            "Σ self time".to_owned(),
            format::duration_ps(self.self_ps as f64),
        )];
        if let Some(idle_ps) = self.idle_ps {
            lines.push(("Idle".to_owned(), format::duration_ps(idle_ps as f64)));
        }
        if let Some(wasted_ps) = self.wasted_ps {
            let share = format::percent(wasted_ps as f64 / self.self_ps.max(1) as f64);
            let wasted = format::duration_ps(wasted_ps as f64);
            lines.push((
                "Wasted".to_owned(),
                format!(
                    "{wasted}, {share} of self time{}",
                    beside(self.flops_unknown_ratio)
                ),
            ));
        }
        lines
    }
}
