//! What leads to a slice and what follows from it, along recorded arrows, over several hops.
//!
//! Arrows often end at a call and go on from a call within it: the runtime hands a program to a thread,
//! whose slice contains the launches. So arrows into a slice are also those into a slice around it, and
//! arrows out of it also those out of slices within it.
//!
//! ```text
//! hop −2     execute ──▶ run (   launch   )      the arrow ends at the slice around the launch
//! hop −1                         launch ──▶ kernel
//! hop  0                                    kernel
//! ```

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use stepscope_model::{Flow, Session, SliceId, Span};

use super::nesting::{address, ancestors};
use super::slice_report::{ChainEnd, ChainReport, ChainSlice};
use crate::telling::places::track_title;

/// Maximum number of arrows followed in a row, in each direction.
const MOST_HOPS: u32 = 8;
/// Maximum number of slices listed, in each direction.
const MOST_SLICES: usize = 64;
/// Maximum number of slices around a slice whose arrows count as its own.
const MOST_AROUND: usize = 64;
/// Maximum number of slices within a slice that are examined for arrows.
const MOST_WITHIN: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Before,
    After,
}

/// A slice that was reached.
struct Reached {
    slice: SliceId,
    hop: u32,
    /// The slice it was reached from, by its position.
    toward: Option<usize>,
    /// The slice around or within the one it was reached from, at which the arrow begins or ends.
    through: Option<SliceId>,
    kind: &'static str,
}

/// The chain through a slice; none if the slice does not exist.
pub fn chain(session: &Session, slice: SliceId) -> Option<ChainReport> {
    let lane = session.lane(slice.track, slice.lane)?;
    if slice.index as usize >= lane.len() {
        return None;
    }
    let (before, is_cut_before) = follow(session, slice, Direction::Before);
    let (after, is_cut_after) = follow(session, slice, Direction::After);
    let count = before.len();
    let mut slices = Vec::with_capacity(count + after.len() - 1);
    // The farthest first; the slice itself, at position 0 of both, comes once.
    for reached in before.iter().rev() {
        let toward = reached.toward.map(|toward| count - 1 - toward);
        slices.push(report(session, reached, -1, toward));
    }
    for reached in &after[1..] {
        let toward = reached.toward.map(|toward| count - 1 + toward);
        slices.push(report(session, reached, 1, toward));
    }
    Some(ChainReport {
        slices,
        most_hops: MOST_HOPS,
        most_slices: MOST_SLICES,
        is_cut_before,
        is_cut_after,
    })
}

/// The slices in one direction, by hops, and whether a limit left some out.
fn follow(session: &Session, slice: SliceId, direction: Direction) -> (Vec<Reached>, bool) {
    let mut found = vec![Reached {
        slice,
        hop: 0,
        toward: None,
        through: None,
        kind: "",
    }];
    let mut known = FxHashSet::from_iter([slice]);
    let mut queue = VecDeque::from([0]);
    let mut is_cut = false;
    while let Some(from) = queue.pop_front() {
        let (own, hop) = (found[from].slice, found[from].hop);
        let (arrows, is_partly) = arrows(session, own, direction);
        is_cut |= is_partly;
        for flow in arrows {
            let (end, other) = match direction {
                Direction::Before => (flow.to, flow.from),
                Direction::After => (flow.from, flow.to),
            };
            if known.contains(&other) {
                continue;
            }
            if hop == MOST_HOPS || found.len() > MOST_SLICES {
                is_cut = true;
                break;
            }
            known.insert(other);
            queue.push_back(found.len());
            found.push(Reached {
                slice: other,
                hop: hop + 1,
                toward: Some(from),
                through: (end != own).then_some(end),
                kind: flow.kind.name(),
            });
        }
    }
    (found, is_cut)
}

/// The arrows into a slice or the nearest slice around it that has any, or out of it and the slices
/// within it; and whether not all slices were examined.
fn arrows(session: &Session, slice: SliceId, direction: Direction) -> (Vec<Flow>, bool) {
    let track = session.track(slice.track);
    let flows = session.flows_of(track.host);
    match direction {
        Direction::Before => {
            let around = ancestors(track, slice).take(MOST_AROUND);
            let mut around = std::iter::once(slice).chain(around);
            let arrows = around.find_map(|one| {
                let arrows: Vec<Flow> = flows.to_slice(one).copied().collect();
                (!arrows.is_empty()).then_some(arrows)
            });
            (arrows.unwrap_or_default(), false)
        }
        Direction::After => {
            let mut arrows = flows.from_slice(slice).to_vec();
            let (within, is_partly) = within(session, slice);
            for one in within {
                arrows.extend(flows.from_slice(one));
            }
            arrows.sort_by_key(|flow| (start_ps(session, flow.to), flow.to));
            (arrows, is_partly)
        }
    }
}

/// The slices within a slice, the outermost first, and whether there are more than are examined.
fn within(session: &Session, slice: SliceId) -> (Vec<SliceId>, bool) {
    let track = session.track(slice.track);
    let span = span(session, slice).unwrap_or_default();
    let end = track.nest_of(slice.lane).map_or(0, |nest| nest.end);
    let mut found = Vec::new();
    for lane in slice.lane + 1..end {
        let range = track.lanes[lane as usize].starting_in(span);
        if range.is_empty() {
            break;
        }
        for index in range {
            if found.len() == MOST_WITHIN {
                return (found, true);
            }
            found.push(address(slice.track, lane, index));
        }
    }
    (found, false)
}

fn span(session: &Session, slice: SliceId) -> Option<Span> {
    let lane = session.lane(slice.track, slice.lane)?;
    let index = slice.index as usize;
    (index < lane.len()).then(|| lane.span(index))
}

fn start_ps(session: &Session, slice: SliceId) -> i64 {
    span(session, slice).map_or(0, |span| span.start.0)
}

fn report(session: &Session, reached: &Reached, sign: i32, toward: Option<usize>) -> ChainSlice {
    let label = session
        .lane(reached.slice.track, reached.slice.lane)
        .and_then(|lane| {
            let label = lane.labels().get(reached.slice.index as usize)?;
            Some(session.label(*label))
        });
    let ChainEnd {
        slice,
        name,
        start_ps,
        duration_ps,
    } = end(session, reached.slice);
    ChainSlice {
        slice,
        name,
        class: label.map_or("", |label| label.class.name()).to_owned(),
        track_name: track_title(session, reached.slice.track),
        start_ps,
        duration_ps,
        hop: sign * i32::try_from(reached.hop).unwrap_or(i32::MAX),
        toward: toward.map(super::labels::position),
        through: reached.through.map(|through| end(session, through)),
        kind: reached.kind.to_owned(),
    }
}

fn end(session: &Session, slice: SliceId) -> ChainEnd {
    let label = session.lane(slice.track, slice.lane).and_then(|lane| {
        let label = lane.labels().get(slice.index as usize);
        label.copied()
    });
    let span = span(session, slice).unwrap_or_default();
    ChainEnd {
        slice: slice.into(),
        name: label
            .map_or("", |label| session.label_name(label))
            .to_owned(),
        start_ps: span.start.0,
        duration_ps: span.duration().0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::samples::{four_hops, one_launch};
    use stepscope_model::TrackId;

    fn find(session: &Session, name: &str) -> SliceId {
        let tracks = session.track_ids();
        let slices = tracks.flat_map(|track| {
            let lanes = 0u32..;
            let lanes = lanes.zip(&session.track(track).lanes);
            lanes.flat_map(move |(lane, columns)| {
                (0..columns.len())
                    .map(move |index| (address(track, lane, index), columns.labels()[index]))
            })
        });
        let mut slices = slices.filter(|&(_, label)| session.label_name(label) == name);
        slices.next().expect("there is such a slice").0
    }

    fn told(report: &ChainReport) -> Vec<(i32, &str, Option<u32>, Option<&str>)> {
        let slices = report.slices.iter();
        slices
            .map(|one| {
                let through = one.through.as_ref().map(|end| &*end.name);
                (one.hop, &*one.name, one.toward, through)
            })
            .collect()
    }

    #[test]
    fn a_kernel_is_followed_back_over_the_calls_around_its_launch() {
        let session = four_hops();
        let report = chain(&session, find(&session, "gemm")).expect("the slice exists");
        assert_eq!(
            told(&report),
            [
                (-2, "execute", Some(1), Some("run")),
                (-1, "cuLaunchKernel", Some(2), None),
                (0, "gemm", None, None)
            ]
        );
        let kinds: Vec<_> = report.slices.iter().map(|one| &*one.kind).collect();
        assert_eq!(kinds, ["producer_consumer", "launch", ""]);
        assert!(!report.is_cut_before && !report.is_cut_after);
    }

    #[test]
    fn a_call_is_followed_to_all_that_it_launched() {
        let session = four_hops();
        let report = chain(&session, find(&session, "execute")).expect("the slice exists");
        assert_eq!(
            told(&report),
            [
                (0, "execute", None, None),
                (1, "run", Some(0), None),
                (2, "gemm", Some(1), Some("cuLaunchKernel")),
                (2, "add", Some(1), Some("cuLaunchKernel"))
            ]
        );
    }

    #[test]
    fn more_than_the_limit_is_cut_and_said() {
        let session = four_hops();
        let many = chain(&session, find(&session, "loop")).expect("the slice exists");
        assert!(many.is_cut_after && !many.is_cut_before);
        assert_eq!(many.slices.len(), 1 + MOST_SLICES);
        let starts: Vec<i64> = many.slices[1..].iter().map(|one| one.start_ps).collect();
        assert!(starts.is_sorted());
    }

    #[test]
    fn slices_without_arrows_are_a_chain_of_their_own() {
        let session = one_launch();
        let launch = chain(&session, find(&session, "cuLaunchKernel")).expect("the slice exists");
        assert_eq!(launch.slices.len(), 2);
        assert!(chain(&session, address(TrackId(99), 0, 0)).is_none());
    }
}
