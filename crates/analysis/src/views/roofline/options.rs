//! Options of `roofline`.

use crate::asking::selection::Selection;
use clap::{Args, ValueEnum};

/// Options of [`Roofline`].
#[derive(Debug, Clone, Default, Args)]
pub struct RooflineOptions {
    /// Which part of the session.
    #[command(flatten)]
    pub selection: Selection,
    /// Whether idle time of devices counts in the time of steps and totals
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Choice::Include)]
    pub idle: Choice,
    /// Whether infeed and outfeed count, their work and their time
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Choice::Include)]
    pub infeed: Choice,
}

/// In or out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// It counts.
    #[default]
    Include,
    /// It does not.
    Exclude,
}
