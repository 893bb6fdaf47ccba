//! Where steps begin, if the host does not wait for the devices in each: when the device is done with
//! all before, and the host has begun with the step.
//!
//! So a wait in front of a step's work is part of that step if the host caused it there: a late batch, a
//! compilation. What the host still does for the step before, such as writing a checkpoint, is part of
//! that one.
//!
//! ```text
//! host     [step 0][step 1][step 2: loads...    ][step 3]       saves...  [step 4]
//! device     [ work 0 ][ work 1 ]               [ work 2 ][ work 3 ]         [ work 4 ]
//! steps    |--- 0 -----|-- 1 ---|------ 2 ---------------|------- 3 ------|---- 4 -----|
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::evidence::{Evidence, HostStep};
use crate::activity::{Activity, CompilePhase};
use crate::ids::{LabelId, TrackId};
use crate::label::Direction;
use crate::track::Track;
use crate::units::{Picos, Span};

/// The work of the steps on one device, in their order, and when the device was done with all before.
pub(super) struct Works<'a> {
    pub(super) works: &'a [Option<Span>],
    /// From [`free_from`].
    pub(super) free_from: &'a [Option<Picos>],
}

/// For each work, when the device was done with what it began before it; `None` if nothing was recorded
/// before. `all` is everything that the device did.
pub(super) fn free_from(
    works: &[Option<Span>],
    all: impl Iterator<Item = Span>,
) -> Vec<Option<Picos>> {
    let mut all: Vec<Span> = all.collect();
    all.sort_unstable();
    let ends: Vec<Picos> = all
        .iter()
        .scan(Picos(i64::MIN), |latest, span| {
            *latest = span.end.max(*latest);
            Some(*latest)
        })
        .collect();
    let before = |work: Span| {
        let count = all.partition_point(|span| span.start < work.start);
        count.checked_sub(1).map(|last| ends[last])
    };
    works.iter().map(|work| (*work).and_then(before)).collect()
}

/// For each device, when each of its works' steps begins there. `host` has the times at which the host
/// began with the steps; where one is unknown, the step begins with its work.
pub(super) fn begins(devices: &[Works<'_>], host: &[Option<Picos>]) -> Vec<Vec<Option<Picos>>> {
    let one = |on: &Works<'_>, position: usize| {
        let work = on.works[position]?;
        let free = on.free_from[position].or_else(|| unrecorded_until(devices, host, position));
        let begin = host[position].map(|begun| free.map_or(begun, |free| free.max(begun)));
        Some(begin.unwrap_or(work.start).min(work.start))
    };
    let all = devices.iter();
    all.map(|on| (0..on.works.len()).map(|at| one(on, at)).collect())
        .collect()
}

/// How long a device with a first work at this position may have worked on what began before the
/// recording: until the first device begins, if the host had gone on to the next step by then, for at
/// least a tenth of the time since it began this one. If it had not, devices waited for the host.
fn unrecorded_until(
    devices: &[Works<'_>],
    host: &[Option<Picos>],
    position: usize,
) -> Option<Picos> {
    let starts = devices.iter().filter_map(|on| on.works[position]);
    let first = starts.map(|work| work.start).min()?;
    let next = host.get(position + 1).copied().flatten()?;
    let own = host[position]?;
    let is_ahead = first > next && i128::from((first - next).0) * 10 >= i128::from((first - own).0);
    is_ahead.then_some(first)
}

/// When the host began with each annotated step: with its annotation, or with the input that it loaded
/// for it just before. `annotations` are in order of their times.
pub(super) fn on_host(evidence: &Evidence<'_>, annotations: &[HostStep]) -> Vec<Option<Picos>> {
    let mut threads = Threads::new(evidence, is_loading);
    let mut ended: BTreeMap<TrackId, Picos> = BTreeMap::new();
    let begin = |step: &HostStep| {
        let last = ended.entry(step.track).or_insert(step.span.start);
        let between = Span::new(*last, step.span.start);
        *last = step.span.end.max(*last);
        let loading = loading(&threads.begun_in(step.track, between), between);
        Some(loading.unwrap_or(step.span.start))
    };
    annotations.iter().map(begin).collect()
}

/// When a thread began to load in a time between two annotations, after all that it launched or saved
/// there.
fn loading(begun: &[(Span, Activity)], between: Span) -> Option<Picos> {
    let is_other = |activity| matches!(activity, Activity::Dispatch | Activity::Checkpoint);
    let others = begun.iter().filter(|(_, activity)| is_other(*activity));
    let done = others.map(|(span, _)| span.end).max();
    let done = done.unwrap_or(between.start).max(between.start);
    let loads = begun.iter().filter(|(_, activity)| is_loading(*activity));
    let starts = loads.map(|(span, _)| span.start);
    starts.filter(|&start| start >= done).min()
}

const fn is_loading(activity: Activity) -> bool {
    matches!(
        activity,
        Activity::Input(_) | Activity::Transfer(Direction::HostToDevice)
    )
}

/// Whether this is compilation. Tracing alone may also happen where nothing is compiled.
pub(super) fn is_compiling(activity: Activity) -> bool {
    matches!(activity, Activity::Compile(phase) if phase != CompilePhase::Trace)
}

/// Threads that may have done something of a kind; with many hosts, each is decoded once and let go.
pub(super) struct Threads<'a> {
    evidence: &'a Evidence<'a>,
    is_wanted: fn(Activity) -> bool,
    read: BTreeMap<TrackId, Cow<'a, Track>>,
}

impl<'a> Threads<'a> {
    pub(super) const fn new(evidence: &'a Evidence<'a>, is_wanted: fn(Activity) -> bool) -> Self {
        Self {
            evidence,
            is_wanted,
            read: BTreeMap::new(),
        }
    }

    /// What a thread began in this time; nothing if it did nothing of the kind at any time.
    pub(super) fn begun_in(&mut self, track: TrackId, time: Span) -> Vec<(Span, Activity)> {
        let (labels, stored) = (self.evidence.labels, &self.evidence.tracks[track.index()]);
        let activity = |label: LabelId| labels[label.index()].activity;
        if !stored.may_have(|label| (self.is_wanted)(activity(label))) {
            return Vec::new();
        }
        let has_rounds = self.evidence.has_rounds;
        let of_track = self.read.entry(track);
        let read = of_track.or_insert_with(|| stored.for_one_reader(has_rounds));
        let lanes = read.lanes.iter();
        let begun = lanes.flat_map(|lane| {
            let begun = lane.starting_in(time);
            begun.map(|index| (lane.span(index), activity(lane.labels()[index])))
        });
        begun.collect()
    }
}
