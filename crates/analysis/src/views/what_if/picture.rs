//! One step before and after the changes as lanes, to be drawn on one scale.
//!
//! ```text
//! before  ██ dot ██░ all-reduce ░█ add █
//! after   ██ dot ███ add █                 the step that is drawn has the median length
//! ```
//!
//! A device has a lane of work and a lane of communication, if it communicates. Work that is too
//! short to be seen is merged with its neighbors, which keeps the answer small.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use stepscope_model::{Class, DeviceId, LabelId, Session};

use super::report::{LaneChange, WhatIfLane, WhatIfPicture, WhatIfSlice};
use crate::views::critical_path::collect::{Paths, name};
use crate::views::replay::Replay;
use crate::views::replay::graph::NodeKind;
use crate::views::replay::run::Times;
use crate::views::replay::steps::StepOn;

/// Devices that are drawn.
const MAX_DEVICES: usize = 8;
/// Work shorter than this share of the picture is merged with its neighbors.
const SEEN: i64 = 600;

/// A piece of work before and after.
#[derive(Debug, Clone, Copy)]
struct Piece {
    label: LabelId,
    before: (i64, i64),
    after: (i64, i64),
}

impl Piece {
    fn change(&self) -> LaneChange {
        let (before, after) = (length(self.before), length(self.after));
        match after - before {
            0 => LaneChange::Same,
            _ if after == 0 => LaneChange::Removed,
            difference if difference < 0 => LaneChange::Shorter,
            _ => LaneChange::Longer,
        }
    }
}

const fn length(span: (i64, i64)) -> i64 {
    span.1 - span.0
}

/// The picture of the step of median length; none without steps.
pub(super) fn picture(
    session: &Session,
    replay: &Replay,
    steps: &[StepOn],
    before: &Paths<'_>,
    after: &Times,
) -> Option<WhatIfPicture> {
    let last = before.step(before.median()?);
    let all: Vec<&StepOn> = steps.iter().filter(|one| one.step == last.step).collect();
    let shown = shown(&all, last.device);
    let origin_ps = all
        .iter()
        .map(|one| one.begin.at(&replay.unchanged))
        .min()?;
    // What changes before the step shifts devices against each other: each is drawn from its own
    // start, which stays where it was recorded.
    let offset = |one: &StepOn| one.begin.at(&replay.unchanged) - origin_ps;
    let before_end = |one: &StepOn| one.end.at(&replay.unchanged) - origin_ps;
    let after_end = |one: &StepOn| offset(one) + one.length_ps(after);
    let before_ps = all.iter().map(|one| before_end(one)).max()?;
    let after_ps = all.iter().map(|one| after_end(one)).max()?;
    let seen_ps = before_ps.max(after_ps) / SEEN;
    let devices: Vec<Drawn<'_>> = shown
        .iter()
        .map(|&one| Drawn {
            one,
            before_ps: origin_ps,
            after_ps: one.begin.at(after) - offset(one),
        })
        .collect();
    let mut pieces = pieces(session, replay, &devices, after);
    let mut lanes = Vec::new();
    for one in shown {
        for is_communication in [false, true] {
            let own = pieces.remove(&(one.device, is_communication));
            // A device without communication has no lane for it.
            let own = own.unwrap_or_default();
            if !own.is_empty() || !is_communication {
                let mut lane = lane(session, &own, seen_ps);
                lane.device = session.device_title(one.device);
                lane.is_communication = is_communication;
                lane.before_end_ps = before_end(one);
                lane.after_end_ps = after_end(one);
                lanes.push(lane);
            }
        }
    }
    Some(WhatIfPicture {
        step: session.steps.get(last.step).map(|step| step.number),
        before_ps,
        after_ps,
        lanes,
        device_count: all.len(),
    })
}

/// The devices that are drawn: the first ones, and the one that ends last.
fn shown<'a>(all: &[&'a StepOn], last: DeviceId) -> Vec<&'a StepOn> {
    let mut order: Vec<&StepOn> = all.to_vec();
    order.sort_by_key(|one| (one.device != last, one.device));
    order.truncate(MAX_DEVICES);
    order.sort_by_key(|one| one.device);
    order
}

/// A device of the step, and what its times are measured from.
struct Drawn<'a> {
    one: &'a StepOn,
    before_ps: i64,
    after_ps: i64,
}

/// By device, and by whether it is communication: the work of the step.
fn pieces(
    session: &Session,
    replay: &Replay,
    devices: &[Drawn<'_>],
    after: &Times,
) -> BTreeMap<(DeviceId, bool), Vec<Piece>> {
    let devices: FxHashMap<DeviceId, &Drawn<'_>> =
        devices.iter().map(|own| (own.one.device, own)).collect();
    // A collective or a done is two nodes of one slice: where it begins, and its release.
    let mut open: FxHashMap<(u32, u32, u32), usize> = FxHashMap::default();
    let mut found: Vec<(DeviceId, Piece)> = Vec::new();
    for (number, node) in replay.graph.nodes.iter().enumerate() {
        let is_work = matches!(
            node.kind,
            NodeKind::Work | NodeKind::Arrive | NodeKind::Release
        );
        let label = node.label as usize;
        let track = session.tracks.get(node.track as usize);
        let device = track.and_then(|track| devices.get(&track.device?));
        let (Some(device), true) = (device, is_work && label < session.labels.len()) else {
            continue;
        };
        let span = |times: &Times, origin_ps: i64| {
            let (start, end) = (times.start_ps[number], times.end_ps[number]);
            (start - origin_ps, end - origin_ps)
        };
        let before = span(&replay.unchanged, device.before_ps);
        let after = span(after, device.after_ps);
        let key = (node.track, node.lane, node.index);
        if node.kind == NodeKind::Release
            && let Some(&position) = open.get(&key)
        {
            let piece: &mut Piece = &mut found[position].1;
            piece.before.1 = piece.before.1.max(before.1);
            piece.after.1 = piece.after.1.max(after.1);
            continue;
        }
        let within = device.one.span;
        if node.start_ps < within.start.0 || node.start_ps >= within.end.0 {
            continue;
        }
        open.insert(key, found.len());
        let label = LabelId::from_index(label);
        let piece = Piece {
            label,
            before,
            after,
        };
        found.push((device.one.device, piece));
    }
    let mut lanes: BTreeMap<(DeviceId, bool), Vec<Piece>> = BTreeMap::new();
    for (device, piece) in found {
        if length(piece.before) > 0 || length(piece.after) > 0 {
            let is_communication = session.label(piece.label).class == Class::Collective;
            lanes
                .entry((device, is_communication))
                .or_default()
                .push(piece);
        }
    }
    lanes
}

fn lane(session: &Session, pieces: &[Piece], seen_ps: i64) -> WhatIfLane {
    let count = |wanted: LaneChange| {
        let own = pieces.iter().filter(|piece| piece.change() == wanted);
        own.count()
    };
    let sum = |span: fn(&Piece) -> (i64, i64)| union(pieces.iter().map(span).collect());
    WhatIfLane {
        device: String::new(),
        is_communication: false,
        before_end_ps: 0,
        after_end_ps: 0,
        before_busy_ps: sum(|piece| piece.before),
        after_busy_ps: sum(|piece| piece.after),
        removed: count(LaneChange::Removed),
        shorter: count(LaneChange::Shorter),
        longer: count(LaneChange::Longer),
        before: merged(session, pieces, |piece| piece.before, seen_ps),
        after: merged(session, pieces, |piece| piece.after, seen_ps),
    }
}

/// Length of the union of spans.
fn union(mut spans: Vec<(i64, i64)>) -> i64 {
    spans.sort_unstable();
    let (mut sum, mut end) = (0, i64::MIN);
    for (from, to) in spans {
        sum += (to - from.max(end)).max(0);
        end = end.max(to);
    }
    sum
}

/// Pieces that are merged into one slice.
struct Group {
    start_ps: i64,
    end_ps: i64,
    count: usize,
    change: LaneChange,
    /// Time by label.
    labels: BTreeMap<LabelId, i64>,
    /// Whether it is a single piece that is long enough to be seen.
    is_seen: bool,
}

/// The slices of a lane, by start, without overlap: where work of several streams overlaps, what
/// started first is drawn, and what it covers counts to it.
fn merged(
    session: &Session,
    pieces: &[Piece],
    span: fn(&Piece) -> (i64, i64),
    seen_ps: i64,
) -> Vec<WhatIfSlice> {
    let mut order: Vec<&Piece> = pieces.iter().filter(|one| length(span(one)) > 0).collect();
    order.sort_by_key(|one| (span(one), one.label));
    let mut groups: Vec<Group> = Vec::new();
    for piece in order {
        let (start, end) = span(piece);
        let is_seen = end - start > seen_ps;
        let joins = |last: &&mut Group| {
            let is_covered = end <= last.end_ps;
            let is_near = start - last.end_ps <= seen_ps;
            let rest_is_seen = end - last.end_ps.max(start) > seen_ps;
            is_covered || is_near && !last.is_seen && !rest_is_seen && !is_full(last, seen_ps)
        };
        if let Some(last) = groups.last_mut().filter(joins) {
            last.end_ps = last.end_ps.max(end);
            last.count += 1;
            last.change = last.change.joined(piece.change());
            *last.labels.entry(piece.label).or_default() += end - start;
            continue;
        }
        let start_ps = groups.last().map_or(start, |last| start.max(last.end_ps));
        groups.push(Group {
            start_ps,
            end_ps: end,
            count: 1,
            change: piece.change(),
            labels: BTreeMap::from([(piece.label, end - start)]),
            is_seen,
        });
    }
    groups.iter().map(|group| slice(session, group)).collect()
}

/// Whether a group of short pieces is long enough.
const fn is_full(group: &Group, seen_ps: i64) -> bool {
    group.end_ps - group.start_ps > 4 * seen_ps
}

fn slice(session: &Session, group: &Group) -> WhatIfSlice {
    let most = group
        .labels
        .iter()
        .max_by_key(|&(label, time)| (*time, std::cmp::Reverse(*label)));
    let label = most.map(|(label, _)| *label);
    let class = label.map_or(Class::Compute, |label| session.label(label).class);
    WhatIfSlice {
        start_ps: group.start_ps,
        duration_ps: group.end_ps - group.start_ps,
        class: class.name().to_owned(),
        what: label.map_or_else(String::new, |label| name(session, label).to_owned()),
        count: group.count,
        change: group.change,
    }
}
