//! The causes, and the figures that their drawings give.

/// Where an answer holds a figure.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Figure {
    /// What the finding saves per step.
    Gain,
    /// A fact of an op.
    Op(&'static str, &'static str),
    /// A cell of a table of an analysis.
    Cell {
        analysis: &'static str,
        table: &'static str,
        row: (&'static str, &'static str),
        column: &'static str,
    },
    /// A number in the sentence of the finding, where this has `{}`.
    Said(&'static str),
}

/// A cause, and its figure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truth {
    /// The finding that names it.
    pub(crate) cause: &'static str,
    pub(crate) figure: Figure,
    /// In picoseconds, bytes, or a count.
    pub(crate) value: f64,
    /// Where the report has the cause.
    pub(crate) place: Place,
}

/// Where a report has a cause.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// It is the first thing that is warned of.
    First,
    /// Another finding is the first one, and why that is right.
    Behind(&'static str, &'static str),
    /// It is a note, nothing is warned of, and why.
    Noted(&'static str),
}

impl Truth {
    const fn behind(self, first: &'static str, why: &'static str) -> Self {
        Self {
            place: Place::Behind(first, why),
            ..self
        }
    }

    const fn noted(self, why: &'static str) -> Self {
        Self {
            place: Place::Noted(why),
            ..self
        }
    }
}

/// Picoseconds of a microsecond.
const US: f64 = 1e6;
/// Steps of each drawing.
const STEPS: f64 = 6.0;

const fn op(cause: &'static str, name: &'static str, per_step_us: f64) -> Truth {
    Truth {
        cause,
        figure: Figure::Op(name, "self_ps"),
        value: STEPS * per_step_us * US,
        place: Place::First,
    }
}

/// Idle time by what the host did.
const fn idle(cause: &'static str, host: &'static str, per_step_us: f64) -> Truth {
    Truth {
        cause,
        figure: Figure::Cell {
            analysis: "idle",
            table: "causes",
            row: ("cause", host),
            column: "total_ps",
        },
        value: STEPS * per_step_us * US,
        place: Place::First,
    }
}

const fn gain(cause: &'static str, per_step_us: f64) -> Truth {
    Truth {
        cause,
        figure: Figure::Gain,
        value: per_step_us * US,
        place: Place::First,
    }
}

const fn said(cause: &'static str, sentence: &'static str, number: f64) -> Truth {
    Truth {
        cause,
        figure: Figure::Said(sentence),
        value: number,
        place: Place::First,
    }
}

/// Why an op that takes most of the time stands before what is wrong with it.
const SLOW_PRODUCT: &str =
    "the product of the drawing is a thousand times slower than its chip, and would save more";

pub(crate) const TRUTHS: &[Truth] = &[
    // The device waits from 701 to 998 us of each step.
    idle("input_wait", "data_loading", 297.0),
    idle("host_bound", "dispatch", 297.0),
    idle("compilation", "compilation", 297.0),
    // Nobody recorded what the host did, from 700 to 1,001 us.
    idle("idle", "unknown", 300.0),
    // The device computes for half of a step, and communicates or copies for the other.
    op("exposed_communication", "all-reduce.1", 500.0),
    gain("host_transfers", 500.0).behind(
        "input_wait",
        "the same copies: nothing runs meanwhile, so the device waits for data",
    ),
    gain("device_copies", 500.0),
    // One op takes most of the step, or does something that it need not.
    op("data_shuffle", "transpose.1", 499.0),
    op("dominating_op", "dot.3", 940.0)
        .noted("the drawing has no work of the op: that one dominates is no fault"),
    op("long_ops", "dot.1", 248_000.0),
    op("tiny_kernels", "dot.1", 100.0).behind(
        "program_runs",
        "the drawing launches each kernel by itself, which costs more than that they are tiny",
    ),
    op("python_callback", "cc.1", 200.0),
    op("debug_print", "cc.1", 200.0),
    op("interpreted_kernels", "mul.1", 200.0),
    op("rematerialization", "mul.1", 200.0),
    op("barrier_cores", "barrier-cores.1", 200.0),
    op("async_done", "async-done.1", 300.0),
    op("small_loop", "mul.1", 960.0),
    op("sparse_core", "gather.1", 600.0)
        .behind("data_shuffle", "the same gathers, which only move data"),
    op("pad_ops", "pad.1", 398.0).behind("data_shuffle", "the same pads, which only move data"),
    op("unfused_ops", "add.1", 249.0),
    op("unfused_attention", "fusion.1", 332.0),
    op("unrolled_loop", "dot.0", 83.0).noted("it costs time to compile, not to run"),
    op("tile_padding", "dot.1", 998.0).behind("dominating_op", SLOW_PRODUCT),
    op("bound_by", "dot.1", 248.0).noted("a distance from the peaks is a figure, not a cause"),
    op("float32_matmul", "dot.2", 250.0),
    op("kernel_input_wait", "kernel.1", 900.0),
    // On the core that waits: without a program, each core has rows of its own.
    op("load_imbalance", "all-reduce.1", 700.0).behind(
        "straggler",
        "the same device, by what the others wait for it",
    ),
    // Counts.
    said("host_syncs", "waits for the device {} times", 12.0),
    said("program_runs", "runs {} programs", 20.0),
    // Three compilations of one function.
    said("recompilation", "Recompiled: step {} times", 2.0),
    said("request_queue", "({} %) waiting in the queue", 70.0),
    said("memory_growth", "grows by {} B per step", 500.0),
    // Four calls of 120 us.
    gain("launch_overhead", 480.0),
    said("capture_quality", "{} events were dropped", 500.0),
    Truth {
        cause: "step_outliers",
        figure: Figure::Cell {
            analysis: "steps",
            table: "rows",
            row: ("step", "6"),
            column: "duration_ps",
        },
        value: 3000.0 * US,
        place: Place::First,
    },
    Truth {
        cause: "cpu_fallback",
        figure: Figure::Op("add.9", "self_ps"),
        value: 100.0 * US,
        place: Place::First,
    },
];
