//! What a search examines: how often every label occurs, and the HLO text of every op.

use rayon::prelude::*;
use stepscope_model::{Lane, Op, Session, TrackId};

/// Occurrences and total time of a label.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LabelTotal {
    pub(super) count: i64,
    pub(super) total_ps: i64,
}

/// The lanes of all tracks, each to be read once and dropped: with many hosts, its slices go with it.
pub(super) fn all_lanes(session: &Session) -> Vec<(TrackId, u32, Lane)> {
    let tracks = session.track_ids();
    let tracks = tracks.map(|id| (id, session.track_in_passing(id)));
    tracks
        .flat_map(|(id, track)| {
            let lanes = track.lanes.clone().into_iter().enumerate();
            lanes.map(move |(number, lane)| (id, position(number), lane))
        })
        .collect()
}

/// Counts every label over the whole session.
pub(super) fn label_totals(session: &Session) -> Vec<LabelTotal> {
    totals_where(session, all_lanes(session), |_| true)
}

/// Counts the slices of these lanes by label, if their duration is as required.
pub(super) fn totals_where(
    session: &Session,
    lanes: Vec<(TrackId, u32, Lane)>,
    is_counted: impl Fn(i64) -> bool + Sync,
) -> Vec<LabelTotal> {
    let empty = || vec![LabelTotal::default(); session.labels.len()];
    lanes
        .into_par_iter()
        .with_min_len(8)
        .fold(empty, |mut totals, (_, _, lane)| {
            for (label, &duration) in lane.labels().iter().zip(lane.durations()) {
                if !is_counted(duration) {
                    continue;
                }
                let total = &mut totals[label.index()];
                total.count += 1;
                total.total_ps = total.total_ps.saturating_add(duration);
            }
            totals
        })
        .reduce(empty, |mut totals, others| {
            for (total, other) in totals.iter_mut().zip(others) {
                total.count += other.count;
                total.total_ps = total.total_ps.saturating_add(other.total_ps);
            }
            totals
        })
}

/// The HLO text of every op, without the names of its operands.
pub(super) fn op_texts(session: &Session) -> Vec<String> {
    session
        .ops
        .par_iter()
        .map(|op| without_operand_names(&op_text(session, op)))
        .collect()
}

pub(super) fn op_text(session: &Session, op: &Op) -> String {
    let recorded = session.text(op.expression);
    if !recorded.is_empty() {
        return recorded.to_owned();
    }
    let hlo = session.program(op.program).hlo.as_ref();
    let text = hlo.and_then(|hlo| {
        let instruction = hlo.instruction(session.text(op.name))?;
        Some(hlo.text(instruction))
    });
    text.unwrap_or_default()
}

/// Removes every `%name`.
pub(super) fn without_operand_names(text: &str) -> String {
    let mut parts = text.split('%');
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
        kept.push_str(part.trim_start_matches(is_name));
    }
    kept
}

/// A position in a lane, in wire format. Lanes hold fewer than 2^32 slices.
pub(super) fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
