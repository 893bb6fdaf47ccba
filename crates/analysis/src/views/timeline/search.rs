//! Search over the whole session: a regular expression selects labels, of which there are only
//! thousands; then the label columns are scanned for the slices to list.

use super::labels::{LabelTotal, all_lanes};
use rayon::prelude::*;
use regex::Regex;
use stepscope_model::{LabelId, Session, SliceId};

use super::index::TimelineIndex;
use super::labels::position;
use super::report::{SearchName, SearchReport, SearchSlice};
use crate::asking::AnalysisError;
use crate::measuring::selection::compile_pattern;
use crate::telling::places::track_title;

/// Maximum number of names listed, and of slices unless requested otherwise.
pub const DEFAULT_LIMIT: usize = 200;

/// Slices whose name matches, or whose op's name, category, scope, source or HLO text does. Lists at
/// most `limit` of those that start at `from_ps` or later.
///
/// Operand names in the HLO text are ignored; otherwise, a search for an op would find its users.
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

/// The first matches in time, merged from the first ones of each lane.
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

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
