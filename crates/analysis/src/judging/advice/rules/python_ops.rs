//! Ops that call Python, recognized by name.

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

/// Whether the name or scope of an op contains one of these names.
pub(super) fn is_called(row: &OpRow, names: &[&str]) -> bool {
    let mut names = names.iter();
    names.any(|name| row.name.contains(name) || row.scope.contains(name))
}
