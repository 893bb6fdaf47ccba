//! Arrows of other traces: they name a place in time, and lead to the event found there.

use std::collections::BTreeMap;

use super::indices::LineIndex;
use super::line::{EventArrow, Line, Placed};

/// Which end of an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EndKind {
    /// The arrow leaves here.
    Start,
    /// It passes through: one arrow arrives and the next leaves.
    Step,
    /// It arrives here.
    Finish,
}

/// One end of an arrow, as recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub(crate) line: LineIndex,
    pub(crate) time: i64,
    /// What the ends of one arrow have in common.
    pub(crate) key: u64,
    pub(crate) kind: EndKind,
    /// Which event it leads to.
    pub(crate) target: Target,
}

/// Which event an end leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// The innermost around its time.
    Around,
    /// The one that begins next.
    Next,
    /// The one that begins then and has this duration.
    Exact(i64),
}

/// All ends of a trace.
#[derive(Default)]
pub(crate) struct Arrows {
    ends: Vec<End>,
    /// Ends that met no event.
    pub(crate) unbound: u64,
}

/// More ends than this are dropped: a trace of nothing but arrows.
const MOST_ENDS: usize = 1 << 26;

impl Arrows {
    pub(crate) fn add(&mut self, end: End) {
        if self.ends.len() < MOST_ENDS {
            self.ends.push(end);
        } else {
            self.unbound += 1;
        }
    }

    /// The arrows of each line's events, by the position of the line.
    pub(crate) fn bind(self, lines: &[Line]) -> BTreeMap<usize, Vec<EventArrow>> {
        let mut ends = self.ends;
        ends.sort_by_key(|end| (end.line, end.time));
        // Key, time, kind, and the event: line and position.
        let mut bound: Vec<(u64, i64, EndKind, u32, u32)> = Vec::with_capacity(ends.len());
        for of_line in ends.chunk_by(|a, b| a.line == b.line) {
            let placed = lines[of_line[0].line.0 as usize].placed();
            bind_line(&placed, of_line, |end, event| {
                bound.push((end.key, end.time, end.kind, end.line.0, event));
            });
        }
        drop(ends);
        bound.sort_unstable();
        let mut arrows: BTreeMap<usize, Vec<EventArrow>> = BTreeMap::new();
        let mut next_id = 0;
        for of_key in bound.chunk_by(|a, b| a.0 == b.0) {
            for pair in of_key.windows(2) {
                let [from, to] = pair else { continue };
                // An id that is used again begins a new chain.
                if from.2 == EndKind::Finish || to.2 == EndKind::Start {
                    continue;
                }
                next_id += 1;
                let line = |end: &(u64, i64, EndKind, u32, u32)| end.3 as usize;
                arrows
                    .entry(line(from))
                    .or_default()
                    .push((from.4, true, next_id));
                arrows
                    .entry(line(to))
                    .or_default()
                    .push((to.4, false, next_id));
            }
        }
        for of_line in arrows.values_mut() {
            of_line.sort_unstable();
        }
        arrows
    }
}

/// How deep an arrow's event is searched for among events that are open at once.
const MOST_OPEN: usize = 4096;

/// Finds the event of each end; both are sorted by time.
fn bind_line(placed: &[Placed], ends: &[End], mut found: impl FnMut(&End, u32)) {
    let position = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;
    let mut most_open = MOST_OPEN;
    let exact = Exact::of(placed, ends);
    for end in ends {
        while next < placed.len() && placed[next].start <= end.time {
            let start = placed[next].start;
            while open
                .last()
                .is_some_and(|&top| has_ended(&placed[top], start))
            {
                open.pop();
            }
            open.push(next);
            next += 1;
        }
        if let Target::Exact(duration) = end.target {
            if let Some(index) = exact.find(end.time, duration) {
                found(end, index);
            }
            continue;
        }
        if end.target == Target::Next {
            // One that begins at this very instant is the next one.
            let at_once = next
                .checked_sub(1)
                .filter(|&last| placed[last].start == end.time);
            if let Some(index) = at_once.or((next < placed.len()).then_some(next)) {
                found(end, position(index));
            }
            continue;
        }
        let mut innermost = open.iter().rev().take(MOST_OPEN);
        let around = innermost.find(|&&index| placed[index].end() >= end.time);
        if let Some(&index) = around {
            found(end, position(index));
        }
        if open.len() > most_open {
            open.retain(|&index| placed[index].end() >= end.time);
            most_open = MOST_OPEN.max(2 * open.len());
        }
    }
}

/// Events by start and duration: many may begin at once, and as many arrows name them.
struct Exact(Vec<(i64, i64, u32)>);

impl Exact {
    /// Nothing where no end asks for it.
    fn of(placed: &[Placed], ends: &[End]) -> Self {
        let is_exact = |end: &End| matches!(end.target, Target::Exact(_));
        if !ends.iter().any(is_exact) {
            return Self(Vec::new());
        }
        let numbered = placed.iter().zip(0..);
        let mut events: Vec<(i64, i64, u32)> = numbered
            .map(|(event, index)| (event.start, event.duration, index))
            .collect();
        events.sort_unstable();
        Self(events)
    }

    /// The first event of this start and duration.
    fn find(&self, start: i64, duration: i64) -> Option<u32> {
        let wanted = (start, duration);
        let at = self
            .0
            .partition_point(|&(start, duration, _)| (start, duration) < wanted);
        let &(start, duration, index) = self.0.get(at)?;
        ((start, duration) == wanted).then_some(index)
    }
}

/// An event that ends where another begins is over; one without duration is over after its instant.
fn has_ended(event: &Placed, now: i64) -> bool {
    event.end() < now || (event.end() == now && event.duration > 0)
}
