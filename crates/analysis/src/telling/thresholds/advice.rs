//! Thresholds of all rules of `advice`, in one table. A thresholds file can replace these entries along
//! with those of `overview`.
//!
//! A check passes up to and including `good`; beyond `bad` the finding is bad; in between it is a
//! warning.

use super::threshold::{Threshold, larger, smaller};

/// The built-in table, in the order of the rules.
pub const ADVICE: &[Threshold] = &[
    smaller("input_wait_ratio", "Input wait", 0.05, 0.2),
    smaller(
        "step_outlier_ratio",
        "Time lost in outlier steps",
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
    smaller("step_waits_ratio", "Waiting for steps", 0.05, 0.2),
    smaller("between_steps_ratio", "Time between steps", 0.1, 0.3),
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
    smaller("device_copy_ratio", "Exposed device copies", 0.05, 0.15),
    smaller(
        "data_shuffle_ratio",
        "Copies, transposes and reshuffling",
        0.1,
        0.3,
    ),
    smaller("one_hot_ratio", "Rows looked up by a product", 0.05, 0.2),
    smaller(
        "dense_groups_ratio",
        "Experts computed for every row",
        0.05,
        0.2,
    ),
    smaller("load_imbalance_ratio", "Load imbalance", 0.05, 0.2),
    smaller("straggler_ratio", "Waiting for a straggler", 0.05, 0.2),
    smaller("dominating_op_ratio", "One dominating op", 0.5, 0.8),
    smaller("long_op_ps", "Longest op", 1e10, 5e10),
    smaller(
        "tiny_kernel_ratio",
        "Idle time due to tiny kernels",
        0.1,
        0.3,
    ),
    smaller("float32_matmul_ratio", "Matrix products in f32", 0.1, 0.4),
    smaller("float64_work_ratio", "Work on f64", 0.1, 0.4),
    smaller("metric_programs_ratio", "Metrics in every step", 0.1, 0.3),
    smaller(
        "replicated_work_ratio",
        "Products that devices repeat",
        0.1,
        0.3,
    ),
    smaller("rematerialized_ratio", "Rematerialization", 0.1, 0.3),
    smaller("barrier_cores_ratio", "Core barriers", 0.1, 0.3),
    smaller("debug_print_ratio", "Debug prints", 0.05, 0.2),
    smaller(
        "heap_growth_ratio",
        "Growth between memory snapshots",
        0.05,
        0.5,
    ),
    smaller("small_loop_ratio", "Loops of small ops", 0.2, 0.5),
    smaller("python_callback_ratio", "Python callbacks", 0.05, 0.2),
    smaller("interpreted_kernel_ratio", "Interpreted kernels", 0.05, 0.2),
    smaller("async_done_ratio", "Waiting for asynchronous ops", 0.1, 0.3),
    smaller(
        "sparse_core_ratio",
        "SparseCore vs. TensorCore time",
        0.1,
        0.5,
    ),
    smaller("kernel_wait_ratio", "Kernels waiting for inputs", 0.1, 0.3),
    smaller("spilled_samples_ratio", "Samples with spills", 0.05, 0.5),
    larger("kernel_occupancy_ratio", "Occupancy", 0.5, 0.25),
    smaller("memory_peak_ratio", "Peak memory", 0.9, 0.97),
    smaller(
        "memory_spike_ratio",
        "Memory beyond that of the typical step",
        0.05,
        0.5,
    ),
    smaller(
        "fragmentation_ratio",
        "Fragmentation at the memory peak",
        0.3,
        0.6,
    ),
    smaller("rounding_ratio", "Memory lost to rounding", 0.1, 0.3),
    smaller("launch_ratio", "Time in launch calls", 0.2, 0.5),
    smaller("host_syncs_count", "Host syncs per step", 2.0, 10.0),
    smaller("program_runs_count", "Program runs per step", 4.0, 20.0),
    smaller("eager_ops_ratio", "Ops outside of jit", 0.1, 0.3),
    smaller(
        "recompilations_count",
        "Recompilations of the same function",
        0.0,
        5.0,
    ),
    smaller("pad_ops_ratio", "Array padding", 0.05, 0.2),
    smaller("over_peak_ratio", "Ops above the roofline", 0.1, 0.5),
    smaller(
        "tile_padding_ratio",
        "Tile padding in matrix products",
        0.1,
        0.3,
    ),
    smaller(
        "matrix_units_ratio",
        "Matrix products without matrix units",
        0.1,
        0.4,
    ),
    smaller("unfused_attention_ratio", "Unfused attention", 0.1, 0.3),
    smaller("unfused_ops_ratio", "Unfused ops", 0.1, 0.3),
    smaller("unrolled_copies_count", "Copies of a layer", 7.0, 31.0),
    smaller(
        "small_allocations_count",
        "Small allocations per step",
        500.0,
        5000.0,
    ),
    smaller("buffer_padding_ratio", "Buffer padding", 0.1, 0.3),
    smaller("donation_ratio", "Arguments not donated", 0.1, 0.3),
    smaller("request_queue_ratio", "Request time in the queue", 0.2, 0.5),
    smaller("request_padding_ratio", "Batch padding", 0.1, 0.3),
    // A program is bound by one peak if its utilization exceeds `good` and that of the other is below
    // `bad`.
    larger("bound_ratio", "Bound by a peak", 0.7, 0.5),
];
