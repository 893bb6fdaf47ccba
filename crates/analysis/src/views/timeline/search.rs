//! Search over the whole session: a query selects labels, of which there are only
//! thousands; then the label columns are scanned for the slices to list.

use super::labels::{self, LabelTotal, all_lanes};
use rayon::prelude::*;
use regex::Regex;
use stepscope_model::{Label, LabelId, Lane, Session, SliceId, SliceKind, TrackId};

use super::index::TimelineIndex;
use super::labels::position;
use super::query::Query;
use super::report::{SearchName, SearchReport, SearchSlice};
use crate::asking::AnalysisError;
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
    Ok(find(session, index, pattern, from_ps, limit)?.report(session))
}

/// What a search found, before its texts are copied: how long the answer will be is known.
pub struct Found {
    match_count: i64,
    /// Most time first.
    labels: Vec<(LabelId, LabelTotal)>,
    /// With their starts, in time order.
    slices: Vec<(i64, SliceId)>,
    remark: Option<String>,
}

/// The search of [`search`], without its answer.
pub fn find(
    session: &Session,
    index: &TimelineIndex,
    pattern: &str,
    from_ps: i64,
    limit: usize,
) -> Result<Found, AnalysisError> {
    let query = Query::parse(pattern)?;
    if query.is_empty() {
        return Ok(Found {
            match_count: 0,
            labels: Vec::new(),
            slices: Vec::new(),
            remark: query.remark(0),
        });
    }
    let is_match = matching_labels(session, index, &query);
    let lanes = || {
        let mut lanes = all_lanes(session);
        lanes.retain(|&(track, ..)| query.admits_track(session, track));
        lanes
    };
    let limited = query
        .limits_slices()
        .then(|| labels::totals_where(session, lanes(), |ps| query.admits_duration(ps)));
    let totals = limited
        .as_deref()
        .unwrap_or_else(|| index.label_totals(session));
    let mut labels: Vec<(LabelId, LabelTotal)> = (0..session.labels.len())
        .filter(|&label| is_match[label] && totals[label].count > 0)
        .map(|label| (LabelId::from_index(label), totals[label]))
        .collect();
    let match_count = labels.iter().map(|(_, total)| total.count).sum();
    labels.sort_by_key(|&(label, total)| (std::cmp::Reverse(total.total_ps), label));
    labels.truncate(DEFAULT_LIMIT.max(limit));
    let slices = if match_count == 0 {
        Vec::new()
    } else {
        let is_found = |label: LabelId, ps| is_match[label.index()] && query.admits_duration(ps);
        first_slices(lanes(), is_found, from_ps, limit)
    };
    Ok(Found {
        match_count,
        labels,
        slices,
        remark: query.remark(match_count),
    })
}

impl Found {
    /// Bytes of the texts in the answer.
    pub fn text_bytes(&self, session: &Session) -> u64 {
        let names = self.labels.iter();
        let names = names.map(|&(label, _)| session.label_name(label));
        let slices = self.slices.iter().map(|&(_, slice)| {
            let track = session.track_in_passing(slice.track);
            let lane = &track.lanes[slice.lane as usize];
            let name = session.label_name(lane.labels()[slice.index as usize]);
            name.len() + session.text(track.name).len()
        });
        (names.map(str::len).sum::<usize>() + slices.sum::<usize>()) as u64
    }

    /// The answer.
    pub fn report(self, session: &Session) -> SearchReport {
        let names = self.labels.into_iter();
        let slices = self.slices.into_iter();
        SearchReport {
            match_count: self.match_count,
            names: names
                .map(|(label, total)| search_name(session, label, total))
                .collect(),
            slices: slices
                .map(|(start, slice)| search_slice(session, start, slice))
                .collect(),
            remark: self.remark,
        }
    }
}

fn matching_labels(session: &Session, index: &TimelineIndex, query: &Query) -> Vec<bool> {
    let labels = session.labels.par_iter();
    let admitted = labels.map(|label| query.admits_label(session, label));
    match &query.text {
        Some(regex) => {
            let by_text = labels_with_text(session, index, regex);
            let both = admitted.zip(by_text);
            both.map(|(one, other)| one && other).collect()
        }
        None => admitted.collect(),
    }
}

fn labels_with_text(session: &Session, index: &TimelineIndex, regex: &Regex) -> Vec<bool> {
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

fn search_name(session: &Session, id: LabelId, total: LabelTotal) -> SearchName {
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
    lanes: Vec<(TrackId, u32, Lane)>,
    is_found: impl Fn(LabelId, i64) -> bool + Sync,
    from_ps: i64,
    limit: usize,
) -> Vec<(i64, SliceId)> {
    let is_found = &is_found;
    let mut found: Vec<(i64, SliceId)> = lanes
        .into_par_iter()
        .flat_map_iter(|(track, number, lane)| {
            let first = lane.starts().partition_point(|&start| start < from_ps);
            (first..lane.len())
                .filter(|&index| is_found(lane.labels()[index], lane.durations()[index]))
                .take(limit)
                .map(|index| {
                    let address = SliceId {
                        track,
                        lane: number,
                        index: position(index),
                    };
                    (lane.starts()[index], address)
                })
                .collect::<Vec<_>>()
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

pub(super) fn search_slice(session: &Session, start_ps: i64, slice: SliceId) -> SearchSlice {
    let track = session.track_in_passing(slice.track);
    let lane = &track.lanes[slice.lane as usize];
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
