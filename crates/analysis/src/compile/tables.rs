//! The `compile` report as tables.

use super::report::{CompilationRow, CompileReport};
use crate::cell::{Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<CompilationRow>] = &[
    ("duration_ps", |row| SortValue::Int(row.duration_ps)),
    ("start_ps", |row| SortValue::Int(row.start_ps)),
    ("trace_ps", |row| SortValue::Int(row.trace_ps)),
    ("lower_ps", |row| SortValue::Int(row.lower_ps)),
    ("optimise_ps", |row| SortValue::Int(row.optimise_ps)),
    ("generate_ps", |row| SortValue::Int(row.generate_ps)),
    ("autotune_ps", |row| SortValue::Int(row.autotune_ps)),
    ("backend_ps", |row| SortValue::Int(row.backend_ps)),
    ("cache_ps", |row| SortValue::Int(row.cache_ps)),
    ("other_ps", |row| SortValue::Int(row.other_ps)),
    ("step", |row| {
        SortValue::Float(row.step.map(|step| step as f64))
    }),
    ("function", |row| SortValue::Text(&row.function)),
    ("host", |row| SortValue::Text(&row.host)),
    ("program", |row| SortValue::Text(&row.program)),
];

const ROWS: &[Column] = &[
    Column::new("function", "Function", Unit::Text),
    Column::new("duration_ps", "Duration", Unit::Picos),
    Column::new("trace_ps", "Trace", Unit::Picos),
    Column::new("lower_ps", "Lower", Unit::Picos),
    Column::new("optimise_ps", "HLO", Unit::Picos),
    Column::new("generate_ps", "Code", Unit::Picos),
    Column::wide("autotune_ps", "Autotune", Unit::Picos),
    Column::wide("backend_ps", "Backend", Unit::Picos),
    Column::wide("cache_ps", "Cache", Unit::Picos),
    Column::wide("other_ps", "Other", Unit::Picos),
    Column::new("cache", "Hit", Unit::Text),
    Column::new("step", "Step", Unit::Count),
    Column::wide("start_ps", "Start", Unit::Picos),
    Column::wide("host", "Host", Unit::Text),
    Column::wide("thread", "Thread", Unit::Text),
    Column::wide("program", "Program", Unit::Text),
    Column::new("is_again", "Again", Unit::Flag),
    Column::wide("change", "What changed", Unit::Text),
];

const FUNCTIONS: &[Column] = &[
    Column::new("function", "Function", Unit::Text),
    Column::new("count", "Compiled", Unit::Count),
    Column::new("again_count", "Again", Unit::Count),
    Column::new("hit_count", "From cache", Unit::Count),
    Column::new("total_ps", "Total", Unit::Picos),
    Column::new("longest_ps", "Longest", Unit::Picos),
    Column::new("changes", "What changed", Unit::Text),
];

const PASSES: &[Column] = &[
    Column::new("name", "Pass", Unit::Text),
    Column::wide("phase", "Phase", Unit::Text),
    Column::new("count", "Runs", Unit::Count),
    Column::new("self_ps", "Self", Unit::Picos),
    Column::new("total_ps", "Total", Unit::Picos),
];

/// A function, or that its call was not recorded.
fn named(function: &str) -> &str {
    if function.is_empty() {
        "(no name)"
    } else {
        function
    }
}

impl Report for CompileReport {
    fn tables(&self) -> Vec<Table> {
        let rows = self.rows.iter().map(|row| {
            vec![
                named(&row.function).into(),
                row.duration_ps.into(),
                row.trace_ps.into(),
                row.lower_ps.into(),
                row.optimise_ps.into(),
                row.generate_ps.into(),
                row.autotune_ps.into(),
                row.backend_ps.into(),
                row.cache_ps.into(),
                row.other_ps.into(),
                row.cache.as_str().into(),
                row.step.into(),
                row.start_ps.into(),
                row.host.as_str().into(),
                row.thread.as_str().into(),
                row.program.as_str().into(),
                row.is_again.into(),
                row.change.as_str().into(),
            ]
        });
        let functions = self.functions.iter().map(|row| {
            vec![
                named(&row.function).into(),
                row.count.into(),
                row.again_count.into(),
                row.hit_count.into(),
                row.total_ps.into(),
                row.longest_ps.into(),
                row.changes.join("; ").into(),
            ]
        });
        let passes = self.passes.iter().map(|row| {
            vec![
                row.name.as_str().into(),
                row.phase.as_str().into(),
                row.count.into(),
                row.self_ps.into(),
                row.total_ps.into(),
            ]
        });
        vec![
            Table::new("rows", "Compilations", ROWS, rows).with_row_count(self.row_count),
            Table::new("functions", "Functions", FUNCTIONS, functions),
            Table::new("passes", "Passes", PASSES, passes),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let Some(total_ps) = self.total_ps.filter(|&total| total > 0) else {
            return Vec::new();
        };
        let again: usize = self.functions.iter().map(|row| row.again_count).sum();
        let words = match again {
            0 => "none of them again".to_owned(),
            again => format!("{again} of them again"),
        };
        vec![
            (
                "Compilation".to_owned(),
                format!(
                    "{} ({}: {})",
                    format::duration_ps(total_ps as f64),
                    self.verdict.name(),
                    self.threshold
                ),
            ),
            (
                "Compiled".to_owned(),
                format!("{}, {words}", format::counted(self.row_count, "time")),
            ),
        ]
    }
}
