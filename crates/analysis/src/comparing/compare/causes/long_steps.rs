//! What makes outlier steps long, in the words that other analyses have for it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::super::cause::{is_most_of, signed};
use super::super::host_time::{Steps, by_cause, by_place, most_changed};
use super::super::pair::{BY_RECORDING, Both};
use super::super::report::WaterfallBar;
use super::super::side::Side;
use super::super::waterfall::in_words;
use crate::measuring::activity::{CAUSES, Cause};
use crate::measuring::steps::PartKind;
use crate::measuring::steps::parts::PARTS;
use crate::telling::format;

/// What outlier steps add, and what most of it is.
pub(super) fn of_outliers(both: &Both<'_, '_>, bar: &WaterfallBar) -> String {
    let counts = both.sides.map(Side::outliers);
    let [before, after] = counts;
    // Fewer of them may still add more.
    let counted = match (after.cmp(&before), bar.difference_ps > 0.0) {
        (Ordering::Equal, true) => format!("{after} on each side, but longer"),
        (Ordering::Equal, false) => format!("{after} on each side, but shorter"),
        (Ordering::Less, true) => format!("{after} instead of {before}, but longer"),
        (Ordering::Greater, false) => format!("{after} instead of {before}, but shorter"),
        _ => format!("{after} instead of {before}"),
    };
    format!(
        "outlier steps ({counted}), which the result excludes: {} per step on average{}",
        signed(bar.difference_ps),
        most_of(both, bar.difference_ps)
    )
}

/// `, most of it collecting garbage, in collect (train.py:12)`.
fn most_of(both: &Both<'_, '_>, difference_ps: f64) -> String {
    let of_host = host(both, difference_ps);
    if !of_host.is_empty() {
        return of_host;
    }
    let excess = |part: PartKind| both.sides[1].excess_ps(part) - both.sides[0].excess_ps(part);
    let counted = PARTS
        .into_iter()
        .filter(|part| *part != PartKind::Compilation);
    let changes = counted.map(|part| (part, excess(part)));
    let same_way = changes.filter(|(_, change)| change * difference_ps > 0.0);
    let largest = same_way.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    match largest.filter(|(_, change)| is_most_of(*change, difference_ps)) {
        // What was recorded decides which kind of waiting it is.
        Some((part, _)) if both.is_recorded_otherwise() && BY_RECORDING.contains(&part) => {
            ", most of it waiting".to_owned()
        }
        Some((part, _)) => format!(", most of it {}", in_words(part)),
        None => String::new(),
    }
}

/// What the host did, if that is most of it.
fn host(both: &Both<'_, '_>, difference_ps: f64) -> String {
    if both.is_recorded_otherwise() {
        return String::new();
    }
    let excess = both.sides.map(|side| {
        let share = side.outliers() as f64 / side.steps.len().max(1) as f64;
        let [usual, long] = [Steps::Typical, Steps::Outliers].map(|steps| by_cause(side, steps));
        let excess = usual
            .iter()
            .zip(long)
            .map(|(usual, long)| share * (long - usual));
        excess.collect::<Vec<f64>>()
    });
    let change = |cause: &Cause| excess[1][cause.position()] - excess[0][cause.position()];
    let told = |cause: &Cause| {
        !matches!(cause, Cause::Unknown | Cause::Device | Cause::Compilation)
            && is_most_of(change(cause), difference_ps)
    };
    let found = CAUSES.into_iter().filter(told);
    let Some(cause) = found.max_by(|a, b| change(a).abs().total_cmp(&change(b).abs())) else {
        return String::new();
    };
    let side = both.sides[usize::from(difference_ps > 0.0)];
    let places = [
        BTreeMap::new(),
        by_place(side, Steps::Outliers, |other| other == cause),
    ];
    let place = most_changed(places, 1.0);
    let place = place.map(|(place, _)| format!(", in {}", format::shortened(&place)));
    format!(
        ", most of it {}{}",
        cause.meaning(),
        place.unwrap_or_default()
    )
}
