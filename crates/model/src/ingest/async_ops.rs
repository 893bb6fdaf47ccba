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
//! waited for it run there before the marker, so the first op of such a chain shows when it was done. An
//! arrow leads from the op to its marker.

use rustc_hash::FxHashMap;
use stepscope_xplane::{Plane, Tail};

use crate::vendor::stats::{StatRole, StatRoles};

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
/// An op that goes on for less than this after its call is synchronous. Exported traces have ops that are
/// complete already, with rounded times.
const LEAST_PS: i64 = 1_000_000;
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
    /// Its plane and its event metadata.
    pub(super) name: (u32, i64),
    /// Its group of slices: the device.
    pub(super) group: u16,
    pub(super) end: i64,
    /// Ordinal of its event.
    pub(super) event: u32,
}

/// The arrow from an op to its marker: the plane and the id.
type Arrow = (u32, u64);

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
    open: Vec<(Arrow, OpenOp)>,
    markers: Vec<(Arrow, Marker)>,
}

/// Pairs the ops of one thread with their end markers.
#[derive(Default)]
pub(super) struct Pairing<'a> {
    unpaired: Unpaired,
    /// Ops of the current line, with the stats of their events.
    open: Vec<(OpenOp, Tail<'a>)>,
    /// Start and end of the chain of ops that is under way.
    chain: (i64, i64),
    is_without_markers: bool,
}

impl<'a> Pairing<'a> {
    /// An op that began at a time, in time order.
    #[inline]
    pub(super) fn op(&mut self, op: OpenOp, start: i64, stats: Tail<'a>) {
        if self.is_without_markers {
            return;
        }
        if start.saturating_sub(self.chain.1) > CHAIN_PS {
            self.chain.0 = start;
        }
        self.chain.1 = self.chain.1.max(op.end);
        self.open.push((op, stats));
        if self.open.len() > MOST_OPEN {
            self.is_without_markers = true;
            self.open = Vec::new();
        }
    }

    /// The end of an op is marked.
    #[inline]
    pub(super) fn marker(
        &mut self,
        (roles, plane): (&StatRoles, u32),
        marked: Marked,
        at: i64,
        stats: Tail<'_>,
    ) {
        let Some(op) = marked.op else { return };
        let first = self.open.len().saturating_sub(RECENT);
        let mut recent = self.open[first..].iter();
        let found = recent.rposition(|(open, _)| open.name == (plane, op));
        let at_once = |end: i64| at <= end.saturating_add(AT_ONCE_PS);
        if let Some(position) = found
            && (marked.is_control || at_once(self.open[first + position].0.end))
        {
            self.open.remove(first + position);
        } else if !marked.is_control
            && let Some(id) = arrow(roles, stats, StatRole::ConsumerId)
        {
            let chain_start = self.chain.0;
            let own = Marker { at, chain_start };
            self.unpaired.markers.push(((plane, id), own));
        }
    }

    /// A line is over: the arrows of ops that are still open are read.
    pub(super) fn end_line(&mut self, roles: &StatRoles) {
        for (op, stats) in self.open.drain(..) {
            if let Some(id) = arrow(roles, stats, StatRole::ProducerId) {
                self.unpaired.open.push(((op.name.0, id), op));
            }
        }
    }

    /// What did not meet on this thread; most threads have nothing.
    pub(super) fn into_unpaired(self) -> Option<Box<Unpaired>> {
        let unpaired = self.unpaired;
        let is_empty = unpaired.open.is_empty() && unpaired.markers.is_empty();
        (!is_empty).then(|| Box::new(unpaired))
    }
}

/// The id of an arrow's end among the stats of an event.
fn arrow(roles: &StatRoles, mut stats: Tail<'_>, wanted: StatRole) -> Option<u64> {
    let found = stats.find(|stat| roles.get(stat.metadata_id) == wanted)?;
    found.value().as_int().map(i64::cast_unsigned)
}

/// An op that went on: its group, its event, and when it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Completed {
    pub(super) group: u16,
    pub(super) event: u32,
    pub(super) end: i64,
}

/// The asynchronous ops of a host, each with the position of its track. `first_after` gives the start of
/// the first op of a track after a time.
pub(super) fn completed<'a>(
    tracks: impl Iterator<Item = (usize, &'a Unpaired)> + Clone,
    first_after: impl Fn(usize, i64) -> Option<i64>,
) -> Vec<(usize, Completed)> {
    let markers = tracks.clone().flat_map(|(track, own)| {
        let own = own.markers.iter();
        own.map(move |&(arrow, marker)| (arrow, (track, marker)))
    });
    let markers: FxHashMap<Arrow, (usize, Marker)> = markers.collect();
    let ops = tracks.flat_map(|(track, own)| own.open.iter().map(move |open| (track, open)));
    let completed = ops.filter_map(|(track, (arrow, op))| {
        let &(marked_on, marker) = markers.get(arrow)?;
        // Of the chain that ran until the marker, ops that began before the call returned waited for
        // something else.
        let after = op.end.saturating_sub(LEAST_PS);
        let waited = first_after(marked_on, after.max(marker.chain_start.saturating_sub(1)));
        let waited = waited.filter(|&start| start <= marker.at);
        let end = waited.unwrap_or(marker.at);
        let completed = Completed {
            group: op.group,
            event: op.event,
            end,
        };
        (end > op.end.saturating_add(LEAST_PS)).then_some((track, completed))
    });
    completed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: i64 = 1_000_000;

    /// Ops of a thread, each with its arrow and when its call returned, and the markers there, each with
    /// the start of the chain before it.
    fn thread(ops_us: &[(u64, i64)], markers_us: &[(u64, i64, i64)]) -> Unpaired {
        let op = |&(id, end_us): &(u64, i64)| {
            let op = OpenOp {
                name: (0, 7),
                group: 1,
                end: end_us * US,
                event: u32::try_from(id).expect("few"),
            };
            ((0, id), op)
        };
        let marker = |&(id, chain_us, at_us): &(u64, i64, i64)| {
            let marker = Marker {
                at: at_us * US,
                chain_start: chain_us * US,
            };
            ((0, id), marker)
        };
        Unpaired {
            open: ops_us.iter().map(op).collect(),
            markers: markers_us.iter().map(marker).collect(),
        }
    }

    /// Ends of ops by event, where these ops began on the second thread.
    fn ends_us(tracks: &[Unpaired], starts_us: &[i64]) -> Vec<(u32, i64)> {
        let first_after = |track: usize, after: i64| {
            let starts = starts_us.iter().map(|start| start * US);
            starts.filter(|&start| track == 1 && start > after).min()
        };
        let found = completed(tracks.iter().enumerate(), first_after);
        found
            .iter()
            .map(|(_, one)| (one.event, one.end / US))
            .collect()
    }

    #[test]
    fn an_op_lasts_until_what_waits_for_it_begins() {
        let first = thread(&[(1, 70), (2, 10_070)], &[]);
        let second = thread(&[], &[(1, 9_000, 9_310), (2, 19_000, 19_310)]);
        let starts = [9_000, 9_200, 19_000];
        assert_eq!(
            ends_us(&[first, second], &starts),
            [(1, 9_000), (2, 19_000)]
        );
    }

    #[test]
    fn without_such_an_op_it_lasts_until_its_marker() {
        let first = thread(&[(1, 70)], &[]);
        // The last ops there began before the call returned.
        let second = thread(&[], &[(1, 0, 900)]);
        assert_eq!(ends_us(&[first, second], &[0, 60]), [(1, 900)]);
    }

    #[test]
    fn all_that_follows_may_run_before_the_marker() {
        let first = thread(&[(1, 70)], &[]);
        // One chain: it began before the call returned, went on after the op, and ran to the end.
        let second = thread(&[], &[(1, 60, 9_000)]);
        let starts = [60, 80, 300, 5_000];
        assert_eq!(ends_us(&[first, second], &starts), [(1, 80)]);
    }

    #[test]
    fn a_lost_marker_changes_no_other_op() {
        let first = thread(&[(1, 10), (2, 1_010), (3, 2_010)], &[]);
        let second = thread(&[], &[(9, 0, 5), (1, 500, 510), (3, 2_500, 2_510)]);
        let starts = [0, 500, 2_500];
        assert_eq!(ends_us(&[first, second], &starts), [(1, 500), (3, 2_500)]);
    }
}
