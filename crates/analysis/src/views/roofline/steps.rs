//! Steps as points: one pass over the slices that sums the work of each step.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use stepscope_model::{DeviceId, LabelId, OpId, Picos, Session, Span};

use super::options::{Choice, RooflineOptions};
use super::points::{self, point};
use super::report::RooflineRow;
use crate::measuring::selection::{Selected, device_span};
use crate::measuring::steps::divide_steps;
use crate::views::ops::{Measured, Peaks, Work, own_cost};

/// The span of a device that took no part in a step.
const NOWHERE: Span = Span {
    start: Picos::ZERO,
    end: Picos::ZERO,
};

/// Devices whose sums are in memory at a time.
const DEVICES_AT_ONCE: usize = 32;

/// What one slice of a label adds to its step.
#[derive(Clone, Copy, Default)]
struct Weight {
    /// Position in the list of work per op; none for labels without known work.
    work: Option<u32>,
    /// Whether it is infeed or outfeed, and these are excluded.
    is_left_out: bool,
}

/// Sums of one step on one device.
#[derive(Clone, Default)]
struct Sums {
    work: Work,
    /// Number of slices whose work is known.
    rated: i64,
    occurrences: i64,
    left_out_ps: i64,
}

/// One step over all devices.
#[derive(Clone, Default)]
struct Total {
    /// None if the work of all its ops is unknown.
    work: Option<Work>,
    time_ps: i64,
    occurrences: i64,
    /// None if no device took part.
    hull: Option<Span>,
    /// Devices that took part.
    worked: i64,
}

impl Total {
    /// Adds what one device did; the time it took, unless that is another device's.
    fn add(&mut self, sums: &Sums, elapsed: Option<(Span, i64)>) {
        if sums.occurrences == 0 {
            return;
        }
        if sums.rated > 0 {
            self.work.get_or_insert_default().add(&sums.work);
        }
        self.occurrences += sums.occurrences;
        let Some((span, elapsed_ps)) = elapsed else {
            return;
        };
        let rated_ps = elapsed_ps.saturating_sub(sums.left_out_ps).max(0);
        self.time_ps = self.time_ps.saturating_add(rated_ps);
        self.worked += 1;
        self.hull = Some(self.hull.map_or(span, |hull| hull.hull(span)));
    }
}

/// The mean step, then every step; nothing without steps.
pub(super) fn steps(
    session: &Session,
    selected: &Selected<'_>,
    options: &RooflineOptions,
    ops: &[Measured],
    peaks: &Peaks,
) -> Vec<RooflineRow> {
    let Some(found) = step_points(session, selected, options, ops, peaks) else {
        return Vec::new();
    };
    let steps = found.steps.into_iter().map(|(_, row)| row);
    std::iter::once(found.mean).chain(steps).collect()
}

/// Steps as points.
pub(super) struct StepPoints {
    /// The mean step.
    pub(super) mean: RooflineRow,
    /// Work of all steps; none if it is unknown for all ops.
    pub(super) work: Option<Work>,
    /// Every step by its position in `Session::steps`.
    pub(super) steps: Vec<(usize, RooflineRow)>,
}

/// None without steps.
pub(super) fn step_points(
    session: &Session,
    selected: &Selected<'_>,
    options: &RooflineOptions,
    ops: &[Measured],
    peaks: &Peaks,
) -> Option<StepPoints> {
    let steps = selected.step_positions();
    if steps.is_empty() || ops.is_empty() {
        return None;
    }
    let weights = weights(session, selected, options, ops);
    let totals = totals(session, selected, options, &steps, &weights);
    let mut rows: Vec<(usize, RooflineRow)> = Vec::new();
    let mut all = (None::<Work>, 0i64);
    let mut device_steps = 0i64;
    for (&step, total) in steps.iter().zip(totals) {
        let Some(hull) = total.hull else { continue };
        let work = total.work.as_ref();
        if let Some(work) = work {
            all.0.get_or_insert_default().add(work);
        }
        all.1 = all.1.saturating_add(total.time_ps);
        let mut row = point("step", work, total.time_ps, peaks, None);
        row.name = format!("step {}", session.steps[step].number);
        row.step = Some(session.steps[step].number);
        (row.start_ps, row.end_ps) = (Some(hull.start.0), Some(hull.end.0));
        row.occurrences = total.occurrences;
        points::state_model_flops(&mut row, options.model.model_flops, 1, peaks, work);
        divide(&mut row, total.worked);
        device_steps += total.worked;
        rows.push((step, row));
    }
    if rows.is_empty() {
        return None;
    }
    let count = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    let mut mean = point("average", all.0.as_ref(), all.1, peaks, None);
    "mean step".clone_into(&mut mean.name);
    points::state_model_flops(
        &mut mean,
        options.model.model_flops,
        count,
        peaks,
        all.0.as_ref(),
    );
    divide(&mut mean, device_steps);
    Some(StepPoints {
        mean,
        work: all.0,
        steps: rows,
    })
}

/// The steps, each over all devices, device by device: a row of sums is large, and there are as many as
/// steps times devices.
fn totals(
    session: &Session,
    selected: &Selected<'_>,
    options: &RooflineOptions,
    steps: &[usize],
    (weights, works): &(Vec<Option<Weight>>, Vec<Work>),
) -> Vec<Total> {
    let busy = (options.idle == Choice::Exclude).then(|| busy(session, selected));
    let mut totals = vec![Total::default(); steps.len()];
    for devices in selected.devices.chunks(DEVICES_AT_ONCE) {
        let of_device = |&device: &DeviceId| -> Vec<(Span, Sums)> {
            let span = |&step: &usize| device_span(&session.steps[step], session, device);
            let spans: Vec<Span> = steps
                .iter()
                .map(|step| span(step).unwrap_or(NOWHERE))
                .collect();
            let sums = sums(session, device, &spans, weights, works);
            spans.into_iter().zip(sums).collect()
        };
        let by_device: Vec<_> = devices.par_iter().map(of_device).collect();
        for (&device, of_device) in devices.iter().zip(by_device) {
            for ((total, &step), (span, sums)) in totals.iter_mut().zip(steps).zip(&of_device) {
                let elapsed_ps = match &busy {
                    Some(busy) => busy.get(&(step, device)).copied().unwrap_or(0),
                    None => span.duration().0,
                };
                // Companions work in the time of their device.
                let elapsed = selected.is_main(device).then_some((*span, elapsed_ps));
                total.add(sums, elapsed);
            }
        }
    }
    totals
}

/// Makes sums over devices, or over steps and devices, means: the time of a step is that of one device
/// everywhere, so its work must be, too. Rates and ratios stay.
fn divide(row: &mut RooflineRow, count: i64) {
    let count = count.max(1);
    let sums = [
        &mut row.flops,
        &mut row.bytes,
        &mut row.needed_flops,
        &mut row.recomputed_flops,
        &mut row.masked_flops,
        &mut row.copied_flops,
    ];
    for sum in sums {
        *sum = sum.map(|sum| sum / count as f64);
    }
    for level in &mut row.levels {
        level.bytes /= count as f64;
    }
    row.total_ps /= count;
}

/// What a slice of each label adds, and the work per slice of each op.
fn weights(
    session: &Session,
    selected: &Selected<'_>,
    options: &RooflineOptions,
    ops: &[Measured],
) -> (Vec<Option<Weight>>, Vec<Work>) {
    let mut works = Vec::new();
    let mut of_op: FxHashMap<OpId, u32> = FxHashMap::default();
    for op in ops {
        let Some(id) = op.op else { continue };
        let Some(cost) = own_cost(session, session.op(id)) else {
            continue;
        };
        // On GPU several kernels execute an op once.
        let per_slice = op.row.executions as f64 / op.row.occurrences.max(1) as f64;
        of_op.insert(id, u32::try_from(works.len()).unwrap_or(u32::MAX));
        works.push(Work::of(&cost, per_slice));
    }
    let is_excluded = options.infeed == Choice::Exclude;
    let is_selected = selected.labels();
    let weights = session
        .labels
        .iter()
        .zip(is_selected)
        .map(|(label, is_selected)| {
            if !is_selected || !label.kind.is_work() {
                return None;
            }
            let category = label.op.map(|op| session.text(session.op(op).category));
            Some(Weight {
                work: label.op.and_then(|op| of_op.get(&op).copied()),
                is_left_out: is_excluded && category.is_some_and(is_feed),
            })
        });
    (weights.collect(), works)
}

/// Sums over the slices that start in each span. Counting comes first, so that work is multiplied
/// once per op rather than added once per slice.
fn sums(
    session: &Session,
    device: DeviceId,
    spans: &[Span],
    weights: &[Option<Weight>],
    works: &[Work],
) -> Vec<Sums> {
    let mut counts = vec![0i64; works.len()];
    let mut touched: Vec<u32> = Vec::new();
    let tracks: Vec<_> = session.work_tracks(device).collect();
    let lanes: Vec<_> = tracks.iter().flat_map(|(_, track)| &track.lanes).collect();
    let of_span = |&span: &Span| {
        let mut sums = Sums::default();
        for lane in &lanes {
            let range = lane.starting_in(span);
            let durations = lane.durations();
            for index in range {
                let label: LabelId = lane.labels()[index];
                let Some(weight) = weights[label.index()] else {
                    continue;
                };
                sums.occurrences += 1;
                if weight.is_left_out {
                    sums.left_out_ps = sums.left_out_ps.saturating_add(durations[index]);
                    continue;
                }
                if let Some(work) = weight.work {
                    let count = &mut counts[work as usize];
                    if *count == 0 {
                        touched.push(work);
                    }
                    *count += 1;
                    sums.rated += 1;
                }
            }
        }
        for work in touched.drain(..) {
            let count = std::mem::take(&mut counts[work as usize]) as f64;
            let each = &works[work as usize];
            sums.work.add_times(each, count);
        }
        sums
    };
    spans.iter().map(of_span).collect()
}

/// Busy time by step and device.
fn busy(session: &Session, selected: &Selected<'_>) -> FxHashMap<(usize, DeviceId), i64> {
    let divided = divide_steps(session, selected);
    let rows = divided.rows.iter();
    rows.filter_map(|row| Some(((row.step, row.device?), row.lengths.busy_ps)))
        .collect()
}

/// Whether ops of the category exchange data with the host: infeed and outfeed.
pub(super) fn is_feed(category: &str) -> bool {
    category.starts_with("infeed") || category.starts_with("outfeed")
}
