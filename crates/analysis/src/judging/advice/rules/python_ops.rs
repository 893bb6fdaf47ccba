//! Ops that call Python, told by their names.

use crate::views::ops::OpRow;

pub(super) fn is_debug(row: &OpRow) -> bool {
    is_called(row, &["debug_print", "debug_callback"])
}

/// An op that calls Python for its result.
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

/// An op that calls Python, for its result or to print: time that the device does not compute.
pub(super) fn is_python(row: &OpRow) -> bool {
    is_callback(row) || is_debug(row)
}

/// The op or its scope has one of these names.
pub(super) fn is_called(row: &OpRow, names: &[&str]) -> bool {
    let mut names = names.iter();
    names.any(|name| row.name.contains(name) || row.scope.contains(name))
}
