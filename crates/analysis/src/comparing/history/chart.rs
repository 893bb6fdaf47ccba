//! Series as sparklines of characters, with a bar where the level changes. Deeply indented lines are
//! printed as they are.
//!
//! ```text
//!      step_time    ▂▁▂▁▁▂|▇▆▇█▇    5.655 ms
//! ```

use super::report::{HistoryChange, HistoryGroup, HistoryReport, HistorySeries};
use crate::comparing::check::words::figure;
use crate::telling::format;
use crate::telling::format::counted;

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
    let width = |text: &str| text.chars().count();
    let widest = shown.iter().map(|series| width(&name(series))).max();
    let widest = widest.unwrap_or(0);
    let sparks: Vec<String> = shown.iter().map(|series| spark(report, series)).collect();
    let longest = sparks.iter().map(|spark| width(spark)).max().unwrap_or(0);
    let mut lines = Vec::new();
    let mut last = None;
    for (series, spark) in shown.iter().zip(sparks) {
        let own = name(series);
        let gap = " ".repeat(widest - width(&own));
        let rest = " ".repeat(longest - width(&spark));
        if report.groups.len() > 1 && last != Some(series.group) {
            last = Some(series.group);
            lines.extend(report.groups.get(series.group).map(title));
        }
        lines.push(format!(
            "     {own}{gap}  {spark}{rest}  {}",
            figure(series.last, series.unit)
        ));
    }
    lines
}

/// The line above the series of a group, if there are several groups.
fn title(group: &HistoryGroup) -> String {
    format!("{}, {}", group.name, counted(group.run_count, "run"))
}

/// One character per run of the group, scaled from the smallest to the largest value; a space for a missing value.
fn spark(report: &HistoryReport, series: &HistorySeries) -> String {
    let known = || series.values.iter().flatten().copied();
    let (least, most) = known().fold(
        (f64::INFINITY, f64::NEG_INFINITY),
        |(least, most), value| (least.min(value), most.max(value)),
    );
    let own = report.runs.iter().zip(&series.values).enumerate();
    let own = own.filter(|(_, (run, _))| run.group == series.group);
    let own: Vec<(usize, Option<f64>)> = own.map(|(run, (_, value))| (run, *value)).collect();
    let first = own.len().saturating_sub(WIDTH);
    let mut spark = String::new();
    for (position, &(run, value)) in own.iter().enumerate().skip(first) {
        let mut changes = report.changes.iter();
        let is_own = |change: &HistoryChange| {
            (change.group, change.run) == (series.group, run) && change.metric == series.metric
        };
        if position > first && changes.any(is_own) {
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
