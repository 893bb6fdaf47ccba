//! A walk over one nest: slices start and end in time order, each within the one around it.

use std::ops::Range;

use crate::track::Track;
use crate::units::Span;

/// The next event on a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A slice starts: its lane and position.
    Begin(u32, usize),
    /// The most recently started open slice ends.
    End(i64),
}

/// One lane, with its columns.
struct Columns<'a> {
    starts: &'a [i64],
    durations: &'a [i64],
    /// Next position.
    next: usize,
}

/// Walks a nest. For slices that are not `wanted`, only their children are visited.
///
/// # Errors
///
/// Those of `visit`; the first one ends the walk.
pub fn walk<E>(
    track: &Track,
    lanes: &Range<u32>,
    wanted: impl Fn(u32, usize) -> bool,
    visit: impl FnMut(Moment) -> Result<(), E>,
) -> Result<(), E> {
    walk_columns(columns(track, lanes, None), lanes.start, wanted, visit)
}

/// Walks the slices of a nest that overlap the window. An instant at the edge of the window whose
/// enclosing slice lies outside is left out.
///
/// # Errors
///
/// Those of `visit`; the first one ends the walk.
pub fn walk_within<E>(
    track: &Track,
    lanes: &Range<u32>,
    window: Span,
    visit: impl FnMut(Moment) -> Result<(), E>,
) -> Result<(), E> {
    let columns = columns(track, lanes, Some(window));
    walk_columns(columns, lanes.start, |_, _| true, visit)
}

fn columns<'a>(track: &'a Track, lanes: &Range<u32>, window: Option<Span>) -> Vec<Columns<'a>> {
    let lanes = &track.lanes[lanes.start as usize..lanes.end as usize];
    let columns = lanes.iter().map(|lane| {
        let range = window.map_or(0..lane.len(), |window| lane.overlapping(window));
        Columns {
            starts: &lane.starts()[..range.end],
            durations: &lane.durations()[..range.end],
            next: range.start,
        }
    });
    columns.collect()
}

fn walk_columns<E>(
    mut columns: Vec<Columns<'_>>,
    first: u32,
    wanted: impl Fn(u32, usize) -> bool,
    mut visit: impl FnMut(Moment) -> Result<(), E>,
) -> Result<(), E> {
    // For enclosing slices: their ends, and whether they are wanted.
    let mut open: Vec<(i64, bool)> = Vec::with_capacity(columns.len());
    loop {
        let depth = open.len();
        let candidate = columns
            .get(depth)
            .and_then(|lane| lane.starts.get(lane.next).copied());
        let begins = candidate.filter(|&start| match open.last() {
            None => true,
            Some(&(end, _)) if start < end => true,
            // At its very end, the instant belongs to the next slice, if that starts here.
            Some(&(end, _)) => {
                let above = &columns[depth - 1];
                let after = above.starts.get(above.next);
                start == end && after.is_none_or(|&after| after > start)
            }
        });
        if let Some(start) = begins {
            let lane = &mut columns[depth];
            let index = lane.next;
            lane.next += 1;
            let end = start.saturating_add(lane.durations[index]);
            let number = first + u32::try_from(depth).unwrap_or(0);
            let is_wanted = wanted(number, index);
            if is_wanted {
                visit(Moment::Begin(number, index))?;
            }
            open.push((end, is_wanted));
            // Those whose enclosing slice the window left out.
            if let Some(below) = columns.get_mut(depth + 1) {
                while below
                    .starts
                    .get(below.next)
                    .is_some_and(|&other| other < start)
                {
                    below.next += 1;
                }
            }
        } else {
            match open.pop() {
                Some((end, true)) => visit(Moment::End(end))?,
                Some((_, false)) => {}
                None => return Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{HostId, LabelId, StringId};
    use crate::track::{Lane, Origin, TrackRole};
    use crate::units::Picos;

    fn lane(slices: &[(i64, i64)]) -> Lane {
        let starts: Vec<i64> = slices.iter().map(|slice| slice.0).collect();
        let durations: Vec<i64> = slices.iter().map(|slice| slice.1).collect();
        let labels = vec![LabelId(0); slices.len()];
        Lane::from_columns(&starts, &durations, &labels, &vec![0; slices.len()])
    }

    fn moments(window: Option<(i64, i64)>) -> Vec<Moment> {
        let track = Track {
            lanes: vec![
                lane(&[(0, 40), (40, 20), (70, 10)]),
                lane(&[(5, 10), (40, 0), (45, 5), (60, 0)]),
                lane(&[(6, 2)]),
            ],
            nests: vec![Range { start: 0, end: 3 }],
            name: StringId(0),
            host: HostId(0),
            process: None,
            device: None,
            role: TrackRole::HostThread,
            line_id: 0,
            labels: std::sync::Arc::default(),
            samples: None,
            origin: Origin::default(),
        };
        let mut found = Vec::new();
        let visit = |moment| {
            found.push(moment);
            Ok::<(), ()>(())
        };
        match window {
            None => walk(&track, &(0..3), |_, _| true, visit),
            Some((start, end)) => {
                let window = Span::new(Picos(start), Picos(end));
                walk_within(&track, &(0..3), window, visit)
            }
        }
        .expect("visits do not fail");
        found
    }

    #[test]
    fn slices_begin_and_end_in_time_order() {
        use Moment::{Begin, End};
        let all = [
            Begin(0, 0),
            Begin(1, 0),
            Begin(2, 0),
            End(8),
            End(15),
            End(40),
            Begin(0, 1),
            Begin(1, 1),
            End(40),
            Begin(1, 2),
            End(50),
            Begin(1, 3),
            End(60),
            End(60),
            Begin(0, 2),
            End(80),
        ];
        assert_eq!(moments(None), all);
        assert_eq!(moments(Some((0, 80))), all);
    }

    #[test]
    fn a_window_cuts_what_does_not_overlap_it() {
        use Moment::{Begin, End};
        assert_eq!(
            moments(Some((10, 45))),
            [
                Begin(0, 0),
                Begin(1, 0),
                End(15),
                End(40),
                Begin(0, 1),
                Begin(1, 1),
                End(40),
                End(60)
            ]
        );
        assert_eq!(moments(Some((62, 68))), []);
        // Without its enclosing slice, an instant is not given to the next one.
        assert_eq!(moments(Some((60, 75))), [Begin(0, 2), End(80)]);
    }
}
