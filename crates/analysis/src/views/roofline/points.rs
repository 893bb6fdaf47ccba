//! Points: work and time as a row, and the peaks above them.

use std::collections::BTreeMap;

use stepscope_model::{
    Chip, DeviceId, DeviceKind, MemoryLevel, ProgramId, SaturatingSum as _, Session,
};

use super::report::{RooflineLevel, RooflinePeak, RooflineRow};
use crate::views::ops::{
    Measured, Peaks, Roofline, Work, common_peaks, is_async_half, is_over_peak, roofline,
};

/// An op over its total time.
pub(super) fn op(op: &Measured, peaks: &Peaks, total_self_ps: i64) -> RooflineRow {
    let row = &op.row;
    let rated = op.work.as_ref().filter(|_| !is_async_half(&row.category));
    let mut point = point("op", rated, row.total_ps, peaks, Some(&op.roofline));
    if let Some(work) = &op.work {
        // Halves of asynchronous ops have work and no rate.
        point.flops = work.flops;
        point.bytes = Some(work.bytes);
    }
    point.mfu_ratio = None;
    point.name.clone_from(&row.name);
    point.program.clone_from(&row.program);
    point.program_id.clone_from(&row.program_id);
    point.category.clone_from(&row.category);
    point.class.clone_from(&row.class);
    point.operand_type.clone_from(&row.operand_type);
    (point.expected_ps, point.times_expected) = (row.expected_ps, row.times_expected);
    point.expectation.clone_from(&row.expectation);
    point.cost_source.clone_from(&row.cost_source);
    point.scope.clone_from(&row.scope);
    point.source.clone_from(&row.source);
    (point.occurrences, point.executions) = (row.occurrences, row.executions);
    point.self_ps = row.self_ps;
    point.self_ratio = if total_self_ps > 0 {
        row.self_ps as f64 / total_self_ps as f64
    } else {
        0.0
    };
    point
}

/// All ops over the given elapsed time.
pub(super) fn total(ops: &[Measured], elapsed_ps: i64, peaks: &Peaks) -> RooflineRow {
    let (work, self_ps, occurrences) = sums(ops.iter());
    let mut row = point("total", work.as_ref(), elapsed_ps, peaks, None);
    "total".clone_into(&mut row.name);
    (row.self_ps, row.occurrences, row.self_ratio) = (self_ps, occurrences, 1.0);
    row
}

/// Puts operations that the user states in the place of those that the HLO tells. They are those of
/// one step over all devices, and the row covers `step_count` steps.
pub(super) fn state_model_flops(
    row: &mut RooflineRow,
    model_flops: Option<f64>,
    step_count: i64,
    peaks: &Peaks,
    work: Option<&Work>,
) {
    let Some(stated) = model_flops else { return };
    let known = work.and_then(|work| {
        let seconds = peaks
            .needed_seconds(work)
            .filter(|&seconds| seconds > 0.0)?;
        Some(work.needed.products.total() / seconds)
    });
    let peak = known.or(peaks.flops);
    let seconds = row.total_ps as f64 * 1e-12;
    row.mfu_ratio = peak
        .filter(|_| seconds > 0.0)
        .map(|peak| stated * step_count as f64 / (peak * seconds));
}

/// Several ops over a time.
pub(super) fn over<'a>(
    ops: impl Iterator<Item = &'a Measured>,
    time_ps: i64,
    peaks: &Peaks,
) -> RooflineRow {
    let (work, self_ps, occurrences) = sums(ops);
    let mut row = point("total", work.as_ref(), time_ps, peaks, None);
    (row.self_ps, row.occurrences) = (self_ps, occurrences);
    row
}

/// Programs over the self time of their ops, largest first.
pub(super) fn programs(session: &Session, ops: &[Measured]) -> Vec<RooflineRow> {
    let mut by_program: BTreeMap<Option<ProgramId>, Vec<&Measured>> = BTreeMap::new();
    for op in ops {
        by_program.entry(op.program).or_default().push(op);
    }
    let all_ps: i64 = ops.iter().map(|op| op.row.self_ps).saturating_sum();
    let mut rows: Vec<RooflineRow> = by_program
        .into_iter()
        .map(|(program, ops)| {
            let mut devices: Vec<DeviceId> = ops.iter().flat_map(|op| op.devices.clone()).collect();
            devices.sort_unstable();
            devices.dedup();
            let peaks = common_peaks(session, &devices);
            let (work, self_ps, occurrences) = sums(ops.iter().copied());
            let mut row = point("program", work.as_ref(), self_ps, &peaks, None);
            row.name = program.map_or_else(
                || "(no program)".to_owned(),
                |program| session.program(program).title(),
            );
            if let Some(first) = ops.first() {
                row.program.clone_from(&first.row.program);
                row.program_id.clone_from(&first.row.program_id);
            }
            (row.self_ps, row.occurrences) = (self_ps, occurrences);
            row.self_ratio = self_ps as f64 / all_ps.max(1) as f64;
            row
        })
        .collect();
    rows.sort_by(|a, b| b.self_ps.cmp(&a.self_ps).then_with(|| a.name.cmp(&b.name)));
    rows
}

/// Work, self time and number of slices. No work if it is unknown for all ops.
fn sums<'a>(ops: impl Iterator<Item = &'a Measured>) -> (Option<Work>, i64, i64) {
    let mut sums = (None::<Work>, 0i64, 0i64);
    for op in ops {
        if let Some(work) = &op.work {
            sums.0.get_or_insert_default().add(work);
        }
        sums.1 = sums.1.saturating_add(op.row.self_ps);
        sums.2 = sums.2.saturating_add(op.row.occurrences);
    }
    sums
}

/// A point; `known` holds rates that were already computed.
pub(super) fn point(
    kind: &str,
    work: Option<&Work>,
    time_ps: i64,
    peaks: &Peaks,
    known: Option<&Roofline>,
) -> RooflineRow {
    let rates = match (known, work) {
        (Some(known), _) => *known,
        (None, Some(work)) => roofline(work, time_ps, peaks),
        (None, None) => Roofline::default(),
    };
    let needed = work
        .filter(|work| work.flops.is_some())
        .map(|work| &work.needed);
    let efficiency = rates.ratio.filter(|&ratio| ratio > 0.0);
    let per_byte = |work: &Work, bytes: f64| Some(work.flops.filter(|_| bytes > 0.0)? / bytes);
    RooflineRow {
        kind: kind.to_owned(),
        name: String::new(),
        program: String::new(),
        program_id: String::new(),
        category: String::new(),
        class: String::new(),
        step: None,
        start_ps: None,
        end_ps: None,
        occurrences: 0,
        executions: 0,
        total_ps: time_ps,
        self_ps: 0,
        self_ratio: 0.0,
        flops: work.and_then(|work| work.flops),
        bytes: work.map(|work| work.bytes),
        flop_rate: rates.flop_rate,
        bandwidth: rates.bandwidth,
        intensity: work.and_then(|work| per_byte(work, work.bytes)),
        bound_by: rates.bound_by.to_owned(),
        compute_ratio: rates.compute_ratio,
        mfu_ratio: rates.needed_ratio,
        needed_flops: needed.map(|needed| needed.products.total()),
        recomputed_flops: needed.map(|needed| needed.repeated),
        masked_flops: needed.map(|needed| needed.masked),
        copied_flops: needed.map(|needed| needed.copied),
        roofline_ratio: rates.ratio,
        optimal_flop_rate: rates
            .flop_rate
            .zip(efficiency)
            .map(|(rate, ratio)| rate / ratio),
        operand_type: String::new(),
        expected_ps: None,
        times_expected: None,
        expectation: String::new(),
        is_over_peak: is_over_peak(rates.ratio),
        levels: work
            .filter(|_| time_ps > 0)
            .map(|work| levels(work, time_ps, peaks, &rates))
            .unwrap_or_default(),
        cost_source: String::new(),
        scope: String::new(),
        source: String::new(),
    }
}

fn levels(work: &Work, time_ps: i64, peaks: &Peaks, rates: &Roofline) -> Vec<RooflineLevel> {
    let seconds = time_ps as f64 * 1e-12;
    MemoryLevel::ALL
        .iter()
        .filter(|level| peaks.levels[level.index()].is_some() || work.traffic.get(**level) > 0.0)
        .map(|&level| {
            let bytes = work.traffic.get(level);
            RooflineLevel {
                level: level.name().to_owned(),
                bytes,
                bandwidth: bytes / seconds,
                intensity: work
                    .flops
                    .filter(|_| bytes > 0.0)
                    .map(|flops| flops / bytes),
                ratio: rates.level_ratios[level.index()],
            }
        })
        .collect()
}

/// Peaks of the chips of these devices, each chip once.
pub(super) fn peaks(session: &Session, devices: &[DeviceId]) -> Vec<RooflinePeak> {
    let mut chips: Vec<(&Chip, DeviceKind, usize)> = Vec::new();
    for &device in devices {
        let device = session.device(device);
        match chips.iter_mut().find(|(chip, ..)| **chip == device.chip) {
            Some((_, _, count)) => *count += 1,
            None => chips.push((&device.chip, device.kind, 1)),
        }
    }
    chips
        .into_iter()
        .flat_map(|(chip, kind, count)| peaks_of(chip, kind, count))
        .collect()
}

fn peaks_of(chip: &Chip, kind: DeviceKind, device_count: usize) -> Vec<RooflinePeak> {
    let compute = chip.peak_flops.as_ref().map(|peak| peak.per_second);
    let unknown = if kind == DeviceKind::Cpu {
        "unknown: profiles of XLA:CPU do not record the peaks of the processor"
    } else {
        "unknown: not recorded, and the chip model is not in the table"
    };
    let mut rows = vec![RooflinePeak {
        chip: chip.name.clone(),
        device_count,
        level: "compute".to_owned(),
        operand_type: String::new(),
        per_second: compute,
        ridge_intensity: None,
        source: source(chip.peak_flops.as_ref().map(|peak| &peak.source), unknown),
    }];
    let bandwidth = chip.peak_bandwidth.as_ref().map(|peak| peak.per_second);
    rows.extend(
        chip.operand_peaks
            .iter()
            .map(|(operand, peak)| RooflinePeak {
                chip: chip.name.clone(),
                device_count,
                level: "compute".to_owned(),
                operand_type: operand.name().to_owned(),
                per_second: Some(peak.per_second),
                ridge_intensity: bandwidth.map(|bandwidth| peak.per_second / bandwidth),
                source: peak.source.clone(),
            }),
    );
    for level in MemoryLevel::ALL {
        let peak = chip.memory_peak(level);
        if peak.is_none() && level != MemoryLevel::Hbm {
            continue;
        }
        let per_second = peak.map(|peak| peak.per_second);
        rows.push(RooflinePeak {
            chip: chip.name.clone(),
            device_count,
            level: level.name().to_owned(),
            operand_type: String::new(),
            per_second,
            ridge_intensity: compute.zip(per_second).map(|(flops, bytes)| flops / bytes),
            source: source(peak.map(|peak| &peak.source), unknown),
        });
    }
    rows
}

fn source(recorded: Option<&String>, unknown: &str) -> String {
    recorded.cloned().unwrap_or_else(|| unknown.to_owned())
}
