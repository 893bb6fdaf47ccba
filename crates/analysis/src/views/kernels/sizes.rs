//! Kernels by duration and copies by size: how many, and what share of the time.

use std::collections::BTreeMap;

use stepscope_model::{Direction, Session, SliceKind};

use super::report::{DurationBin, TransferSize};
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;
use crate::measuring::totals::WorkTotals;

/// Upper ends of the duration bins; the last bin has none.
const DURATIONS_PS: [i64; 13] = [
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
    200_000_000,
    500_000_000,
    1_000_000_000,
    2_000_000_000,
    5_000_000_000,
    10_000_000_000,
];
/// Kernels shorter than this are tiny. Many of them indicate that little was fused.
pub(super) const TINY_PS: i64 = 100_000_000;
/// Kernels longer than this make their launch cost negligible.
const LONG_PS: i64 = 1_000_000_000;

/// Upper ends of the size bins of copies.
const SIZES: [u64; 6] = [4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20, 1 << 30];

/// Selected kernels by duration. Empty without kernels.
pub(super) fn durations(
    session: &Session,
    selected: &Selected<'_>,
    labels: &[bool],
) -> Vec<DurationBin> {
    let is_kernel: Vec<bool> = session
        .labels
        .iter()
        .zip(labels)
        .map(|(label, is_counted)| *is_counted && label.kind == SliceKind::Kernel)
        .collect();
    let mut sums = [(0i64, 0i64); DURATIONS_PS.len() + 1];
    let gpus = selected.devices.iter();
    for &device in gpus.filter(|&&device| session.device(device).kind.is_gpu()) {
        let windows = Intervals::union_of(selected.windows(device));
        let tracks: Vec<_> = session.work_tracks(device).collect();
        for lane in tracks.iter().flat_map(|(_, track)| &track.lanes) {
            for range in selected.slices(lane, windows.spans()) {
                for index in range {
                    if is_kernel[lane.labels()[index].index()] {
                        let duration = lane.durations()[index];
                        let bin = DURATIONS_PS.partition_point(|&end| end <= duration);
                        sums[bin].0 += 1;
                        sums[bin].1 = sums[bin].1.saturating_add(duration);
                    }
                }
            }
        }
    }
    let (count, total_ps) = sums.iter().fold((0, 0i64), |all, bin| {
        (all.0 + bin.0, all.1.saturating_add(bin.1))
    });
    if count == 0 {
        return Vec::new();
    }
    let bins = sums
        .iter()
        .enumerate()
        .map(|(bin, &(occurrences, time_ps))| {
            let start_ps = bin.checked_sub(1).map_or(0, |before| DURATIONS_PS[before]);
            DurationBin {
                start_ps,
                end_ps: DURATIONS_PS.get(bin).copied(),
                occurrences,
                total_ps: time_ps,
                occurrence_ratio: occurrences as f64 / count as f64,
                time_ratio: time_ps as f64 / total_ps.max(1) as f64,
                verdict: verdict(start_ps).to_owned(),
            }
        });
    // From the first to the last bin that has kernels.
    let mut bins: Vec<DurationBin> = bins.collect();
    while bins.last().is_some_and(|bin| bin.occurrences == 0) {
        bins.pop();
    }
    let empty = bins.iter().take_while(|bin| bin.occurrences == 0).count();
    bins.drain(..empty);
    bins
}

/// Verdict on a kernel's duration: bad below 0.1 ms, warning below 1 ms, good otherwise.
fn verdict(start_ps: i64) -> &'static str {
    if start_ps < TINY_PS {
        "bad"
    } else if start_ps < LONG_PS {
        "warning"
    } else {
        "good"
    }
}

/// Copies by direction and size. Those without a recorded size are left out.
pub(super) fn transfer_sizes(session: &Session, totals: &[WorkTotals]) -> Vec<TransferSize> {
    let mut bins: BTreeMap<(Direction, usize), (i64, u64, i64)> = BTreeMap::new();
    for (id, totals) in totals.iter().flat_map(|totals| &totals.labels) {
        let label = session.label(*id);
        let Some((direction, bytes)) = label.transfer.and_then(|t| Some((t.direction, t.bytes?)))
        else {
            continue;
        };
        if label.kind != SliceKind::Transfer {
            continue;
        }
        let bin = SIZES.partition_point(|&end| end <= bytes);
        let sum = bins.entry((direction, bin)).or_default();
        sum.0 = sum.0.saturating_add(totals.occurrences);
        let moved = bytes.saturating_mul(totals.occurrences.unsigned_abs());
        sum.1 = sum.1.saturating_add(moved);
        sum.2 = sum.2.saturating_add(totals.total_ps);
    }
    let rows =
        bins.into_iter().map(
            |((direction, bin), (occurrences, bytes, total_ps))| TransferSize {
                direction: direction.name().to_owned(),
                start_bytes: bin.checked_sub(1).map_or(0, |before| whole(SIZES[before])),
                end_bytes: SIZES.get(bin).map(|&end| whole(end)),
                occurrences,
                bytes: whole(bytes),
                total_ps,
                bandwidth: (total_ps > 0).then(|| bytes as f64 / (total_ps as f64 * 1e-12)),
            },
        );
    rows.collect()
}

fn whole(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
