//! What a thread does, without what is a part of something else of the same kind.

use stepscope_model::{LabelId, Span, Track};

use crate::measuring::interval::Intervals;

/// Slices of a thread that `counts` accepts and that start within `windows`, each with its label; what
/// starts within another one is a part of it. Depth by depth, each in order.
pub(crate) fn outermost(
    track: &Track,
    windows: &Intervals,
    counts: impl Fn(LabelId) -> bool,
) -> Vec<(Span, LabelId)> {
    let (mut found, mut known) = (Vec::new(), Intervals::default());
    for lane in &track.lanes {
        let mut own = Vec::new();
        for (index, &label) in lane.labels().iter().enumerate() {
            let span = lane.span(index);
            let starts_here =
                windows.contains_instant(span.start) && !known.contains_instant(span.start);
            if counts(label) && starts_here {
                own.push(span);
                found.push((span, label));
            }
        }
        known = known.union(&Intervals::union_of(own));
    }
    found
}
