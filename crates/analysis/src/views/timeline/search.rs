//! Search over the whole session: a regular expression decides about labels, of which there are
//! thousands; the label columns are then scanned for the slices to list.

use rayon::prelude::*;
use regex::Regex;
use stepscope_model::{LabelId, Lane, Op, Session, SliceId, TrackId};

use super::index::{TimelineIndex, position};
use super::report::{SearchName, SearchReport, SearchSlice};
use crate::asking::AnalysisError;
use crate::measuring::selection::compile_pattern;
use crate::telling::places::track_title;

/// Names listed at most, and slices where nothing else is asked for.
pub const DEFAULT_LIMIT: usize = 200;

/// Occurrences of a label.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LabelTotal {
    pub(super) count: i64,
    pub(super) total_ps: i64,
}

/// Slices whose name, or whose op's name, category, scope, source or HLO text, matches; those that
/// begin at `from_ps` or later are listed, at most `limit`.
///
/// The names of operands in the HLO text do not count, or a search for one op would find its users.
pub fn search(
    session: &Session,
    index: &TimelineIndex,
    pattern: &str,
    from_ps: i64,
    limit: usize,
) -> Result<SearchReport, AnalysisError> {
    let regex = compile_pattern(pattern)?;
    let is_match = matching_labels(session, index, &regex);
    let mut names = matching_names(session, index.label_totals(session), &is_match);
    let match_count = names.iter().map(|name| name.count).sum();
    names.sort_by(|a, b| b.total_ps.cmp(&a.total_ps).then(a.label.cmp(&b.label)));
    names.truncate(DEFAULT_LIMIT.max(limit));
    let slices = if match_count == 0 {
        Vec::new()
    } else {
        first_slices(session, &is_match, from_ps, limit)
    };
    Ok(SearchReport {
        match_count,
        names,
        slices,
    })
}

fn matching_labels(session: &Session, index: &TimelineIndex, regex: &Regex) -> Vec<bool> {
    let op_texts = index.op_texts(session);
    let op_matches: Vec<bool> = session
        .ops
        .par_iter()
        .zip(op_texts)
        .map(|(op, text)| {
            let texts = [op.name, op.category, op.scope, op.source];
            texts.iter().any(|&id| regex.is_match(session.text(id))) || regex.is_match(text)
        })
        .collect();
    let labels = session.labels.par_iter();
    labels
        .map(|label| {
            let by_op = label.op.is_some_and(|op| op_matches[op.index()]);
            let by_scope = |id| regex.is_match(session.text(id));
            by_op
                || regex.is_match(session.text(label.name))
                || label.framework_op.is_some_and(by_scope)
        })
        .collect()
}

fn matching_names(session: &Session, totals: &[LabelTotal], is_match: &[bool]) -> Vec<SearchName> {
    let matching = (0..session.labels.len()).filter(|&label| is_match[label]);
    matching
        .filter(|&label| totals[label].count > 0)
        .map(|label| {
            let id = LabelId::from_index(label);
            SearchName {
                label: id.0,
                name: session.label_name(id).to_owned(),
                class: session.label(id).class.name().to_owned(),
                count: totals[label].count,
                total_ps: totals[label].total_ps,
            }
        })
        .collect()
}

/// The first matches in time: the first ones of each lane, of these the first ones of all.
fn first_slices(
    session: &Session,
    is_match: &[bool],
    from_ps: i64,
    limit: usize,
) -> Vec<SearchSlice> {
    let mut found: Vec<(i64, SliceId)> = all_lanes(session)
        .into_par_iter()
        .flat_map_iter(|(track, number, lane)| {
            let first = lane.starts().partition_point(|&start| start < from_ps);
            let labels = lane.labels()[first..].iter().enumerate();
            labels
                .filter(|(_, label)| is_match[label.index()])
                .take(limit)
                .map(move |(offset, _)| {
                    let index = first + offset;
                    let address = SliceId {
                        track,
                        lane: number,
                        index: position(index),
                    };
                    (lane.starts()[index], address)
                })
        })
        .collect();
    if found.len() > limit && limit > 0 {
        found.select_nth_unstable(limit - 1);
    }
    found.truncate(limit);
    found.sort_unstable();
    found
        .into_iter()
        .map(|(start, slice)| search_slice(session, start, slice))
        .collect()
}

fn search_slice(session: &Session, start_ps: i64, slice: SliceId) -> SearchSlice {
    let lane = &session.track(slice.track).lanes[slice.lane as usize];
    let index = slice.index as usize;
    SearchSlice {
        slice: slice.into(),
        name: session.label_name(lane.labels()[index]).to_owned(),
        track_name: track_title(session, slice.track),
        start_ps,
        duration_ps: lane.durations()[index],
    }
}

fn all_lanes(session: &Session) -> Vec<(TrackId, u32, &Lane)> {
    let tracks = session.track_ids().map(|id| (id, session.track(id)));
    tracks
        .flat_map(|(id, track)| {
            let lanes = track.lanes.iter().enumerate();
            lanes.map(move |(number, lane)| (id, position(number), lane))
        })
        .collect()
}

/// Counts every label over the whole session.
pub(super) fn label_totals(session: &Session) -> Vec<LabelTotal> {
    let empty = || vec![LabelTotal::default(); session.labels.len()];
    all_lanes(session)
        .into_par_iter()
        .with_min_len(8)
        .fold(empty, |mut totals, (_, _, lane)| {
            for (label, &duration) in lane.labels().iter().zip(lane.durations()) {
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

fn op_text(session: &Session, op: &Op) -> String {
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

/// Drops `%name` wherever it stands.
fn without_operand_names(text: &str) -> String {
    let mut parts = text.split('%');
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
        kept.push_str(part.trim_start_matches(is_name));
    }
    kept
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
