//! Budgets as bars of characters: how close each value is to its limit. Deeply indented lines are
//! printed as they are.
//!
//! ```text
//!      broken        step_time    ██████████|█████████████    13.40 ms of 5.156 ms
//!      passed        memory_peak  █████████ |                 2.750 MiB of 2.778 MiB
//! ```

use super::report::{CheckReport, CheckedBudget};
use super::words::figure;
use crate::telling::format;

/// Width of the longest bar, in characters.
const WIDTH: usize = 36;
/// Characters before the limit; bars end at about twice that.
const TO_LIMIT: usize = 18;

pub(super) fn lines(report: &CheckReport) -> Vec<String> {
    let name = |row: &CheckedBudget| format::shortened_to(&row.metric, 28);
    let widest = report
        .rows
        .iter()
        .map(|row| name(row).chars().count())
        .max();
    let widest = widest.unwrap_or(0);
    let rows = report.rows.iter().map(|row| {
        let own = name(row);
        let gap = " ".repeat(widest - own.chars().count());
        format!(
            "     {:<12}  {own}{gap}  {:<WIDTH$}  {}",
            row.verdict.name(),
            bar(row),
            figures(row)
        )
    });
    rows.collect()
}

fn figures(row: &CheckedBudget) -> String {
    let known = |value: Option<f64>| value.map(|value| figure(value, row.unit));
    match (known(row.value), known(row.limit)) {
        (Some(value), Some(limit)) => format!("{value} of {limit}"),
        (Some(value), None) => value,
        (None, _) => "not measured".to_owned(),
    }
}

/// The value's share of the limit, which is in the middle; longer bars are cut off.
fn bar(row: &CheckedBudget) -> String {
    let (Some(value), Some(limit)) = (row.value, row.limit) else {
        return String::new();
    };
    let share = match (value, limit) {
        (_, limit) if limit > 0.0 => value / limit,
        (value, _) if value > 0.0 => f64::INFINITY,
        _ => 1.0,
    };
    let reached = columns(share);
    let before = "█".repeat(reached.min(TO_LIMIT));
    let missing = " ".repeat(TO_LIMIT.saturating_sub(reached));
    let beyond = reached.saturating_sub(TO_LIMIT).min(WIDTH - TO_LIMIT - 1);
    let mut bar = format!("{before}{missing}|{}", "█".repeat(beyond));
    // A value that is slightly beyond its limit is still drawn beyond it.
    if share > 1.0 && beyond == 0 {
        bar.push('█');
    }
    bar
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the width of the chart"
)]
fn columns(share: f64) -> usize {
    (share.clamp(0.0, 2.0) * TO_LIMIT as f64).round() as usize
}
