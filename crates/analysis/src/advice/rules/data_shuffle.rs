//! Ops that only move or rearrange data (XProf's DataShuffle; guides: inefficient layouts).

use super::{NO_WORK, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, largest_ops};
use crate::format;
use crate::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "data_shuffle",
    title: "Copies, transposes and reshuffling",
    check,
};

/// Categories of ops that compute nothing.
const CATEGORIES: &[&str] = &[
    "broadcast",
    "concatenate",
    "copy",
    "data formatting",
    "dynamic-slice",
    "dynamic-update-slice",
    "gather",
    "pad",
    "reshape",
    "reverse",
    "scatter",
    "select",
    "select-and-scatter",
    "shuffle",
    "slice",
    "sort",
    "transpose",
];

/// Words of the names that XLA gives to fusions of such ops, and words that say nothing.
const MOVING: &[&str] = &[
    "transpose",
    "copy",
    "concatenate",
    "slice",
    "pad",
    "gather",
    "scatter",
    "reverse",
];
const NEUTRAL: &[&str] = &[
    "loop",
    "input",
    "wrapped",
    "fusion",
    "bitcast",
    "reshape",
    "broadcast",
    "dynamic",
    "update",
    "kd",
];

fn moves_only(row: &OpRow) -> bool {
    if row.class == "collective" {
        return false;
    }
    if CATEGORIES.contains(&row.category.as_str()) {
        return true;
    }
    let is_number = |word: &&str| word.chars().all(|letter| letter.is_ascii_digit());
    let mut words = row
        .name
        .split(['_', '.', '-'])
        .filter(|word| !is_number(word));
    let moves = row
        .name
        .split(['_', '.', '-'])
        .any(|word| MOVING.contains(&word));
    moves && words.all(|word| MOVING.contains(&word) || NEUTRAL.contains(&word))
}

fn check(facts: &Facts<'_>) -> Outcome {
    if !facts.has_work() {
        return Outcome::Skipped(NO_WORK.to_owned());
    }
    let (total, per_step) = facts.ops_per_step(moves_only);
    let ratio = total as f64 / facts.ops.total_self_ps as f64;
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("data_shuffle_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the work."));
    };
    finding(
        &RULE,
        severity,
        format!("{share} of the devices' work only moves data: copies, transposes, slices, gathers."),
    )
    .why("Arrays are made in one layout and used in another, or cut and joined piece by piece.")
    .fix(
        "Keep the dimensions in the order in which matrix products want them; replace concatenations \
         in loops by one write into a preallocated array; index with slices rather than with arrays.",
    )
    .gain(per_step, "share of these ops in the work × busy time of a step")
    .seen(largest_ops(facts, moves_only))
    .found()
}
