//! The steps of the chart, and the mean step.
//!
//! A step's bar is the mean over hosts of the mean over each host's devices, so every host has the
//! same weight regardless of its number of devices, as in the step time.

use stepscope_model::{HostId, Session};

use super::types::{PartKind, StepBar, StepPart};
use crate::measuring::steps::parts::PARTS;
use crate::measuring::steps::{StepParts, median, outliers};

/// One step: duration and parts, picoseconds.
type Bar = (f64, [f64; PARTS.len()]);

/// One bar per step. `parts` are sorted by step.
pub(crate) fn bars(session: &Session, parts: &[StepParts]) -> Vec<StepBar> {
    let mut bars: Vec<StepBar> = parts
        .chunk_by(|a, b| a.step == b.step)
        .map(|rows| {
            let (duration_ps, parts_ps) = bar(rows);
            StepBar {
                step: session.steps[rows[0].step].number,
                start_ps: rows.iter().map(|row| row.span.start.0).min().unwrap_or(0),
                duration_ps,
                parts_ps: parts_ps.to_vec(),
                is_outlier: false,
            }
        })
        .collect();
    let durations: Vec<f64> = bars.iter().map(|bar| bar.duration_ps).collect();
    for (bar, is_outlier) in bars.iter_mut().zip(outliers(&durations)) {
        bar.is_outlier = is_outlier;
    }
    bars
}

/// A part explains a long step if it grew by at least this share of what the step takes beyond the median.
pub const EXPLAINS: f64 = 1.0 / 3.0;

/// The part of a step that exceeds its median over all steps the most, and by how many picoseconds: if possible,
/// one of which no usual step has as much, unless it explains too little of the step.
pub fn grown_part(bars: &[StepBar], step: &StepBar) -> (PartKind, f64) {
    let least = EXPLAINS * excess_ps(bars, step);
    if let Some(&most) = grown_parts(bars, step).first()
        && most.1 >= least
    {
        return most;
    }
    let grown = (0..PARTS.len()).map(|index| (PARTS[index], beyond(bars, step, index)));
    grown
        .reduce(|most, next| if next.1 > most.1 { next } else { most })
        .unwrap_or((PartKind::Idle, 0.0))
}

/// The outliers beyond the median, and the median.
pub(crate) fn long_steps(bars: &[StepBar]) -> (Vec<&StepBar>, f64) {
    let durations: Vec<f64> = bars.iter().map(|bar| bar.duration_ps).collect();
    let usual_ps = median(&durations);
    let is_long = |bar: &&StepBar| bar.is_outlier && bar.duration_ps > usual_ps;
    (bars.iter().filter(is_long).collect(), usual_ps)
}

/// The long step that stands for the others, of the outliers beyond the median: half of the time that they lose
/// is lost in steps at least as long. What makes it long costs more than what makes shorter ones long, however
/// many of them there are.
pub fn typical_long(bars: &[StepBar]) -> Option<&StepBar> {
    let (mut sorted, usual_ps) = long_steps(bars);
    sorted.sort_by(|a, b| a.duration_ps.total_cmp(&b.duration_ps));
    let lost = |bar: &StepBar| bar.duration_ps - usual_ps;
    let all: f64 = sorted.iter().copied().map(lost).sum();
    let mut so_far = 0.0;
    sorted.into_iter().rev().find(|bar| {
        so_far += lost(bar);
        so_far * 2.0 >= all
    })
}

/// The parts that a step has more of than any usual step, by how many picoseconds they exceed their
/// medians, largest first.
pub fn grown_parts(bars: &[StepBar], step: &StepBar) -> Vec<(PartKind, f64)> {
    let middle_ps = step.duration_ps - excess_ps(bars, step) / 2.0;
    let is_usual = |bar: &&StepBar| bar.duration_ps < middle_ps;
    let part_of = |bar: &StepBar, index: usize| bar.parts_ps.get(index).copied().unwrap_or(0.0);
    let grown = PARTS.into_iter().enumerate().filter_map(|(index, part)| {
        let more = beyond(bars, step, index);
        let own = part_of(step, index);
        let mut usual = bars.iter().filter(is_usual);
        let is_own = usual.all(|bar| part_of(bar, index) < own);
        (more > 0.0 && is_own).then_some((part, more))
    });
    let mut grown: Vec<_> = grown.collect();
    grown.sort_by(|a, b| b.1.total_cmp(&a.1));
    grown
}

/// How much longer a step is than the median one.
pub fn excess_ps(bars: &[StepBar], step: &StepBar) -> f64 {
    let durations: Vec<f64> = bars.iter().map(|bar| bar.duration_ps).collect();
    step.duration_ps - median(&durations)
}

/// By how much a part of a step exceeds its median over all steps.
fn beyond(bars: &[StepBar], step: &StepBar, index: usize) -> f64 {
    let all = bars.iter().filter_map(|bar| bar.parts_ps.get(index));
    let all: Vec<f64> = all.copied().collect();
    step.parts_ps.get(index).copied().unwrap_or(0.0) - median(&all)
}

/// The parts of the mean step, in display order; empty without steps.
pub(crate) fn mean_parts(parts: &[StepParts]) -> Vec<StepPart> {
    let bars: Vec<Bar> = parts.chunk_by(|a, b| a.step == b.step).map(bar).collect();
    if bars.is_empty() {
        return Vec::new();
    }
    let (duration_ps, parts_ps) = mean(bars.into_iter());
    let shares = PARTS
        .into_iter()
        .zip(parts_ps)
        .map(|(part, mean_ps)| StepPart {
            part,
            mean_ps,
            ratio: if duration_ps > 0.0 {
                mean_ps / duration_ps
            } else {
                0.0
            },
        });
    shares.collect()
}

/// The share of a part in the mean step, 0..1; none without steps.
pub(crate) fn share_of(part: PartKind, of: &[StepPart]) -> Option<f64> {
    let found = of.iter().find(|one| one.part == part)?;
    Some(found.ratio)
}

fn bar(rows: &[StepParts]) -> Bar {
    let mut hosts: Vec<HostId> = rows.iter().map(|row| row.host).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let by_host = hosts.into_iter().map(|host| {
        let of_host = rows.iter().filter(|row| row.host == host);
        mean(of_host.map(|row| {
            (
                row.span.duration().0 as f64,
                row.lengths.parts_ps.map(|part_ps| part_ps as f64),
            )
        }))
    });
    mean(by_host)
}

fn mean(bars: impl Iterator<Item = Bar>) -> Bar {
    let (mut count, mut sums) = (0usize, (0.0, [0.0; PARTS.len()]));
    for (duration_ps, parts_ps) in bars {
        count += 1;
        sums.0 += duration_ps;
        for (sum, part_ps) in sums.1.iter_mut().zip(parts_ps) {
            *sum += part_ps;
        }
    }
    let count = count.max(1) as f64;
    (sums.0 / count, sums.1.map(|sum| sum / count))
}
