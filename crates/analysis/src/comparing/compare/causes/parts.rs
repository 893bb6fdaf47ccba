//! Parts of work that changed although none of their ops did by much.

use super::super::cause::{MOST, cause, more_or_less, signed};
use super::super::pair::Both;
use super::super::report::{ComparedCause, Evidence};
use super::super::waterfall::{Change, WORK_PARTS, in_words};
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::telling::format::duration_ps;

/// Parts of work that changed beyond noise, although none of their ops did: `communication takes 2 ms more
/// per step`.
pub(super) fn of_parts(
    both: &Both<'_, '_>,
    told: &[ComparedCause],
    least_ps: f64,
) -> Vec<ComparedCause> {
    let changed = WORK_PARTS.into_iter().filter_map(|part| {
        let found = both.part(part);
        let change_ps = found.difference_ps;
        let is_known = found.evidence == Evidence::BeyondNoise && change_ps.abs() >= least_ps;
        let of_ops = told.iter().filter(|cause| {
            let op = cause.op.map(|op| both.changes.ops[op].part);
            op == Some(part)
        });
        let of_ops_ps: f64 = of_ops.filter_map(|cause| cause.difference_ps).sum();
        (is_known && of_ops_ps / change_ps < MOST).then(|| of_part(both, part, change_ps))
    });
    changed.collect()
}

/// Ops that are named as most of the change of a part.
const MOST_OF_PART: usize = 3;

fn of_part(both: &Both<'_, '_>, part: PartKind, change_ps: f64) -> ComparedCause {
    let same_way = |op: &(usize, &Change)| op.1.part == part && op.1.step_ps * change_ps > 0.0;
    let ops: Vec<(usize, &Change)> = both
        .changes
        .ops
        .iter()
        .enumerate()
        .filter(same_way)
        .collect();
    let told = |(at, op): &(usize, &Change)| {
        let name = format::shortened(both.name(*at));
        format!("{name} {}", signed(op.step_ps))
    };
    let sum_ps = |ops: &[(usize, &Change)]| ops.iter().map(|(_, op)| op.step_ps).sum::<f64>();
    let most = (1..=ops.len().min(MOST_OF_PART))
        .map(|count| &ops[..count])
        .find(|largest| sum_ps(largest) / change_ps >= MOST);
    let mostly = match (most, ops.as_slice()) {
        (Some(largest), _) => {
            let largest: Vec<String> = largest.iter().map(told).collect();
            format!(", most of it in {}", largest.join(" and "))
        }
        (None, []) => String::new(),
        (None, [largest, ..]) => format!(
            ", spread over {}, the largest {}",
            format::counted(ops.len(), "op"),
            told(largest)
        ),
    };
    let more = more_or_less(change_ps);
    let text = format!(
        "{} takes {} {more} per step{mostly}",
        in_words(part),
        duration_ps(change_ps.abs())
    );
    ComparedCause {
        evidence: Some(Evidence::BeyondNoise),
        ..cause("part", text, Some(change_ps))
    }
}
