//! A walk over one nest: slices start and end in time order, each within the one around it.

use std::ops::Range;

use crate::track::Track;

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
    mut visit: impl FnMut(Moment) -> Result<(), E>,
) -> Result<(), E> {
    let first = lanes.start;
    let lanes = &track.lanes[lanes.start as usize..lanes.end as usize];
    let mut columns: Vec<Columns<'_>> = lanes
        .iter()
        .map(|lane| Columns {
            starts: lane.starts(),
            durations: lane.durations(),
            next: 0,
        })
        .collect();
    // For enclosing slices: their ends, and whether they are wanted.
    let mut open: Vec<(i64, bool)> = Vec::with_capacity(lanes.len());
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
        } else {
            match open.pop() {
                Some((end, true)) => visit(Moment::End(end))?,
                Some((_, false)) => {}
                None => return Ok(()),
            }
        }
    }
}
