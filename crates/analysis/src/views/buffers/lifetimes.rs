//! Buffers as rectangles: points of the schedule × bytes of the allocation.

use stepscope_model::hlo::name_stack::{Pass, pass};

use super::compose::{name, origin};
use super::plan::Plan;
use super::replay::{Life, Replay};
use super::report::{BufferLifetime, BufferPoint};
use super::space::signed;

/// Maximum number of rectangles that are sent; a screen cannot show more.
const MAX_LIFETIMES: usize = 1500;

/// Maximum number of ranges of a thinned-out curve.
const MAX_POINTS: usize = 1000;

/// The lifetimes of the buffers in the heap, the largest by bytes × points.
pub(super) fn lifetimes(plan: &Plan<'_>, replay: &Replay<'_>) -> Vec<BufferLifetime> {
    let last = replay.bytes.len();
    let area = |life: &Life| {
        let points = life.end.min(last).saturating_sub(life.start) as u128;
        u128::from(plan.buffer(life.buffer).size) * points
    };
    let mut lives: Vec<&Life> = replay
        .lives
        .iter()
        .filter(|life| plan.allocation_of(life.buffer) == replay.allocation && area(life) > 0)
        .collect();
    lives.sort_by_key(|life| (std::cmp::Reverse(area(life)), life.start, life.buffer));
    lives.truncate(MAX_LIFETIMES);
    let rows = lives.into_iter().map(|life| BufferLifetime {
        name: name(plan, life.buffer),
        offset_bytes: signed(plan.offset(life.buffer).unwrap_or(0)),
        bytes: signed(plan.buffer(life.buffer).size),
        start: life.start,
        end: life.end.min(last),
        phase: plan
            .instruction(life.buffer)
            .map(|instruction| origin(plan, instruction).0)
            .map_or("", |scope| pass_name(&scope))
            .to_owned(),
    });
    rows.collect()
}

fn pass_name(scope: &str) -> &'static str {
    match pass(scope) {
        Pass::Forward => "forward",
        Pass::Backward => "backward",
        Pass::Rematerialized => "rematerialized",
        Pass::Unknown => "",
    }
}

/// The curve, thinned out to what can be drawn: the point with the most bytes of each range, so that the
/// peak is always included, and the two ends.
pub(super) fn curve(replay: &Replay<'_>) -> Vec<BufferPoint> {
    let count = replay.bytes.len();
    let width = count.div_ceil(MAX_POINTS).max(1);
    let mut positions: Vec<usize> = vec![0];
    for start in (0..count).step_by(width) {
        let stretch = start..(start + width).min(count);
        let best = stretch.min_by_key(|&at| (std::cmp::Reverse(replay.bytes[at]), at));
        positions.extend(best);
    }
    positions.push(count.saturating_sub(1));
    positions.sort_unstable();
    positions.dedup();
    let points = positions.into_iter().map(|position| BufferPoint {
        position,
        bytes: signed(replay.bytes[position]),
        unpadded_bytes: signed(replay.unpadded[position]),
        instruction: replay.instruction_at(position).to_owned(),
    });
    points.collect()
}
