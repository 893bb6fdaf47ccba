//! Ops that call Python, recognized by name.

use stepscope_model::SaturatingSum as _;

use super::host_causes::place_of;
use crate::judging::advice::facts::Facts;
use crate::measuring::activity::Cause;
use crate::telling::format;
use crate::views::ops::OpRow;

pub(super) fn is_debug(row: &OpRow) -> bool {
    is_called(row, &["debug_print", "debug_callback"])
}

/// Whether an op calls Python for its result.
pub(super) fn is_callback(row: &OpRow) -> bool {
    is_called(
        row,
        &[
            "pure_callback",
            "io_callback",
            "python_cpu_callback",
            "python_gpu_callback",
        ],
    )
}

/// Whether an op calls Python, for its result or to print. The device does not compute during that time.
pub(super) fn is_python(row: &OpRow) -> bool {
    is_callback(row) || is_debug(row)
}

/// Where the program calls ops of one kind: the function that most of the gaps are in, if these ops take
/// longer than those of the other kind, as gaps do not tell them apart.
pub(super) fn place(
    facts: &Facts<'_>,
    own: fn(&OpRow) -> bool,
    other: fn(&OpRow) -> bool,
) -> String {
    let time_ps = |is: fn(&OpRow) -> bool| {
        let rows = facts.rows_of_ops().filter(|row| is(row));
        rows.map(|row| row.self_ps).saturating_sum()
    };
    if time_ps(own) >= time_ps(other) {
        place_of(facts, Cause::Callback)
    } else {
        String::new()
    }
}

/// ` Most of it is io_callback.1, called at train.py:15.`; empty without such an op.
pub(super) fn most(facts: &Facts<'_>, is_own: fn(&OpRow) -> bool) -> String {
    let largest = facts.rows_of_ops().find(|row| is_own(row));
    largest.map_or_else(String::new, |row| {
        let at = match row.source.as_str() {
            "" => String::new(),
            source => format!(", called at {source}"),
        };
        format!(" Most of it is {}{at}.", format::shortened(&row.name))
    })
}

/// Whether the name or scope of an op contains one of these names.
pub(super) fn is_called(row: &OpRow, names: &[&str]) -> bool {
    let mut names = names.iter();
    names.any(|name| row.name.contains(name) || row.scope.contains(name))
}
