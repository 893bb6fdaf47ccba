//! Options of `check`.

use crate::asking::NamedText;
use crate::asking::selection::Selection;
use crate::comparing::compare::CONFIDENCE;
use clap::Args;

/// Options of [`Check`].
#[derive(Debug, Clone, Args)]
pub struct CheckOptions {
    /// Which part of each session.
    #[command(flatten)]
    pub selection: Selection,
    /// A figure and how far it may go: step_time=+2%, memory_peak=+100MiB, `step_time<=150ms`,
    /// op:NAME=+5%; may be repeated
    #[arg(long = "budget", value_name = "METRIC=LIMIT")]
    pub budgets: Vec<String>,
    /// Confidence with which a budget is said to be broken
    #[arg(long, value_name = "RATIO", default_value_t = CONFIDENCE)]
    pub confidence: f64,
    /// How much runs of one unchanged program differ: standard deviation ÷ mean, such as 0.01
    /// [default: what three baselines or more differ by, else as in `compare`]
    #[arg(long, value_name = "RATIO")]
    pub run_noise: Option<f64>,
    /// Let budgets pass that cannot be checked, because a figure or a baseline is missing
    #[arg(long)]
    pub allow_unknown: bool,
    /// Histories of earlier runs, whose text a caller read from files: they are the baseline.
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
            histories: Vec::new(),
        }
    }
}
