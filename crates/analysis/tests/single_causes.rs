//! Single causes of `what_if` on real GPU captures: their gains do not contradict each other.

use stepscope_testing::corpus;

use crate::support::{ask, number, open, rows, text};

/// Families whose programs launch kernel by kernel, copy, and communicate.
const FAMILIES: [&str; 4] = ["gpu-h100", "kinds-h100", "waits-h100", "nccl-h100"];

/// Removing a cause gains at least what halving it does, and little more than twice that: besides its
/// time, only gaps and waits go. A copy of 0.6 ms that was launched after a checkpoint of 23 ms is no cause
/// of these.
#[test]
fn what_is_removed_gains_about_twice_what_is_halved() {
    let mut checked = 0;
    let captures = FAMILIES.into_iter().flat_map(corpus::fixtures_in);
    for capture in captures {
        let report = ask(&open(&capture), "what_if", &[]);
        let step_ps = number(&report["before_ps"]);
        for row in rows(&report, "rows") {
            let [gain, low, high] =
                ["gain_ps", "low_gain_ps", "high_gain_ps"].map(|key| number(&row[key]));
            assert!(
                0.0 <= low && low <= gain && gain <= high,
                "{}: {row}",
                capture.name
            );
            let Some(half) = row["half_gain_ps"].as_f64() else {
                continue;
            };
            let slack = 0.01 * step_ps;
            let is_bounded = half <= gain + slack && gain <= 3.0 * half + slack;
            assert!(
                is_bounded,
                "{}: {} {row}",
                capture.name,
                text(row, "change")
            );
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}
