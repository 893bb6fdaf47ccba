//! Options of `compare`.

use super::noise::RunNoise;
use crate::asking::AnalysisError;
use crate::asking::selection::Selection;
use clap::Args;

/// Options of [`Compare`].
#[derive(Debug, Clone, Args)]
pub struct CompareOptions {
    /// Which part of each session; `--program`, `--match`, `--sort` and `--limit` are about the ops.
    #[command(flatten)]
    pub selection: Selection,
    /// Confidence of the intervals; 1 − it is the rate of false alarms
    #[arg(long, value_name = "RATIO", default_value_t = CONFIDENCE)]
    pub confidence: f64,
    /// How much runs of one unchanged program differ: standard deviation ÷ mean, such as 0.01
    /// [default: 1 %, or 1.5 standard deviations of the steps where that is more]
    #[arg(long, value_name = "RATIO")]
    pub run_noise: Option<f64>,
    /// Compare what ran below these name scopes kernel by kernel, comma separated: `lcam,tad`. With
    /// two or more, one PATH is enough
    #[arg(long, value_name = "SCOPES")]
    pub scope: Option<String>,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self {
            selection: Selection::default(),
            confidence: CONFIDENCE,
            run_noise: None,
            scope: None,
        }
    }
}

/// Confidence unless asked otherwise.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// Least standard deviation of a run's mean between runs ÷ the mean.
pub(super) const RUN_RATIO: f64 = 0.01;

/// The same in standard deviations of the steps within a run, as the study of identical runs in
/// `docs/reference/analyses/compare.md` measured it on a busy machine.
pub(super) const RUN_SPREADS: f64 = 1.5;

impl CompareOptions {
    /// The scopes that were asked for, each once.
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

/// Refuses a confidence with which no interval can be given.
pub(crate) fn checked_confidence(confidence: f64) -> Result<(), AnalysisError> {
    if (0.5..1.0).contains(&confidence) {
        return Ok(());
    }
    let text = format!("--confidence {confidence} is not from 0.5 to below 1");
    Err(AnalysisError::Options(text))
}

/// Noise between runs as it was given, or as it is unless given.
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
            "--run-noise {ratio} is not from 0 to 1"
        ))),
    }
}
