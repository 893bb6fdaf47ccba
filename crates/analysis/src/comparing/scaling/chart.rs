//! Speedup as bars of characters for terminals, with a mark for perfect scaling. Deeply indented lines
//! are printed as they are.
//!
//! ```text
//! lcam_trace: jit_step on XLA:CPU
//!             1 ██████|                     1.00× of 1
//!             2 █████████   |               1.52× of 2
//!             4 ███████████              |  1.94× of 4
//! ```

use super::limits::times;
use super::report::{ScalingReport, ScalingRow};
use crate::telling::format;

/// Width of the longest bar, in characters.
const WIDTH: usize = 44;

/// One line per method and device count, and below the lines of a method its conclusion.
pub(super) fn lines(report: &ScalingReport) -> Vec<String> {
    let longest = report
        .rows
        .iter()
        .map(|row| row.ideal_speedup_ratio.max(row.speedup_ratio))
        .fold(1.0, f64::max);
    let mut lines = Vec::new();
    for (group, method) in report.methods.iter().enumerate() {
        let rows = report.rows.iter();
        let mut own: Vec<&ScalingRow> = rows.filter(|row| row.group == group).collect();
        own.sort_by_key(|row| row.device_count);
        lines.push(format::shortened(&method.name));
        for row in own {
            lines.push(line(row, longest));
        }
        lines.push(format!("  {}", method.conclusion));
        if !method.apart_because.is_empty() {
            lines.push(format!("  {}.", method.apart_because));
        }
        lines.push(String::new());
    }
    lines
}

fn line(row: &ScalingRow, longest: f64) -> String {
    let columns = |ratio: f64| columns(ratio / longest);
    let (reached, ideal) = (columns(row.speedup_ratio), columns(row.ideal_speedup_ratio));
    let mut bar = "█".repeat(reached);
    if ideal > reached {
        bar.push_str(&" ".repeat(ideal - reached - 1));
        bar.push('|');
    }
    let missing = WIDTH.saturating_sub(reached.max(ideal));
    bar.push_str(&" ".repeat(missing));
    format!(
        "     {:>4} {bar} {} of {}",
        row.device_count,
        times(row.speedup_ratio),
        row.ideal_speedup_ratio
    )
}

/// Width of a share of the longest bar, in characters.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the width of the chart"
)]
fn columns(share: f64) -> usize {
    (share.clamp(0.0, 1.0) * WIDTH as f64).round() as usize
}
