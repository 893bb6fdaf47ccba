//! Vendor knowledge: names of planes, lines, stats, and events, and their meaning. It is here and
//! nowhere else.

pub(crate) mod capabilities;
pub(crate) mod chips;
pub(crate) mod collectives;
pub(crate) mod counters;
pub(crate) mod details;
pub(crate) mod events;
pub(crate) mod framework_ops;
pub(crate) mod frameworks;
pub(crate) mod gpu_limits;
pub(crate) mod graphs;
pub(crate) mod hosts;
pub(crate) mod jax_functions;
pub(crate) mod library_files;
pub(crate) mod matrix_units;
pub(crate) mod memory;
pub(crate) mod operand_peaks;
pub(crate) mod planes;
pub(crate) mod regions;
pub(crate) mod registers;
pub(crate) mod stats;
pub(crate) mod waits;
