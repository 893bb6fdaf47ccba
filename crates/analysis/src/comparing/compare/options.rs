//! Options of `compare`.

use super::noise::RunNoise;
use crate::asking::AnalysisError;
use crate::asking::selection::Selection;
use crate::views::roofline::ModelFlops;
use clap::Args;

/// Options of [`Compare`].
#[derive(Debug, Clone, Args)]
pub struct CompareOptions {
    /// Which part of each session; `--program`, `--match`, `--sort` and `--limit` apply to the ops.
    #[command(flatten)]
    pub selection: Selection,
    /// Confidence of the intervals; 1 − confidence is the rate of false alarms
    #[arg(long, value_name = "RATIO", default_value_t = CONFIDENCE)]
    pub confidence: f64,
    /// Noise between runs of an unchanged program: standard deviation ÷ mean, such as 0.01
    /// [default: 1 %, or 1.5 standard deviations of the steps if that is larger]
    #[arg(long, value_name = "RATIO")]
    pub run_noise: Option<f64>,
    /// Compare the work below these name scopes kernel by kernel, separated by commas: `lcam,tad`. With
    /// two or more, one PATH is enough
    #[arg(long, value_name = "SCOPES")]
    pub scope: Option<String>,
    /// What the model needs, for MFU.
    #[command(flatten)]
    pub model: ModelFlops,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self {
            selection: Selection::default(),
            confidence: CONFIDENCE,
            run_noise: None,
            scope: None,
            model: ModelFlops::default(),
        }
    }
}

/// Default confidence.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// Minimum standard deviation of the mean between runs ÷ the mean.
pub(super) const RUN_RATIO: f64 = 0.01;

/// The same standard deviation, in standard deviations of the steps within a run, as measured on a busy
/// machine in the study of identical runs in `docs/reference/analyses/compare.md`.
pub(super) const RUN_SPREADS: f64 = 1.5;

impl CompareOptions {
    /// The requested scopes, each once.
    pub(super) fn scopes(&self) -> Vec<&str> {
        let words = self.scope.iter().flat_map(|text| text.split(','));
        let mut scopes: Vec<&str> = Vec::new();
        for word in words.map(str::trim).filter(|word| !word.is_empty()) {
            if !scopes.contains(&word) {
                scopes.push(word);
            }
        }
        scopes
    }

    pub(super) fn noise(&self) -> Result<RunNoise, AnalysisError> {
        checked_confidence(self.confidence)?;
        run_noise(self.run_noise)
    }
}

/// Rejects a confidence from which no interval can be computed.
pub(crate) fn checked_confidence(confidence: f64) -> Result<(), AnalysisError> {
    if (0.5..1.0).contains(&confidence) {
        return Ok(());
    }
    let text = format!("--confidence must be at least 0.5 and below 1, not {confidence}");
    Err(AnalysisError::Options(text))
}

/// Noise between runs as given, or the default.
pub(crate) fn run_noise(given: Option<f64>) -> Result<RunNoise, AnalysisError> {
    match given {
        None => Ok(RunNoise {
            ratio: RUN_RATIO,
            spreads: RUN_SPREADS,
        }),
        Some(ratio) if (0.0..=1.0).contains(&ratio) => Ok(RunNoise {
            ratio,
            spreads: 0.0,
        }),
        Some(ratio) => Err(AnalysisError::Options(format!(
            "--run-noise must be between 0 and 1, not {ratio}"
        ))),
    }
}
