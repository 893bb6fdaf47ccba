//! Thresholds of all rules, in one table. A file replaces entries as it does those of `overview`:
//! the same form, the same file.
//!
//! Up to and with `good` a check passes, beyond `bad` a finding is grave, between it is a warning.

use crate::overview::thresholds::{Threshold, Thresholds};

const fn smaller(key: &'static str, title: &'static str, good: f64, bad: f64) -> Threshold {
    Threshold {
        key,
        title,
        is_larger_better: false,
        good,
        bad,
    }
}

const fn larger(key: &'static str, title: &'static str, good: f64, bad: f64) -> Threshold {
    Threshold {
        key,
        title,
        is_larger_better: true,
        good,
        bad,
    }
}

/// The built-in table, in the order of the rules.
pub const ADVICE: &[Threshold] = &[
    smaller("input_wait_ratio", "Input wait", 0.05, 0.2),
    smaller(
        "step_outlier_ratio",
        "Time lost in outlying steps",
        0.02,
        0.1,
    ),
    smaller(
        "compilation_in_steps_ratio",
        "Compilation in steps",
        0.01,
        0.1,
    ),
    smaller("host_bound_ratio", "Host overhead", 0.1, 0.2),
    smaller("idle_ratio", "Idle", 0.1, 0.3),
    smaller(
        "exposed_collectives_ratio",
        "Exposed communication",
        0.1,
        0.3,
    ),
    smaller(
        "exposed_transfer_ratio",
        "Exposed host transfers",
        0.03,
        0.15,
    ),
    smaller(
        "device_copy_ratio",
        "Exposed copies between devices",
        0.05,
        0.15,
    ),
    smaller(
        "data_shuffle_ratio",
        "Copies, transposes, reshuffling",
        0.1,
        0.3,
    ),
    smaller("load_imbalance_ratio", "Load imbalance", 0.05, 0.2),
    smaller("straggler_ratio", "Straggling host", 0.1, 0.25),
    smaller("dominating_op_ratio", "One dominating op", 0.5, 0.8),
    smaller("long_op_ps", "Longest op", 1e10, 5e10),
    smaller(
        "tiny_kernel_ratio",
        "Idle time behind tiny kernels",
        0.1,
        0.3,
    ),
    smaller("float32_matmul_ratio", "Matrix products in f32", 0.1, 0.4),
    smaller("rematerialised_ratio", "Rematerialisation", 0.1, 0.3),
    smaller("barrier_cores_ratio", "Barrier of cores", 0.1, 0.3),
    smaller("debug_print_ratio", "Debug prints", 0.05, 0.2),
    smaller("async_done_ratio", "Waiting for asynchronous ops", 0.1, 0.3),
    smaller(
        "sparse_core_ratio",
        "SparseCore beside TensorCore",
        0.1,
        0.5,
    ),
    larger("kernel_occupancy_ratio", "Occupancy", 0.5, 0.25),
    smaller("memory_peak_ratio", "Peak memory", 0.9, 0.97),
    smaller(
        "fragmentation_ratio",
        "Fragmentation at a full peak",
        0.3,
        0.6,
    ),
    smaller("rounding_ratio", "Rounding of allocations", 0.1, 0.3),
    // Utilisation of one peak beyond `good` and of the other below `bad` says what bounds a program.
    larger("bound_ratio", "Bound by a peak", 0.7, 0.5),
];

/// An entry of the table in force.
pub(super) fn threshold(table: &Thresholds, key: &str) -> Threshold {
    table.get(key).unwrap_or(Threshold {
        key: "unknown_ratio",
        title: "",
        is_larger_better: false,
        good: f64::INFINITY,
        bad: f64::INFINITY,
    })
}
