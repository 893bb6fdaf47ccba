//! The thresholds of all rules, in one table.

/// Report a finding if more than this share of device time has no HLO op.
pub const UNATTRIBUTED_RATIO: f64 = 0.1;
/// Report that the inside of TPU kernels was not recorded if they take more than this share of the
/// work.
pub const KERNEL_RATIO: f64 = 0.05;
/// A step that waits for compilation for more than this share of its time is not a typical step.
pub const COMPILATION_OF_STEP_RATIO: f64 = 0.01;
/// Compilation outside steps is a warning above this share of the capture.
pub const COMPILATION_OF_CAPTURE_RATIO: f64 = 0.05;
/// Minimum number of final steps without work for a device to have ended early; fewer can be chance.
pub const SILENT_STEPS: usize = 2;
/// Leftover program runs count as a cut step from this share of the runs per step.
pub const RUNS_PER_STEP_RATIO: f64 = 0.5;
/// Step time that a traced Python call costs at least, in seconds (measured on CPU, see
/// docs/reference/analyses/verdict.md).
pub const SECONDS_PER_PYTHON_CALL: f64 = 0.4e-6;
/// In programs, a traced call costs up to this many times as much as in a loop of nothing else.
pub const PYTHON_CALL_RANGE: f64 = 5.0;
/// A warning if captured steps take longer than those before the capture by more than this share.
pub const CAPTURE_COST_RATIO: f64 = 0.1;
/// Above this share, the figures no longer represent the program.
pub const CAPTURE_COST_BAD_RATIO: f64 = 0.2;
/// The Python tracer is a warning from this least cost, as a share of the traced time.
pub const PYTHON_COST_RATIO: f64 = 0.03;
/// Below this least cost, the Python tracer is not mentioned.
pub const PYTHON_TOLD_RATIO: f64 = 0.005;
/// Profiles of this size open slowly in other tools (protobuf is limited to 2 GiB).
pub const LARGE_BYTES: i64 = 1 << 30;
/// Profiles with this many events do, too.
pub const LARGE_EVENTS: i64 = 20_000_000;
/// A warning if memory grew between two snapshots by more than this share, as in `advice`.
pub const HEAP_GROWTH_RATIO: f64 = 0.05;
/// More steps than this add little information.
pub const MANY_STEPS: usize = 200;
/// A warning if the recordings of two hosts overlap for less than this share of the shorter one.
pub const COMMON_RECORDING_RATIO: f64 = 0.5;
/// Clocks of two hosts differ if they are apart by more than this share of a step.
pub const CLOCK_DISTANCE_RATIO: f64 = 1.0;
/// XLA:CPU numbers the devices of process k starting at k times this.
pub const CPU_ORDINALS_PER_PROCESS: i64 = 2048;
/// Number of ops named in the report.
pub const TOP_OPS: usize = 5;
/// Number of ops named in the lines.
pub const TOP_OPS_IN_LINES: usize = 3;
/// Number of parts of the mean step named in the lines.
pub const PARTS_IN_LINES: usize = 3;
/// Parts with a smaller share of the mean step are not named.
pub const PART_RATIO: f64 = 0.005;
/// Maximum number of lines.
pub const LINES: usize = 10;
/// Names of ops are cut to this many characters in the lines.
pub const LARGEST_NAME: usize = 40;
/// Maximum number of modules whose names are looked up.
pub const COMPILED_NAMES: usize = 6;
