//! The thresholds of all rules, in one table.

/// More device time than this without an HLO op is worth a finding.
pub const UNATTRIBUTED_RATIO: f64 = 0.1;
/// Compilation that takes this share of a step that holds it makes the step another one.
pub const COMPILATION_OF_STEP_RATIO: f64 = 0.01;
/// Compilation outside of steps that takes this share of the capture is a warning.
pub const COMPILATION_OF_CAPTURE_RATIO: f64 = 0.05;
/// Steps at the end on which a device did nothing: fewer can be chance.
pub const SILENT_STEPS: usize = 2;
/// Share of the program runs of a step that suffices to call leftovers a cut step.
pub const RUNS_PER_STEP_RATIO: f64 = 0.5;
/// Step time that a traced Python call costs, seconds (measured on CPU,
/// docs/reference/analyses/verdict.md).
pub const SECONDS_PER_PYTHON_CALL: f64 = 0.2e-6;
/// Captured steps that are longer than those before by more than this share are a warning.
pub const CAPTURE_COST_RATIO: f64 = 0.1;
/// By more than this, their figures are not those of the program.
pub const CAPTURE_COST_BAD_RATIO: f64 = 0.2;
/// Estimated cost of the Python tracer, as share of the traced time, from which on it is a warning.
pub const PYTHON_COST_RATIO: f64 = 0.03;
/// Below this share the Python tracer is not worth a word.
pub const PYTHON_TOLD_RATIO: f64 = 0.005;
/// A larger profile opens slowly in other tools (protobuf ends at 2 GiB).
pub const LARGE_BYTES: i64 = 1 << 30;
/// So do more events.
pub const LARGE_EVENTS: i64 = 20_000_000;
/// Memory that grew between two snapshots by more than this share, as `advice` has it.
pub const HEAP_GROWTH_RATIO: f64 = 0.05;
/// More steps than this say no more about a step.
pub const MANY_STEPS: usize = 200;
/// Recordings of two hosts that overlap for less than this share of the shorter one.
pub const COMMON_RECORDING_RATIO: f64 = 0.5;
/// Hosts whose steps lie apart by more than this share of a step have other clocks.
pub const CLOCK_DISTANCE_RATIO: f64 = 1.0;
/// XLA:CPU numbers the devices of process k from k times this on.
pub const CPU_ORDINALS_PER_PROCESS: i64 = 2048;
/// Ops named in the report.
pub const TOP_OPS: usize = 5;
/// Ops named in the lines.
pub const TOP_OPS_IN_LINES: usize = 3;
/// Parts of the mean step named in the lines.
pub const PARTS_IN_LINES: usize = 3;
/// Parts with less of the mean step are not.
pub const PART_RATIO: f64 = 0.005;
/// Lines in all.
pub const LINES: usize = 10;
/// Longer names of ops are cut in the lines.
pub const LARGEST_NAME: usize = 40;
/// Names of compiled programs that are looked up.
pub const COMPILED_NAMES: usize = 6;
