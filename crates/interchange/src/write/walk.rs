//! A walk over one nest: slices begin and end in the order of time, each within the one around it.

use std::io;
use std::ops::Range;

use stepscope_model::Track;

/// What happens next on a row.
pub(super) enum Moment {
    /// A slice begins: its lane and position.
    Begin(u32, usize),
    /// The slice that began last and has not ended ends then.
    End(i64),
}

/// Walks a nest. Of slices that are not `wanted` only those within are visited.
pub(super) fn walk(
    track: &Track,
    lanes: &Range<u32>,
    wanted: impl Fn(u32, usize) -> bool,
    mut visit: impl FnMut(Moment) -> io::Result<()>,
) -> io::Result<()> {
    let first = lanes.start;
    let lanes = &track.lanes[lanes.start as usize..lanes.end as usize];
    // For each lane the position that comes next; of slices around, their ends and whether wanted.
    let mut next: Vec<usize> = vec![0; lanes.len()];
    let mut open: Vec<(i64, bool)> = Vec::with_capacity(lanes.len());
    loop {
        let depth = open.len();
        let candidate = lanes.get(depth).and_then(|lane| {
            let start = *lane.starts().get(next[depth])?;
            Some((lane, start))
        });
        let is_within = candidate.is_some_and(|(_, start)| match open.last() {
            None => true,
            Some(&(end, _)) if start < end => true,
            // At the very end it is the next one's, if that begins here.
            Some(&(end, _)) => {
                let after = lanes[depth - 1].starts().get(next[depth - 1]);
                start == end && after.is_none_or(|&after| after > start)
            }
        });
        match candidate.filter(|_| is_within) {
            Some((lane, _)) => {
                let index = next[depth];
                next[depth] += 1;
                let number = first + u32::try_from(depth).unwrap_or(0);
                let is_wanted = wanted(number, index);
                if is_wanted {
                    visit(Moment::Begin(number, index))?;
                }
                open.push((lane.end(index), is_wanted));
            }
            None => match open.pop() {
                Some((end, true)) => visit(Moment::End(end))?,
                Some((_, false)) => {}
                None => return Ok(()),
            },
        }
    }
}
