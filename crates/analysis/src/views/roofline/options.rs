//! Options of `roofline`.

use super::product::product;
use crate::asking::AnalysisError;
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
    /// What the model needs, for MFU.
    #[command(flatten)]
    pub model: ModelFlops,
}

/// What a user states of the model, for every answer that has MFU.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ModelFlops {
    /// Floating-point operations that the model needs per step over all devices, as a number or a
    /// product: `6*8B*2^20` for 6 × parameters × tokens; MFU then counts these instead of those in
    /// the HLO
    #[arg(long, value_name = "N", value_parser = product)]
    pub model_flops: Option<f64>,
}

impl ModelFlops {
    /// The stated number; refuses what is no positive one.
    pub(crate) fn checked(self) -> Result<Option<f64>, AnalysisError> {
        match self.model_flops {
            Some(flops) if !(flops.is_finite() && flops > 0.0) => {
                Err(AnalysisError::Options(format!(
                    "--model-flops must be a positive number of operations per step, not {flops}"
                )))
            }
            other => Ok(other),
        }
    }
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
