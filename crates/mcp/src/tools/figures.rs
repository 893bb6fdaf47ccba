//! Figures whose unit is the ending of their name, as text.

use stepscope_analysis::telling::format::{bytes, duration_ps, percent, rate};

use crate::tables::rounded;

/// `1.2e9` of `step_time_ps` is `1.200 ms`.
pub(super) fn shown(key: &str, value: f64) -> String {
    match key.rsplit('_').next() {
        Some("ps") => duration_ps(value),
        Some("bytes") => bytes(value),
        Some("ratio") => percent(value),
        Some("flops") => rate(value, "FLOP"),
        _ => rounded(value).to_string(),
    }
}
