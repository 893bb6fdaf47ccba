//! From paths to rows.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use stepscope_model::{DeviceId, LabelId, Session, SliceId, Span, TrackId};

use super::report::{PathKindRow, PathOpRow, PathRow, PathScopeRow, PathStepRow};
use crate::telling::format;
use crate::views::replay::Replay;
use crate::views::replay::effects::{Effects, Reading};
use crate::views::replay::graph::NodeKind;
use crate::views::replay::path::{Kinds, Piece, WAIT_KINDS, WaitKind, What, critical_path};
use crate::views::replay::run::{Times, Weights, latest_ends};
use crate::views::replay::steps::StepOn;

/// Paths of the selected steps, each on the device that finishes last.
pub(crate) struct Paths<'a> {
    session: &'a Session,
    replay: &'a Replay,
    times: &'a Times,
    steps: Vec<(StepOn, Vec<Piece>)>,
}

impl<'a> Paths<'a> {
    /// Paths in a replay with `effects`, whose times are `times`.
    pub(crate) fn of(
        session: &'a Session,
        replay: &'a Replay,
        steps: &[StepOn],
        effects: &Effects,
        times: &'a Times,
    ) -> Self {
        let weights = replay.weights(effects, Reading::Likely);
        let kinds = Kinds::of(session);
        let by_step = steps.chunk_by(|a, b| a.step == b.step);
        let last = by_step.filter_map(|on| {
            let end = |one: &&StepOn| {
                let length = one.length_ps(times);
                (one.end.at(times), length, std::cmp::Reverse(one.device))
            };
            on.iter().max_by_key(end)
        });
        let path = |one: &StepOn| critical_path(&replay.graph, &weights, times, &kinds, one);
        Self {
            session,
            replay,
            times,
            steps: last.map(|one| (*one, path(one))).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Mean length of the paths.
    pub(super) fn mean_ps(&self) -> Option<f64> {
        (!self.steps.is_empty()).then(|| self.total_ps() / self.steps.len() as f64)
    }

    fn total_ps(&self) -> f64 {
        let lengths = self.steps.iter().map(|(one, _)| one.length_ps(self.times));
        lengths.map(|length| length as f64).sum()
    }

    /// Position of the step of median length.
    pub(crate) fn median(&self) -> Option<usize> {
        let mut order: Vec<usize> = (0..self.steps.len()).collect();
        order.sort_by_key(|&number| (self.steps[number].0.span.duration(), number));
        order.get(order.len().checked_sub(1)? / 2).copied()
    }

    /// A step on the device that ends last.
    pub(crate) fn step(&self, position: usize) -> &StepOn {
        &self.steps[position].0
    }

    /// The number of a step, and the device on which it ends.
    pub(super) fn title(&self, position: usize) -> (Option<i64>, String) {
        let one = &self.steps[position].0;
        let step = self.session.steps.get(one.step);
        (
            step.map(|step| step.number),
            self.session.device_title(one.device),
        )
    }

    /// The path of one step; neighbors of one kind and place are one row.
    pub(super) fn rows(&self, position: usize) -> Vec<PathRow> {
        let (one, pieces) = &self.steps[position];
        let begin = one.begin.at(self.times);
        let length_ps = one.length_ps(self.times).max(1);
        let place = |piece: &Piece| self.replay.graph.nodes[piece.node as usize].track;
        let is_same = |a: &Piece, b: &Piece| a.kind == b.kind && place(a) == place(b);
        let row = |stretch: &[Piece]| {
            let (first, last) = (stretch.first()?, stretch.last()?);
            let most = self.most(stretch)?;
            let step = self.session.steps.get(one.step);
            Some(PathRow {
                step: step.map(|step| step.number),
                offset_ps: first.from_ps - begin,
                duration_ps: last.to_ps - first.from_ps,
                ratio: (last.to_ps - first.from_ps) as f64 / length_ps as f64,
                kind: first.kind,
                what: self.told(&most),
                count: i64::try_from(stretch.len()).unwrap_or(i64::MAX),
                place: self.place(place(first)),
                is_scattered: false,
                start_ps: one.span.start.0 + (first.from_ps - begin),
                slice: self.slice(&most).map(Into::into),
            })
        };
        let is_short = |stretch: &&[Piece]| {
            let is_gap = |piece: &Piece| piece.what == What::Gap;
            let time_ps: i64 = stretch
                .iter()
                .map(|piece| piece.to_ps - piece.from_ps)
                .sum();
            stretch.iter().all(is_gap) && time_ps < SHORT_GAP_PS
        };
        let (short, rest): (Vec<&[Piece]>, Vec<&[Piece]>) =
            pieces.chunk_by(is_same).partition(is_short);
        let mut rows: Vec<PathRow> = rest.into_iter().filter_map(row).collect();
        let short: Vec<PathRow> = short.into_iter().filter_map(row).collect();
        rows.extend(folded(short, length_ps));
        rows.sort_by_key(|row| row.offset_ps);
        rows
    }

    /// The piece whose op or cause takes most of a stretch.
    fn most(&self, stretch: &[Piece]) -> Option<Piece> {
        let mut sums: FxHashMap<String, (i64, usize)> = FxHashMap::default();
        for (number, piece) in stretch.iter().enumerate() {
            let sum = sums.entry(self.told(piece)).or_insert((0, number));
            sum.0 += piece.to_ps - piece.from_ps;
        }
        let most = sums
            .into_values()
            .max_by_key(|&(sum, number)| (sum, std::cmp::Reverse(number)));
        most.map(|(_, number)| stretch[number])
    }

    fn label(&self, piece: &Piece) -> Option<LabelId> {
        let label = self.replay.graph.nodes[piece.node as usize].label as usize;
        let is_work = piece.what == What::Work && label < self.session.labels.len();
        is_work.then(|| LabelId::from_index(label))
    }

    /// The op, or the cause, in words.
    fn told(&self, piece: &Piece) -> String {
        match piece.what {
            What::Work => self
                .label(piece)
                .map_or_else(String::new, |label| name(self.session, label).to_owned()),
            What::Cause(cause) => cause.meaning().to_owned(),
            What::Launch => "the launch is on its way".to_owned(),
            What::Gap => "gap between pieces of work".to_owned(),
            What::Pause => "device pauses with work to do".to_owned(),
            What::Wake => "the host thread takes time to continue".to_owned(),
        }
    }

    fn place(&self, track: u32) -> String {
        place(self.session, track)
    }

    fn slice(&self, piece: &Piece) -> Option<SliceId> {
        self.label(piece)?;
        let node = &self.replay.graph.nodes[piece.node as usize];
        let track = TrackId(node.track);
        let slice = SliceId {
            track,
            lane: node.lane,
            index: node.index,
        };
        self.session.lane(track, node.lane).map(|_| slice)
    }

    /// All paths by kind, in display order.
    pub(crate) fn kinds(&self) -> Vec<PathKindRow> {
        let (total_ps, count) = (self.total_ps().max(1.0), self.steps.len().max(1) as f64);
        let row = |kind: WaitKind| {
            let sum: f64 = self
                .steps
                .iter()
                .map(|(_, pieces)| sum_of(pieces, kind) as f64)
                .sum();
            PathKindRow {
                kind,
                mean_ps: sum / count,
                ratio: sum / total_ps,
                meaning: kind.meaning().to_owned(),
            }
        };
        WAIT_KINDS.into_iter().map(row).collect()
    }

    /// The op or cause that takes most of a kind; empty if the kind is not on the paths.
    pub(crate) fn most_of(&self, kind: WaitKind) -> String {
        let pieces = self.steps.iter().flat_map(|(_, pieces)| pieces);
        let own: Vec<Piece> = pieces.filter(|piece| piece.kind == kind).copied().collect();
        let most = self.most(&own);
        most.map_or_else(String::new, |piece| self.told(&piece))
    }

    /// Each step with its path by kind.
    pub(super) fn steps(&self) -> Vec<PathStepRow> {
        let row = |(one, pieces): &(StepOn, Vec<Piece>)| PathStepRow {
            step: self.session.steps.get(one.step).map(|step| step.number),
            device: self.session.device_title(one.device),
            start_ps: one.span.start.0,
            duration_ps: one.span.duration().0,
            replayed_ps: one.length_ps(self.times),
            compute_ps: sum_of(pieces, WaitKind::Compute),
            collective_ps: sum_of(pieces, WaitKind::Collective),
            copy_ps: sum_of(pieces, WaitKind::Copy),
            host_ps: sum_of(pieces, WaitKind::Host),
            launch_ps: sum_of(pieces, WaitKind::Launch),
            idle_ps: sum_of(pieces, WaitKind::Idle),
        };
        self.steps.iter().map(row).collect()
    }

    /// Scopes of ops, and causes, by time on the paths.
    pub(super) fn scopes(&self) -> Vec<PathScopeRow> {
        let mut sums: BTreeMap<String, i64> = BTreeMap::new();
        for piece in self.steps.iter().flat_map(|(_, pieces)| pieces) {
            let scope = match self.label(piece) {
                Some(label) => scope_around(scope(self.session, label)).to_owned(),
                None => self.told(piece),
            };
            *sums.entry(scope).or_default() += piece.to_ps - piece.from_ps;
        }
        let (total_ps, count) = (self.total_ps().max(1.0), self.steps.len().max(1) as f64);
        let mut rows: Vec<PathScopeRow> = sums
            .into_iter()
            .map(|(scope, sum)| PathScopeRow {
                scope,
                mean_ps: sum as f64 / count,
                ratio: sum as f64 / total_ps,
            })
            .collect();
        rows.sort_by(|a, b| {
            b.mean_ps
                .total_cmp(&a.mean_ps)
                .then_with(|| a.scope.cmp(&b.scope))
        });
        rows
    }

    /// Every op that ran in the selected steps on the selected devices, with its slack.
    pub(crate) fn ops(&self, on: &[StepOn]) -> Vec<PathOpRow> {
        let kinds = Kinds::of(self.session);
        let mut sums: BTreeMap<u32, OpSum> = BTreeMap::new();
        self.add_slack(on, &mut sums);
        for piece in self.steps.iter().flat_map(|(_, pieces)| pieces) {
            if let Some(label) = self.label(piece) {
                let number = u32::try_from(label.index()).unwrap_or(u32::MAX);
                sums.entry(number).or_default().path_ps += piece.to_ps - piece.from_ps;
            }
        }
        // Labels of one op differ in what they carry besides.
        let mut by_op: BTreeMap<(String, String), (u32, OpSum)> = BTreeMap::new();
        for (label, sum) in sums {
            let id = LabelId::from_index(label as usize);
            let key = (name(self.session, id).to_owned(), program(self.session, id));
            by_op
                .entry(key)
                .or_insert((label, OpSum::default()))
                .1
                .add(&sum);
        }
        let (total_ps, count) = (self.total_ps().max(1.0), self.steps.len().max(1) as f64);
        let mut rows: Vec<PathOpRow> = by_op
            .into_iter()
            .map(|((name, program), (label, sum))| {
                let id = LabelId::from_index(label as usize);
                PathOpRow {
                    name,
                    kind: kinds.kind(label),
                    program,
                    scope: scope(self.session, id).to_owned(),
                    source: source(self.session, id).to_owned(),
                    mean_ps: sum.path_ps as f64 / count,
                    ratio: sum.path_ps as f64 / total_ps,
                    occurrences: sum.occurrences,
                    min_slack_ps: sum.min_slack_ps,
                    mean_slack_ps: (sum.with_slack > 0)
                        .then(|| sum.slack_ps / sum.with_slack as f64),
                }
            })
            .collect();
        rows.sort_by(|a, b| {
            let slack = |row: &PathOpRow| row.min_slack_ps.unwrap_or(i64::MAX);
            (b.mean_ps.total_cmp(&a.mean_ps))
                .then_with(|| slack(a).cmp(&slack(b)))
                .then_with(|| (&a.name, &a.program).cmp(&(&b.name, &b.program)))
        });
        rows
    }

    fn add_slack(&self, on: &[StepOn], sums: &mut BTreeMap<u32, OpSum>) {
        let effects = Effects::none();
        let graph = &self.replay.graph;
        let times = self.times;
        let weights = Weights::new(graph, &effects, Reading::Likely);
        let limit = |one: &StepOn| (one.end.node, one.end.is_start, one.end.base(times));
        let limits: Vec<(u32, bool, i64)> = on.iter().map(limit).collect();
        let latest = latest_ends(&weights, &limits);
        let mut spans: BTreeMap<DeviceId, Vec<Span>> = BTreeMap::new();
        for one in on {
            spans.entry(one.device).or_default().push(one.span);
        }
        for own in spans.values_mut() {
            own.sort_unstable();
        }
        for (number, node) in graph.nodes.iter().enumerate() {
            let track = self.session.tracks.get(node.track as usize);
            let own = track.and_then(|track| spans.get(&track.device?));
            let (Some(own), true) = (own, (node.label as usize) < self.session.labels.len()) else {
                continue;
            };
            let after = own.partition_point(|span| span.start.0 <= node.start_ps);
            let within = after.checked_sub(1).map(|position| own[position]);
            if within.is_none_or(|span| node.start_ps >= span.end.0) {
                continue;
            }
            let sum = sums.entry(node.label).or_default();
            if matches!(node.kind, NodeKind::Work | NodeKind::Arrive) {
                sum.occurrences += 1;
            }
            // An arrival may be early without any op being shorter.
            if node.kind != NodeKind::Arrive
                && let Some(latest) = latest[number]
            {
                let slack_ps = (latest - times.end_ps[number]).max(0);
                let known = &mut sum.min_slack_ps;
                *known = Some(known.map_or(slack_ps, |known| known.min(slack_ps)));
                sum.slack_ps += slack_ps as f64;
                sum.with_slack += 1;
            }
        }
    }
}

/// Gaps shorter than this are one row of a step.
const SHORT_GAP_PS: i64 = 1_000_000;

/// Short gaps as one row, where the first of them is; a single one stays as it is.
fn folded(gaps: Vec<PathRow>, length_ps: i64) -> Option<PathRow> {
    let count = gaps.len();
    let duration_ps: i64 = gaps.iter().map(|gap| gap.duration_ps).sum();
    let pieces: i64 = gaps.iter().map(|gap| gap.count).sum();
    let first = gaps.into_iter().next()?;
    if count < 2 {
        return Some(first);
    }
    Some(PathRow {
        duration_ps,
        ratio: duration_ps as f64 / length_ps as f64,
        what: format!("{count} gaps below 1 µs between pieces of work"),
        count: pieces,
        place: String::new(),
        is_scattered: true,
        ..first
    })
}

/// Sums of one op.
#[derive(Debug, Default, Clone)]
struct OpSum {
    path_ps: i64,
    occurrences: i64,
    min_slack_ps: Option<i64>,
    slack_ps: f64,
    with_slack: usize,
}

impl OpSum {
    fn add(&mut self, other: &Self) {
        self.path_ps += other.path_ps;
        self.occurrences += other.occurrences;
        self.min_slack_ps = match (self.min_slack_ps, other.min_slack_ps) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self.slack_ps += other.slack_ps;
        self.with_slack += other.with_slack;
    }
}

fn sum_of(pieces: &[Piece], kind: WaitKind) -> i64 {
    let own = pieces.iter().filter(|piece| piece.kind == kind);
    own.map(|piece| piece.to_ps - piece.from_ps).sum()
}

/// The device or host thread of a track; empty without one.
pub(super) fn place(session: &Session, track: u32) -> String {
    let Some(found) = session.tracks.get(track as usize) else {
        return String::new();
    };
    match found.device {
        Some(device) => session.device_title(device),
        None => session.title_on(found.host, session.text(found.name)),
    }
}

/// The op's name, or else the kernel's.
pub(crate) fn name(session: &Session, label: LabelId) -> &str {
    let label = session.label(label);
    match label.op {
        Some(op) => session.text(session.op(op).name),
        None => session.text(label.name),
    }
}

fn program(session: &Session, label: LabelId) -> String {
    let program = session.label(label).program;
    program.map_or_else(String::new, |id| session.program(id).title())
}

/// The name stack of a label's op, or of the framework's op.
fn scope(session: &Session, label: LabelId) -> &str {
    let label = session.label(label);
    let scope = label.op.map(|op| session.op(op).scope);
    scope
        .or(label.framework_op)
        .map_or("", |scope| session.text(scope))
}

/// What lies around the op of a name stack. A single name is a scope of its own, as in `scopes`.
fn scope_around(stack: &str) -> &str {
    match stack.rsplit_once('/') {
        Some((scope, _)) => scope,
        None if stack.is_empty() => "without a scope",
        None => stack,
    }
}

fn source(session: &Session, label: LabelId) -> &str {
    let op = session.label(label).op;
    op.map_or("", |op| session.text(session.op(op).source))
}

/// The mean idle share that a note mentions, as text; none if it is small.
pub(super) fn unexplained(kinds: &[PathKindRow]) -> Option<String> {
    let idle = kinds.iter().find(|row| row.kind == WaitKind::Idle)?;
    (idle.ratio > 0.2).then(|| format::percent(idle.ratio))
}
