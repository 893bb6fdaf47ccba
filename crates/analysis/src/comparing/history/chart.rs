//! Series as sparklines of characters, with a bar where the level changes. Deeply indented lines are
//! printed as they are.
//!
//! ```text
//!      step_time    ▂▁▂▁▁▂|▇▆▇█▇    5.655 ms
//! ```

use super::report::{HistoryReport, HistorySeries};
use crate::comparing::check::words::figure;
use crate::telling::format;

/// Maximum number of runs that are drawn: the latest ones.
const WIDTH: usize = 60;
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(super) fn lines(report: &HistoryReport) -> Vec<String> {
    let varies = |series: &&HistorySeries| {
        let mut values = series.values.iter().flatten();
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let shown: Vec<&HistorySeries> = report.rows.iter().filter(varies).collect();
    let name = |series: &HistorySeries| format::shortened_to(&series.metric, 28);
    let widest = shown
        .iter()
        .map(|series| name(series).chars().count())
        .max();
    let widest = widest.unwrap_or(0);
    let sparks: Vec<String> = shown.iter().map(|series| spark(report, series)).collect();
    let longest = sparks
        .iter()
        .map(|spark| spark.chars().count())
        .max()
        .unwrap_or(0);
    let lines = shown.iter().zip(sparks).map(|(series, spark)| {
        let own = name(series);
        let gap = " ".repeat(widest - own.chars().count());
        let rest = " ".repeat(longest - spark.chars().count());
        format!(
            "     {own}{gap}  {spark}{rest}  {}",
            figure(series.last, series.unit)
        )
    });
    lines.collect()
}

/// One character per run, scaled from the smallest to the largest value; a space for a missing value.
fn spark(report: &HistoryReport, series: &HistorySeries) -> String {
    let known = || series.values.iter().flatten().copied();
    let (least, most) = known().fold(
        (f64::INFINITY, f64::NEG_INFINITY),
        |(least, most), value| (least.min(value), most.max(value)),
    );
    let first = series.values.len().saturating_sub(WIDTH);
    let mut spark = String::new();
    for (run, value) in series.values.iter().enumerate().skip(first) {
        let mut changes = report.changes.iter();
        if run > first && changes.any(|change| change.metric == series.metric && change.run == run)
        {
            spark.push('|');
        }
        spark.push(value.map_or(' ', |value| level(value, least, most)));
    }
    spark
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and a small number of levels"
)]
fn level(value: f64, least: f64, most: f64) -> char {
    let share = ((value - least) / (most - least)).clamp(0.0, 1.0);
    let level = (share * (LEVELS.len() - 1) as f64).round() as usize;
    LEVELS[level.min(LEVELS.len() - 1)]
}
