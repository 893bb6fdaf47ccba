//! Options of `roofline`.

use crate::asking::selection::Selection;
use clap::{Args, ValueEnum};

/// Options of [`Roofline`].
#[derive(Debug, Clone, Default, Args)]
pub struct RooflineOptions {
    /// Which part of the session.
    #[command(flatten)]
    pub selection: Selection,
    /// Whether the time of steps and totals includes idle time of devices
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Choice::Include)]
    pub idle: Choice,
    /// Whether work and time of infeed and outfeed are included
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Choice::Include)]
    pub infeed: Choice,
    /// Floating-point operations that the model needs per step over all devices, such as 6 ×
    /// parameters × tokens; MFU then counts these instead of those in the HLO
    #[arg(long, value_name = "N")]
    pub model_flops: Option<f64>,
}

/// Whether something is included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// Included.
    #[default]
    Include,
    /// Excluded.
    Exclude,
}
