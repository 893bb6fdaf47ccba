//! Calls of compiled functions as host threads recorded them, and those that were still open when
//! the recording ended.
//!
//! A slice is written when it ends. So a recording that ends inside a call lacks the call, but has
//! what the call had already done, such as the execution of its program:
//!
//! ```text
//! host  [call [execute]][call [execute]] [execute] | the recording ends
//!                                        no call around it: one was open
//! ```

use std::collections::BTreeMap;

use crate::ids::{HostId, LabelId, TrackId};
use crate::session::Session;
use crate::track::{Lane, Track, TrackRole};
use crate::units::{Picos, Span};
use crate::vendor::hosts::{dispatched_function, is_execution, plain_function};

/// A call of a compiled function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call {
    pub(super) start: Picos,
    pub(super) track: TrackId,
}

/// The calls of a session.
#[derive(Default)]
pub(in crate::ingest) struct Calls {
    /// By host and function, by start.
    pub(super) by_function: BTreeMap<(HostId, String), Vec<Call>>,
    /// By host: the call in which the recording of a thread ended, if one was open. Its function is
    /// unknown.
    pub(super) open: BTreeMap<HostId, Vec<Call>>,
    /// By thread, by start; an open call has no end.
    spans: BTreeMap<TrackId, Vec<Span>>,
}

impl Calls {
    /// The calls that were recorded, and those that were open at the end.
    pub(in crate::ingest) fn recorded(session: &Session) -> Self {
        let names = session.labels.iter().map(|label| label.name);
        let names: Vec<&str> = names.map(|name| session.strings.get(name)).collect();
        let functions: Vec<Option<&str>> = names.iter().copied().map(dispatched_function).collect();
        let executions: Vec<bool> = names.iter().copied().map(is_execution).collect();
        let mut calls = Self::default();
        if !functions.iter().any(Option::is_some) && !executions.contains(&true) {
            return calls;
        }
        let known = Known {
            functions: &functions,
            executions: &executions,
        };
        for id in session.track_ids() {
            let track = session.track(id);
            if known.may_have_calls(track) {
                let track = track.for_one_reader(session.has_many_hosts());
                calls.add(&known, &track, id);
            }
        }
        for calls in calls.by_function.values_mut() {
            calls.sort_unstable();
        }
        calls
    }

    /// Whether a call of the thread was under way.
    pub(in crate::ingest) fn is_within(&self, track: TrackId, at: Picos) -> bool {
        let spans = self.spans.get(&track).map_or(&[][..], Vec::as_slice);
        let after = spans.partition_point(|span| span.start <= at);
        let last = after.checked_sub(1).map(|position| spans[position]);
        last.is_some_and(|span| at < span.end)
    }

    fn add(&mut self, known: &Known<'_>, track: &Track, id: TrackId) {
        let mut spans = Vec::new();
        for (number, lane) in track.lanes.iter().enumerate() {
            for (index, label) in lane.labels().iter().enumerate() {
                let Some(function) = known.functions[label.index()] else {
                    continue;
                };
                if known.is_started(track, number, index, function) {
                    let span = lane.span(index);
                    let key = (track.host, plain_function(function));
                    self.by_function.entry(key).or_default().push(Call {
                        start: span.start,
                        track: id,
                    });
                    spans.push(span);
                }
            }
        }
        let last_end = spans.iter().map(|span| span.end).max();
        if let Some(start) = known.last_start_outside(track, last_end) {
            let call = Call { start, track: id };
            self.open.entry(track.host).or_default().push(call);
            spans.push(Span::new(start, Picos(i64::MAX)));
        }
        spans.sort_unstable();
        self.spans.insert(id, spans);
    }
}

/// What the labels of a session say.
struct Known<'a> {
    /// The function of each label that is a call.
    functions: &'a [Option<&'a str>],
    /// Whether each label is an execution.
    executions: &'a [bool],
}

impl Known<'_> {
    fn may_have_calls(&self, track: &Track) -> bool {
        let is_thread = matches!(track.role, TrackRole::HostThread | TrackRole::Python);
        let is_own = track.device.is_none() && track.process.is_none();
        let is_python = track.role == TrackRole::Python;
        let tells = |label: LabelId| {
            self.functions[label.index()].is_some() || (is_python && self.executions[label.index()])
        };
        is_thread && is_own && track.may_have(tells)
    }

    /// A call is recorded twice, one nested in the other. A call inside another function's call is
    /// being traced as part of that program, unless it executes something itself, as callbacks do.
    fn is_started(&self, track: &Track, lane: usize, index: usize, function: &str) -> bool {
        let mut is_within_call = false;
        for label in labels_around(track, lane, index) {
            match self.functions[label.index()] {
                Some(outer) if outer == function => return false,
                Some(_) => is_within_call = true,
                None => {}
            }
        }
        !is_within_call || self.executes(track, lane, index)
    }

    fn executes(&self, track: &Track, lane: usize, index: usize) -> bool {
        let span = track.lanes[lane].span(index);
        let below = (lane..).map_while(|lane| track.child_lane(lane));
        below
            .flat_map(|lane| lane.starting_in(span).map(move |at| lane.labels()[at]))
            .any(|label| self.executions[label.index()])
    }

    /// The last execution after all calls, with none of them around it.
    fn last_start_outside(&self, track: &Track, last_end: Option<Picos>) -> Option<Picos> {
        let last_of = |(number, lane): (usize, &Lane)| {
            let first = last_end.map_or(0, |end| {
                lane.starts().partition_point(|&start| start < end.0)
            });
            let mut later = (first..lane.len()).rev();
            let index = later.find(|&index| {
                let is_known = |label: LabelId| {
                    self.executions[label.index()] || self.functions[label.index()].is_some()
                };
                self.executions[lane.labels()[index].index()]
                    && !labels_around(track, number, index).any(is_known)
            })?;
            Some(lane.span(index).start)
        };
        track.lanes.iter().enumerate().filter_map(last_of).max()
    }
}

/// The labels of the slices around a slice, from the inside out.
fn labels_around(track: &Track, lane: usize, index: usize) -> impl Iterator<Item = LabelId> {
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let own = (narrow(lane), narrow(index));
    let around = std::iter::successors(track.parent(own.0, own.1), |&(lane, index)| {
        track.parent(lane, index)
    });
    around.map(|(lane, index)| track.lanes[lane as usize].labels()[index as usize])
}
