//! Options of `check`.

use crate::asking::NamedText;
use crate::asking::selection::Selection;
use crate::comparing::compare::CONFIDENCE;
use crate::views::roofline::ModelFlops;
use clap::Args;

/// Options of [`Check`].
#[derive(Debug, Clone, Args)]
pub struct CheckOptions {
    /// Which part of each session.
    #[command(flatten)]
    pub selection: Selection,
    /// A figure and its limit: step_time=+2%, memory_peak=+100MiB, `step_time<=150ms`, op:NAME=+5%; may be
    /// repeated
    #[arg(long = "budget", value_name = "METRIC=LIMIT")]
    pub budgets: Vec<String>,
    /// Confidence required to report a budget as broken
    #[arg(long, value_name = "RATIO", default_value_t = CONFIDENCE)]
    pub confidence: f64,
    /// Noise between runs of an unchanged program: standard deviation ÷ mean, such as 0.01
    /// [default: estimated from three or more baselines, else as in `compare`]
    #[arg(long, value_name = "RATIO")]
    pub run_noise: Option<f64>,
    /// Pass budgets that cannot be checked because a figure or a baseline is missing
    #[arg(long)]
    pub allow_unknown: bool,
    /// What the model needs, for MFU.
    #[command(flatten)]
    pub model: ModelFlops,
    /// Histories of earlier runs, which the caller has read from files; they are the baseline.
    #[arg(skip)]
    pub histories: Vec<NamedText>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            selection: Selection::default(),
            budgets: Vec::new(),
            confidence: CONFIDENCE,
            run_noise: None,
            allow_unknown: false,
            model: ModelFlops::default(),
            histories: Vec::new(),
        }
    }
}
