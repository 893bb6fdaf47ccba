//! Tracks of work as stretches: at every instant the innermost slice.
//!
//! ```text
//! while   ██████████████████
//! body       ████  ██████         stretches: while, body, while, body, while
//! ```

use stepscope_model::{LabelId, Lane, Track, TrackId};

use super::graph::NONE;

/// A stretch of one slice, with the nodes by which it begins and ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    /// Start on aligned clocks.
    pub(super) start_ps: i64,
    /// End on aligned clocks.
    pub(super) end_ps: i64,
    pub(super) label: LabelId,
    pub(super) track: TrackId,
    pub(super) lane: u32,
    pub(super) index: u32,
    /// Whether it is all of its slice.
    pub(super) is_whole: bool,
    /// The node that waits for what comes before.
    pub(super) entry: u32,
    /// The node that what comes after waits for.
    pub(super) exit: u32,
}

/// The stretches of work of a track, by start, in recorded time.
pub(super) fn of_track(id: TrackId, track: &Track, is_work: &[bool]) -> Vec<Segment> {
    let mut segments = Vec::with_capacity(track.slice_count());
    for (number, lane) in track.lanes.iter().enumerate() {
        add_lane(
            id,
            number,
            lane,
            track.child_lane(number),
            is_work,
            &mut segments,
        );
    }
    segments.sort_unstable_by_key(|one| (one.start_ps, one.end_ps, one.lane, one.index));
    segments
}

fn add_lane(
    track: TrackId,
    number: usize,
    lane: &Lane,
    below: Option<&Lane>,
    is_work: &[bool],
    segments: &mut Vec<Segment>,
) {
    let (starts, labels) = (lane.starts(), lane.labels());
    let number = u32::try_from(number).unwrap_or(NONE);
    let mut child = 0;
    for (index, (&start, &label)) in starts.iter().zip(labels).enumerate() {
        let end = lane.end(index);
        let piece = |from: i64, to: i64, is_whole: bool| Segment {
            start_ps: from,
            end_ps: to,
            label,
            track,
            lane: number,
            index: u32::try_from(index).unwrap_or(NONE),
            is_whole,
            entry: NONE,
            exit: NONE,
        };
        if !is_work[label.index()] {
            continue;
        }
        let mut from = start;
        let mut is_whole = true;
        if let Some(below) = below {
            let (children, child_labels) = (below.starts(), below.labels());
            while children.get(child).is_some_and(|&other| other < start) {
                child += 1;
            }
            while let Some(&begin) = children.get(child).filter(|&&other| other < end) {
                if is_work[child_labels[child].index()] {
                    is_whole = false;
                    if from < begin {
                        segments.push(piece(from, begin, false));
                    }
                    from = from.max(below.end(child));
                }
                child += 1;
            }
        }
        if from < end || is_whole {
            segments.push(piece(from, end, is_whole));
        }
    }
}
