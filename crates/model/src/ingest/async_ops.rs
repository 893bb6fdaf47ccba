//! Asynchronous ops of XLA:CPU: those that go on after the call that started them.
//!
//! ```text
//! thread 1   [dot.1]                               the call returns, the threads of a pool compute
//! thread 2            ~ ~ tasks ~ ~ [add.2] end: dot.1
//! dot.1      [█████████████████████]               until what waits for it begins, or its end marker
//! ```
//!
//! Every op has a marker, `end: dot.1`. That of a synchronous op lies within it or follows at once, on
//! the same thread. That of an asynchronous op comes later, on the thread that completed it; ops that
//! waited for it run there before the marker, so the first op of such a chain shows when it was done.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use stepscope_xplane::Plane;

/// An op of a plane, by the ID of its event metadata.
pub(super) type OpName = (u32, i64);

/// What an event marks the end of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marked {
    /// ID of the op's event metadata; none if the plane has no such op.
    pub(super) op: Option<i64>,
    /// Control ops end after the ops within them, which have times of their own.
    pub(super) is_control: bool,
}

/// Markers follow synchronous ops within this time.
const AT_ONCE_PS: i64 = 2_000_000;
/// Ops of one thread that follow each other within this time form a chain.
const CHAIN_PS: i64 = 20_000_000;
/// Ops after an op among which its marker is looked for.
const RECENT: usize = 32;
/// With more ops without a marker, the recording lacks markers.
const MOST_OPEN: usize = 1 << 20;

/// By event metadata ID, what an event marks the end of; empty without markers.
pub(super) fn marked_ops(plane: &Plane<'_>) -> Vec<Option<Marked>> {
    const PREFIX: &[u8] = b"end: ";
    let markers = || {
        let entries = plane.event_metadata.iter();
        entries.filter(|entry| entry.name.starts_with(PREFIX))
    };
    if markers().next().is_none() {
        return Vec::new();
    }
    let names = plane.event_metadata.iter();
    let ids: FxHashMap<&[u8], i64> = names.map(|entry| (entry.name, entry.id)).collect();
    // Writers number IDs consecutively; a table by position must not outgrow the plane's own.
    let limit = plane.event_metadata.len().saturating_mul(16);
    let mut marked = Vec::new();
    for entry in markers() {
        let Some(slot) = usize::try_from(entry.id).ok().filter(|&slot| slot < limit) else {
            continue;
        };
        if marked.len() <= slot {
            marked.resize(slot + 1, None);
        }
        let name = &entry.name[PREFIX.len()..];
        let control = [&b"while"[..], b"conditional", b"call"];
        marked[slot] = Some(Marked {
            op: ids.get(name).copied(),
            is_control: control.iter().any(|control| name.starts_with(control)),
        });
    }
    marked
}

/// An op whose end was not marked when its call returned.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenOp {
    pub(super) name: OpName,
    /// Its group of slices: the device.
    pub(super) group: u16,
    pub(super) start: i64,
    pub(super) end: i64,
    /// Ordinal of its event.
    pub(super) event: u32,
}

/// An end marker apart from its op.
#[derive(Debug, Clone, Copy)]
struct Marker {
    at: i64,
    /// When the chain of ops began that ran before it on its thread.
    chain_start: i64,
}

/// Ops and end markers of one thread that did not meet there.
#[derive(Debug, Default)]
pub(super) struct Unpaired {
    open: Vec<OpenOp>,
    markers: Vec<(OpName, Marker)>,
    /// Start and end of the chain of ops that is under way.
    chain: (i64, i64),
    is_without_markers: bool,
}

impl Unpaired {
    /// An op, in time order.
    #[inline]
    pub(super) fn op(&mut self, op: OpenOp) {
        if self.is_without_markers {
            return;
        }
        if op.start.saturating_sub(self.chain.1) > CHAIN_PS {
            self.chain.0 = op.start;
        }
        self.chain.1 = self.chain.1.max(op.end);
        self.open.push(op);
        if self.open.len() > MOST_OPEN {
            *self = Self {
                is_without_markers: true,
                ..Self::default()
            };
        }
    }

    /// The end of an op is marked.
    #[inline]
    pub(super) fn marker(&mut self, plane: u32, marked: Marked, at: i64) {
        let Some(op) = marked.op else { return };
        let name = (plane, op);
        let first = self.open.len().saturating_sub(RECENT);
        let found = self.open[first..].iter().rposition(|op| op.name == name);
        if let Some(position) = found
            && (marked.is_control
                || at <= self.open[first + position].end.saturating_add(AT_ONCE_PS))
        {
            self.open.remove(first + position);
        } else if !marked.is_control && !self.is_without_markers {
            let chain_start = self.chain.0;
            self.markers.push((name, Marker { at, chain_start }));
        }
    }
}

/// An op that went on: the position of its track, its group, its event, and when it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Completed {
    pub(super) track: usize,
    pub(super) group: u16,
    pub(super) event: u32,
    pub(super) end: i64,
}

/// The asynchronous ops of a host, from its tracks.
pub(super) fn completed<'a>(tracks: impl Iterator<Item = (usize, &'a Unpaired)>) -> Vec<Completed> {
    let mut by_name: BTreeMap<OpName, (Vec<(OpenOp, usize)>, Vec<Marker>)> = BTreeMap::new();
    for (track, unpaired) in tracks {
        for &op in &unpaired.open {
            by_name.entry(op.name).or_default().0.push((op, track));
        }
        for &(name, marker) in &unpaired.markers {
            by_name.entry(name).or_default().1.push(marker);
        }
    }
    let mut found = Vec::new();
    for (mut ops, mut markers) in by_name.into_values() {
        ops.sort_unstable_by_key(|(op, track)| (op.start, *track));
        markers.sort_unstable_by_key(|marker| marker.at);
        pair(&ops, &markers, &mut found);
    }
    found
}

/// Pairs the executions of one op with its markers: a marker belongs to the latest execution that has
/// none. On each device, one is under way at a time, so older ones lack a marker.
fn pair(ops: &[(OpenOp, usize)], markers: &[Marker], found: &mut Vec<Completed>) {
    let mut devices: Vec<u16> = ops.iter().map(|(op, _)| op.group).collect();
    devices.sort_unstable();
    devices.dedup();
    let mut waiting = Vec::new();
    let mut next = ops.iter().peekable();
    for marker in markers {
        while let Some(op) = next.next_if(|(op, _)| op.start <= marker.at) {
            waiting.push(op);
            if waiting.len() > devices.len() {
                waiting.remove(0);
            }
        }
        let Some((op, track)) = waiting.pop() else {
            continue;
        };
        let is_chain = op.end < marker.chain_start && marker.chain_start <= marker.at;
        let end = if is_chain {
            marker.chain_start
        } else {
            marker.at
        };
        if end > op.end {
            found.push(Completed {
                track: *track,
                group: op.group,
                event: op.event,
                end,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: i64 = 1_000_000;
    const DOT: i64 = 7;
    const ADD: i64 = 8;

    fn op(op: i64, from_us: i64, to_us: i64, event: u32) -> OpenOp {
        OpenOp {
            name: (0, op),
            group: 1,
            start: from_us * US,
            end: to_us * US,
            event,
        }
    }

    impl Unpaired {
        fn end_of(&mut self, op: i64, at_us: i64) {
            let marked = Marked {
                op: Some(op),
                is_control: false,
            };
            self.marker(0, marked, at_us * US);
        }
    }

    fn ends(tracks: &[Unpaired]) -> Vec<(u32, i64)> {
        let found = completed(tracks.iter().enumerate());
        found.iter().map(|one| (one.event, one.end / US)).collect()
    }

    #[test]
    fn an_op_lasts_until_what_waits_for_it_begins() {
        let (mut first, mut second) = (Unpaired::default(), Unpaired::default());
        for step in [0, 10_000] {
            first.op(op(DOT, step, step + 70, 1));
            second.op(op(ADD, step + 9_000, step + 9_300, 2));
            second.end_of(ADD, step + 9_299);
            second.end_of(DOT, step + 9_310);
        }
        assert_eq!(ends(&[first, second]), [(1, 9_000), (1, 19_000)]);
    }

    #[test]
    fn without_such_an_op_it_lasts_until_its_marker() {
        let (mut first, mut second) = (Unpaired::default(), Unpaired::default());
        second.op(op(ADD, 0, 10, 2));
        second.end_of(ADD, 10);
        first.op(op(DOT, 50, 70, 1));
        second.end_of(DOT, 900);
        assert_eq!(ends(&[first, second]), [(1, 900)]);
    }

    #[test]
    fn a_lost_marker_does_not_stretch_the_ops_after_it() {
        let (mut first, mut second) = (Unpaired::default(), Unpaired::default());
        // The marker of something before the recording.
        second.end_of(DOT, -5);
        for (step, event) in (0..4).zip(1..) {
            first.op(op(DOT, step * 1_000, step * 1_000 + 10, event));
            if step != 1 {
                second.end_of(DOT, step * 1_000 + 500);
            }
        }
        assert_eq!(ends(&[first, second]), [(1, 500), (3, 2_500), (4, 3_500)]);
    }

    #[test]
    fn synchronous_ops_end_where_they_end() {
        let mut thread = Unpaired::default();
        thread.op(op(DOT, 0, 70, 1));
        thread.end_of(DOT, 69);
        thread.op(op(ADD, 80, 90, 2));
        thread.end_of(ADD, 91);
        assert_eq!(ends(&[thread]), []);
    }
}
