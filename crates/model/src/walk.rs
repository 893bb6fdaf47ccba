//! A walk over one nest: slices begin and end in the order of time, each within the one around it.

use std::ops::Range;

use crate::track::Track;

/// What happens next on a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A slice begins: its lane and position.
    Begin(u32, usize),
    /// The slice that began last and has not ended ends then.
    End(i64),
}

/// One lane, its columns at hand.
struct Columns<'a> {
    starts: &'a [i64],
    durations: &'a [i64],
    /// Position that comes next.
    next: usize,
}

/// Walks a nest. Of slices that are not `wanted` only those within are visited.
///
/// # Errors
///
/// Those of `visit`, at the first of which the walk ends.
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
    // Of slices around, their ends and whether they are wanted.
    let mut open: Vec<(i64, bool)> = Vec::with_capacity(lanes.len());
    loop {
        let depth = open.len();
        let candidate = columns
            .get(depth)
            .and_then(|lane| lane.starts.get(lane.next).copied());
        let begins = candidate.filter(|&start| match open.last() {
            None => true,
            Some(&(end, _)) if start < end => true,
            // At the very end it is the next one's, if that begins here.
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
