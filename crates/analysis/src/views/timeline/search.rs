//! Search over the whole session: a regular expression selects labels, of which there are only
//! thousands; then the label columns are scanned for the slices to list.

use super::labels::{LabelTotal, all_lanes};
use rayon::prelude::*;
use regex::Regex;
use stepscope_model::{Label, LabelId, Session, SliceId, SliceKind};

use super::index::TimelineIndex;
use super::labels::position;
use super::report::{SearchName, SearchReport, SearchSlice};
use crate::asking::AnalysisError;
use crate::measuring::selection::compile_pattern;
use crate::telling::places::track_title;

/// Maximum number of names listed, and of slices unless requested otherwise.
pub const DEFAULT_LIMIT: usize = 200;

/// Slices whose name matches, or whose op's name, category, scope, source or HLO text does; not the
/// markers of their ends. Lists at most `limit` of those that start at `from_ps` or later.
///
/// Operand names in the HLO text are ignored; otherwise, a search for an op would find its users.
pub fn search(
    session: &Session,
    index: &TimelineIndex,
    pattern: &str,
    from_ps: i64,
    limit: usize,
) -> Result<SearchReport, AnalysisError> {
    Ok(find(session, index, pattern, from_ps, limit)?.report(session, index))
}

/// What a search found, before its texts are copied: how long the answer will be is known.
pub struct Found {
    match_count: i64,
    /// Most time first.
    labels: Vec<LabelId>,
    /// With their starts, in time order.
    slices: Vec<(i64, SliceId)>,
}

/// The search of [`search`], without its answer.
pub fn find(
    session: &Session,
    index: &TimelineIndex,
    pattern: &str,
    from_ps: i64,
    limit: usize,
) -> Result<Found, AnalysisError> {
    let regex = compile_pattern(pattern)?;
    let is_match = matching_labels(session, index, &regex);
    let totals = index.label_totals(session);
    let mut labels: Vec<usize> = (0..session.labels.len())
        .filter(|&label| is_match[label] && totals[label].count > 0)
        .collect();
    let match_count = labels.iter().map(|&label| totals[label].count).sum();
    labels.sort_by_key(|&label| (std::cmp::Reverse(totals[label].total_ps), label));
    labels.truncate(DEFAULT_LIMIT.max(limit));
    let slices = if match_count == 0 {
        Vec::new()
    } else {
        first_slices(session, &is_match, from_ps, limit)
    };
    Ok(Found {
        match_count,
        labels: labels.into_iter().map(LabelId::from_index).collect(),
        slices,
    })
}

impl Found {
    /// Bytes of the texts in the answer.
    pub fn text_bytes(&self, session: &Session) -> u64 {
        let names = self.labels.iter().map(|&label| session.label_name(label));
        let slices = self.slices.iter().map(|&(_, slice)| {
            let lane = &session.track(slice.track).lanes[slice.lane as usize];
            let name = session.label_name(lane.labels()[slice.index as usize]);
            name.len() + session.text(session.track(slice.track).name).len()
        });
        (names.map(str::len).sum::<usize>() + slices.sum::<usize>()) as u64
    }

    /// The answer.
    pub fn report(self, session: &Session, index: &TimelineIndex) -> SearchReport {
        let totals = index.label_totals(session);
        let names = self.labels.into_iter();
        let slices = self.slices.into_iter();
        SearchReport {
            match_count: self.match_count,
            names: names
                .map(|label| search_name(session, label, &totals[label.index()]))
                .collect(),
            slices: slices
                .map(|(start, slice)| search_slice(session, start, slice))
                .collect(),
        }
    }
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
            if let Some(of) = end_marker(session, label) {
                return regex.is_match(session.text(label.name)) && !regex.is_match(of);
            }
            let by_op = label.op.is_some_and(|op| op_matches[op.index()]);
            let by_scope = |id| regex.is_match(session.text(id));
            by_op
                || regex.is_match(session.text(label.name))
                || label.framework_op.is_some_and(by_scope)
        })
        .collect()
}

/// What a marker of an end belongs to. XLA:CPU records one per op, so a search for an op would find
/// everything twice; the markers are found by the word that only they have.
fn end_marker<'a>(session: &'a Session, label: &Label) -> Option<&'a str> {
    if label.kind != SliceKind::Marker {
        return None;
    }
    session.text(label.name).strip_prefix("end: ")
}

fn search_name(session: &Session, id: LabelId, total: &LabelTotal) -> SearchName {
    SearchName {
        label: id.0,
        name: session.label_name(id).to_owned(),
        class: session.label(id).class.name().to_owned(),
        count: total.count,
        total_ps: total.total_ps,
    }
}

/// The first matches in time with their starts, merged from the first ones of each lane.
fn first_slices(
    session: &Session,
    is_match: &[bool],
    from_ps: i64,
    limit: usize,
) -> Vec<(i64, SliceId)> {
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
        .fold(Vec::new, |mut found, one| {
            found.push(one);
            if found.len() >= 2 * limit.max(DEFAULT_LIMIT) {
                keep_first(&mut found, limit);
            }
            found
        })
        .reduce(Vec::new, |mut found, mut others| {
            found.append(&mut others);
            keep_first(&mut found, limit);
            found
        });
    keep_first(&mut found, limit);
    found.sort_unstable();
    found
}

/// Keeps the first ones in time, in any order. Lanes are searched apart: thousands of them would
/// hold the limit each.
fn keep_first(found: &mut Vec<(i64, SliceId)>, limit: usize) {
    if found.len() > limit && limit > 0 {
        found.select_nth_unstable(limit - 1);
    }
    found.truncate(limit);
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

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
