//! Most ops are slower, or faster, alike: the machine, not the program.

use super::super::cause::{MOST, cause};
use super::super::items::Item;
use super::super::pair::Both;
use super::super::report::ComparedCause;
use super::super::waterfall::Change;
use crate::telling::format::percent;

/// Most ops are slower, or faster, by a similar factor, so that no single op is the cause. With the change
/// of the step that this makes.
pub(super) fn all_alike(both: &Both<'_, '_>) -> Option<(ComparedCause, f64)> {
    const LEAST_OPS: usize = 8;
    let step_ps = both.sides[0].typical_step_ps()?;
    let mut ratios: Vec<f64> = unchanged(both)
        .filter(|(a, _)| *a >= 0.005 * step_ps)
        .map(|(a, b)| b / a)
        .collect();
    if ratios.len() < LEAST_OPS {
        return None;
    }
    ratios.sort_by(f64::total_cmp);
    let middle = crate::measuring::steps::median(&ratios);
    let (low, high) = (ratios[ratios.len() / 4], ratios[ratios.len() * 3 / 4]);
    let shift = middle - 1.0;
    let is_alike = if shift > 0.0 {
        low - 1.0 > shift / 2.0
    } else {
        high - 1.0 < shift / 2.0
    };
    (shift.abs() > 0.02 && is_alike && follows(both, shift)).then(|| {
        let text = format!(
            "most ops take {} {} time: likely clock speed, chip or machine load, not a single op",
            percent(shift.abs()),
            if shift > 0.0 { "more" } else { "less" }
        );
        let ops = both.changes.ops.iter();
        let unchanged = ops.filter(|change| is_unchanged(both, change));
        let change_ps: f64 = unchanged.map(|change| change.step_ps).sum();
        (cause("all_alike", text, None), change_ps)
    })
}

/// Times of the ops of both sides that are the same, with the same shapes, and run as often: only these can
/// show that the machine is slower.
fn unchanged<'a>(both: &'a Both<'_, '_>) -> impl Iterator<Item = (f64, f64)> + 'a {
    let ops = both.changes.ops.iter();
    let same = ops.filter(|change| is_unchanged(both, change));
    same.filter_map(|change| {
        let time = |side: usize, item| both.item(side, item).map(Item::mean_ps);
        time(0, change.baseline).zip(time(1, change.other))
    })
}

fn is_unchanged(both: &Both<'_, '_>, change: &Change) -> bool {
    matches!(both.matched(change), "same" | "renamed") && !both.has_other_counts(change)
}

/// Whether the work that both sides have changed like that in all: it is most of the work of each, and takes
/// a similar share more or less.
fn follows(both: &Both<'_, '_>, shift: f64) -> bool {
    let all_ps = both.sides.map(|side| {
        let items = side.items.iter();
        items.map(Item::mean_ps).sum::<f64>()
    });
    let common_ps = unchanged(both).fold([0.0, 0.0], |[before, after], (a, b)| {
        [before + a, after + b]
    });
    let is_most = (0..2).all(|side| common_ps[side] >= MOST * all_ps[side]);
    let change = common_ps[1] / common_ps[0] - 1.0;
    is_most && change / shift >= MOST
}
