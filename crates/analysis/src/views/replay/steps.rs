//! Where steps begin and end in a graph, and whether a replay reproduces their lengths.

use stepscope_model::{DeviceId, HostId, Picos, Session, Span};

use super::device::{DeviceNodes, hull};
use super::graph::{Builder, EdgeKind, Node, NodeKind};
use super::host::Threads;
use super::run::{Times, scaled};
use crate::measuring::selection::device_span;
use crate::views::collectives::clocks::Clocks;

/// Stands in for the position of a step in recordings without steps.
pub(crate) const WHOLE: usize = usize::MAX;

/// An instant that moves with a node.
#[derive(Debug, Clone, Copy)]
pub struct Anchor {
    /// The node.
    pub node: u32,
    /// Whether it moves with the node's start instead of its end.
    pub is_start: bool,
    /// Set for an instant within a piece of work, which moves in proportion: the node by which the
    /// piece begins, and the share of the piece that is over by then.
    pub within: Option<(u32, f64)>,
}

/// A step on a device.
#[derive(Debug, Clone, Copy)]
pub struct StepOn {
    /// Position in `Session::steps`, or `usize::MAX` for the whole recording.
    pub step: usize,
    /// The device.
    pub device: DeviceId,
    /// Its recorded start and end on aligned clocks.
    pub span: Span,
    /// Its start.
    pub begin: Anchor,
    /// Its end.
    pub end: Anchor,
}

impl Anchor {
    /// The instant in a replay.
    pub fn at(&self, times: &Times) -> i64 {
        let base = self.base(times);
        let Some((entry, share)) = self.within else {
            return base;
        };
        let start = times.start_ps[entry as usize];
        start.saturating_add(scaled(base.saturating_sub(start), share))
    }

    /// The start or end of its node in a replay.
    pub(crate) fn base(&self, times: &Times) -> i64 {
        let node = self.node as usize;
        if self.is_start {
            times.start_ps[node]
        } else {
            times.end_ps[node]
        }
    }
}

impl StepOn {
    /// Its length in a replay.
    pub fn length_ps(&self, times: &Times) -> i64 {
        self.end.at(times) - self.begin.at(times)
    }

    /// |replayed − recorded| ÷ recorded.
    pub(crate) fn error(&self, times: &Times) -> f64 {
        let recorded = self.span.duration().0;
        let off = (self.length_ps(times) - recorded).abs();
        if recorded > 0 {
            off as f64 / recorded as f64
        } else {
            0.0
        }
    }
}

/// A step on a device before its anchors are known.
pub(super) struct Wanted {
    step: usize,
    device: usize,
    /// On aligned clocks.
    span: Span,
    /// The host whose annotation it is, and the annotation as recorded.
    host: Option<(HostId, Span)>,
}

/// All steps of the devices that worked; without steps, the whole recording of each.
pub(super) fn wanted(
    session: &Session,
    clocks: &Clocks,
    devices: &[DeviceNodes],
    calls_on: &[bool],
) -> Vec<Wanted> {
    let mut found = Vec::new();
    for (position, on) in devices.iter().enumerate() {
        let host = session.device(on.device).host;
        for (number, step) in session.steps.iter().enumerate() {
            let Some(span) = device_span(step, session, on.device) else {
                continue;
            };
            let is_annotation = step.annotation(host).is_some_and(|own| own.span == span);
            let start = clocks.aligned(host, span.start);
            found.push(Wanted {
                step: number,
                device: position,
                span: Span::new(start, clocks.aligned(host, span.end)),
                host: (is_annotation && calls_on[host.index()]).then_some((host, span)),
            });
        }
        if session.steps.is_empty()
            && let Some((first, last)) = hull(&on.segments)
        {
            found.push(Wanted {
                step: WHOLE,
                device: position,
                span: Span::new(Picos(first), Picos(last)),
                host: None,
            });
        }
    }
    found
}

/// For each host, the times at which its steps begin and end, as recorded.
pub(super) fn boundaries(wanted: &[Wanted], hosts: usize) -> Vec<Vec<i64>> {
    let mut times = vec![Vec::new(); hosts];
    for (host, span) in wanted.iter().filter_map(|one| one.host) {
        times[host.index()].extend([span.start.0, span.end.0]);
    }
    for own in &mut times {
        own.sort_unstable();
        own.dedup();
    }
    times
}

/// Resolves where steps begin and end. Instants between pieces of work become marks, which divide
/// the gap. Steps in which the device did nothing are left out.
pub(super) fn anchor(
    builder: &mut Builder,
    devices: &[DeviceNodes],
    threads: &Threads,
    wanted: Vec<Wanted>,
) -> Vec<StepOn> {
    let mut found = Vec::new();
    let mut marks = vec![Marks::default(); devices.len()];
    for one in &wanted {
        if one.host.is_none() {
            marks[one.device].begins.push(one.span.start.0);
        }
    }
    for own in &mut marks {
        own.begins.sort_unstable();
    }
    for one in wanted {
        let on = &devices[one.device];
        let worked = on.first_from(one.span.start.0);
        let begins_within = worked.is_some_and(|first| first.start_ps < one.span.end.0);
        if !begins_within || one.span.duration().0 <= 0 {
            continue;
        }
        let on_host = one.host.and_then(|(_, span)| {
            let chain = threads.chains.iter().find(|chain| {
                chain.node_at(span.start.0).is_some() && chain.node_at(span.end.0).is_some()
            })?;
            let anchor = |time| {
                Some(Anchor {
                    node: chain.node_at(time)?,
                    is_start: false,
                    within: None,
                })
            };
            Some((anchor(span.start.0)?, anchor(span.end.0)?))
        });
        let own = &mut marks[one.device];
        let ends = on_host.or_else(|| {
            let begin = own.anchor(builder, on, one.span.start.0, true)?;
            let is_begin = own.begins.binary_search(&one.span.end.0).is_ok();
            Some((begin, own.anchor(builder, on, one.span.end.0, is_begin)?))
        });
        if let Some((begin, end)) = ends {
            found.push(StepOn {
                step: one.step,
                device: on.device,
                span: one.span,
                begin,
                end,
            });
        }
    }
    found.sort_by_key(|one| (one.step, one.device));
    found
}

/// Marks on one device.
#[derive(Clone, Default)]
struct Marks {
    /// Sorted starts of steps.
    begins: Vec<i64>,
    known: std::collections::BTreeMap<i64, u32>,
}

impl Marks {
    fn anchor(
        &mut self,
        builder: &mut Builder,
        on: &DeviceNodes,
        at_ps: i64,
        is_begin: bool,
    ) -> Option<Anchor> {
        let after = on.segments.partition_point(|one| one.start_ps < at_ps);
        let next = on.segments.get(after);
        let exact = |node: u32, is_start: bool| Anchor {
            node,
            is_start,
            within: None,
        };
        let begins = next.filter(|one| one.start_ps == at_ps);
        let begins = begins.map(|one| exact(one.entry, true));
        // Work is sorted by start: what ends here began among the last before it.
        let before = &on.segments[after.saturating_sub(LOOK_BACK)..after];
        let ends = before.iter().rev().find(|one| one.end_ps == at_ps);
        let ends = ends.map(|one| exact(one.exit, false));
        let found = if is_begin {
            begins.or(ends)
        } else {
            ends.or(begins)
        };
        if found.is_some() {
            return found;
        }
        if let Some(&mark) = self.known.get(&at_ps) {
            return Some(exact(mark, false));
        }
        if let Some(around) = before.iter().rev().find(|one| one.end_ps > at_ps) {
            let length_ps = (around.end_ps - around.start_ps).max(1);
            return Some(Anchor {
                node: around.exit,
                is_start: false,
                within: Some((
                    around.entry,
                    (at_ps - around.start_ps) as f64 / length_ps as f64,
                )),
            });
        }
        let last = before.iter().max_by_key(|one| one.end_ps)?;
        let mark = builder.add(Node::instant(NodeKind::Mark, last.track.0, at_ps));
        builder.wait(mark, last.exit, EdgeKind::Device, 0);
        if let Some((_, &earlier)) = self.known.range(..at_ps).next_back()
            && builder.graph.nodes[earlier as usize].start_ps >= last.end_ps
        {
            builder.wait(mark, earlier, EdgeKind::Device, 0);
        }
        if let Some(next) = next {
            builder.wait(next.entry, mark, EdgeKind::Device, 0);
        }
        self.known.insert(at_ps, mark);
        Some(exact(mark, false))
    }
}

/// Pieces of work before an instant among which one that contains it is looked for.
const LOOK_BACK: usize = 256;
