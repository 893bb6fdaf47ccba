//! Times of the instructions of a program, and their longest slices.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use stepscope_model::{OpId, ProgramId, Session, SliceId, TrackId};

use crate::measuring::selection::Selected;
use crate::measuring::totals::{Totals, work_totals};

/// Times by op, over all selected devices.
pub(super) struct Times {
    by_op: Vec<Totals>,
}

impl Times {
    pub(super) fn of(session: &Session, selected: &Selected<'_>) -> Self {
        let mut by_op = vec![Totals::default(); session.ops.len()];
        for totals in work_totals(session, selected).iter() {
            for (label, totals) in &totals.labels {
                if let Some(op) = session.label(*label).op {
                    by_op[op.index()].merge(*totals);
                }
            }
        }
        Self { by_op }
    }

    /// Ops of a program that were executed, by name.
    pub(super) fn of_program<'s>(
        &self,
        session: &'s Session,
        program: ProgramId,
    ) -> FxHashMap<&'s str, (OpId, Totals)> {
        let ops = session.ops.iter().enumerate();
        ops.filter(|(index, op)| op.program == program && self.by_op[*index].occurrences > 0)
            .map(|(index, op)| {
                let own = (OpId::from_index(index), self.by_op[index]);
                (session.text(op.name), own)
            })
            .collect()
    }

    /// Σ self time per program.
    pub(super) fn self_ps(&self, session: &Session) -> Vec<i64> {
        let mut sums = vec![0i64; session.programs.len()];
        for (op, totals) in session.ops.iter().zip(&self.by_op) {
            if let Some(sum) = sums.get_mut(op.program.index()) {
                *sum = sum.saturating_add(totals.self_ps);
            }
        }
        sums
    }
}

/// A slice, with its time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Longest {
    pub(super) slice: SliceId,
    pub(super) start_ps: i64,
    pub(super) duration_ps: i64,
}

/// The longest slice of each op on the selected devices; the first one if equal.
pub(super) fn longest_slices(
    session: &Session,
    selected: &Selected<'_>,
    ops: &[OpId],
) -> FxHashMap<OpId, Longest> {
    let wanted: FxHashMap<OpId, usize> = ops
        .iter()
        .enumerate()
        .map(|(index, op)| (*op, index))
        .collect();
    // The wanted op by label, so that each slice only needs an array lookup.
    let of_label: Vec<u32> = session
        .labels
        .iter()
        .map(|label| {
            let index = label.op.filter(|_| label.kind.is_work());
            let index = index.and_then(|op| wanted.get(&op));
            index.map_or(u32::MAX, |index| u32::try_from(*index).unwrap_or(u32::MAX))
        })
        .collect();
    let tracks: Vec<TrackId> = selected
        .devices
        .iter()
        .flat_map(|&device| session.work_tracks(device).map(|(track, _)| track))
        .collect();
    let found: Vec<Vec<Option<Longest>>> = tracks
        .par_iter()
        .map(|&track| longest_of_track(session, track, &of_label, ops.len()))
        .collect();
    let mut best: FxHashMap<OpId, Longest> = FxHashMap::default();
    for of_track in found {
        for (op, longest) in ops.iter().zip(of_track) {
            let Some(longest) = longest else { continue };
            let known = best.entry(*op).or_insert(longest);
            if longest.duration_ps > known.duration_ps {
                *known = longest;
            }
        }
    }
    best
}

fn longest_of_track(
    session: &Session,
    track: TrackId,
    of_label: &[u32],
    count: usize,
) -> Vec<Option<Longest>> {
    let mut best: Vec<Option<Longest>> = vec![None; count];
    for (number, lane) in session.track_in_passing(track).lanes.iter().enumerate() {
        let durations = lane.durations();
        for (index, label) in lane.labels().iter().enumerate() {
            let Some(best) = best.get_mut(of_label[label.index()] as usize) else {
                continue;
            };
            if best.is_none_or(|best| durations[index] > best.duration_ps) {
                *best = Some(Longest {
                    slice: SliceId {
                        track,
                        lane: u32::try_from(number).unwrap_or(u32::MAX),
                        index: u32::try_from(index).unwrap_or(u32::MAX),
                    },
                    start_ps: lane.starts()[index],
                    duration_ps: durations[index],
                });
            }
        }
    }
    best
}
