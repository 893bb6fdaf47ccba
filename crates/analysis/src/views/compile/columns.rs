//! Columns of the tables of `compile`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{CompilationRow, FunctionRow, PassRow};
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(super) const ROWS: &[Field<CompilationRow>] = &[
    Column::new("function", "Function", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| named(&row.function).into()),
    Column::new("duration_ps", "Duration", Unit::Picos).of(|row| row.duration_ps.into()),
    Column::new("trace_ps", "Trace", Unit::Picos).of(|row| row.trace_ps.into()),
    Column::new("lower_ps", "Lower", Unit::Picos).of(|row| row.lower_ps.into()),
    Column::new("optimize_ps", "HLO passes", Unit::Picos).of(|row| row.optimize_ps.into()),
    Column::new("generate_ps", "Codegen", Unit::Picos).of(|row| row.generate_ps.into()),
    Column::wide("autotune_ps", "Autotune", Unit::Picos).of(|row| row.autotune_ps.into()),
    Column::wide("backend_ps", "Backend", Unit::Picos).of(|row| row.backend_ps.into()),
    Column::wide("cache_ps", "Cache time", Unit::Picos).of(|row| row.cache_ps.into()),
    Column::wide("other_ps", "Other", Unit::Picos).of(|row| row.other_ps.into()),
    Column::new("cache", "Cache", Unit::Text).of(|row| row.cache.as_str().into()),
    Column::new("step", "Step", Unit::Count)
        .position()
        .of(|row| row.step.into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::wide("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
    Column::wide("thread", "Thread", Unit::Text).of(|row| row.thread.as_str().into()),
    Column::wide("program", "Program", Unit::Text)
        .identifies(Identity::Unnumbered)
        .of(|row| row.program.as_str().into()),
    Column::new("is_again", "Recompiled", Unit::Flag).of(|row| row.is_again.into()),
    Column::wide("change", "What changed", Unit::Text).of(|row| row.change.as_str().into()),
];

pub(super) const FUNCTIONS: &[Field<FunctionRow>] = &[
    Column::new("function", "Function", Unit::Text).of(|row| named(&row.function).into()),
    Column::new("count", "Compiled", Unit::Count)
        .adds_over_rows()
        .of(|row| row.count.into()),
    Column::new("again_count", "Recompiled", Unit::Count)
        .adds_over_rows()
        .of(|row| row.again_count.into()),
    Column::new("hit_count", "From cache", Unit::Count)
        .adds_over_rows()
        .of(|row| row.hit_count.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .adds_over_rows()
        .of(|row| row.total_ps.into()),
    Column::new("longest_ps", "Longest", Unit::Picos).of(|row| row.longest_ps.into()),
    Column::new("changes", "What changed", Unit::Text).of(|row| row.changes.join("; ").into()),
];

pub(super) const PASSES: &[Field<PassRow>] = &[
    Column::new("name", "Pass", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.name.as_str().into()),
    Column::wide("phase", "Phase", Unit::Text).of(|row| row.phase.as_str().into()),
    Column::new("count", "Runs", Unit::Count)
        .adds_over_rows()
        .of(|row| row.count.into()),
    Column::new("self_ps", "Self", Unit::Picos)
        .adds_over_rows()
        .of(|row| row.self_ps.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .adds_over_rows()
        .of(|row| row.total_ps.into()),
];

/// The key figures of the report.
pub(super) const FIGURES: &[Column] = &[
    Column::new("total_ps", "Compilation", Unit::Picos),
    Column::new("in_steps_ratio", "Of the mean step", Unit::Ratio),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("functions", FUNCTIONS),
        Declared::of("passes", PASSES),
    ]
}

/// Name of a function; a placeholder if its call was not recorded.
fn named(function: &str) -> &str {
    if function.is_empty() {
        "(no name)"
    } else {
        function
    }
}
