//! Steps: the time of each step on every device, divided into parts, and statistics over steps.

pub(crate) mod bars;
mod host;
mod marks;
pub(crate) mod parts;
mod rows;
mod statistics;
mod types;

pub use bars::{EXPLAINS, excess_ps, grown_part, grown_parts, typical_long};
pub(crate) use bars::{bars as step_bars, long_steps};
pub(crate) use bars::{mean_parts, share_of};
pub(crate) use marks::{marking_program, marks};
pub(crate) use parts::position as part_position;
pub(crate) use rows::{DividedSteps, StepParts, devices_in_steps, divide_recording, divide_steps};
pub(crate) use statistics::{
    MIN_APART, host_step_ps, mean, median, outliers, series_time, step_time,
};
pub use types::{PartKind, StepBar, StepPart, StepSource, StepTime};
