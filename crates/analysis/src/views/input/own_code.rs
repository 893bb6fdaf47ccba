//! The program's own function that the next element is made with, where an iterator calls it when it is
//! asked: `dataset.map(augment)` runs `augment` within `__next__`.
//!
//! ```text
//! __next__ (wait)     [--------------------------------------]
//! library             [ batch [ map ][ map ][ map ][ map ]   ]
//! program                     [ aug ][ aug ][ aug ][ aug ]      what most of the wait is
//! ```

use std::collections::BTreeMap;

use stepscope_model::{
    Activity, InputStage, Label, LabelId, Picos, Session, SliceKind, Span, Track,
};

use crate::measuring::activity::Activities;
use crate::measuring::interval::Intervals;

/// Least share of the time of the waits of a thread that a function has to take.
pub(super) const MOST: f64 = 0.6;

/// What runs within waits, by label: its slices, and the sum of their depths.
pub(super) type Inside = BTreeMap<LabelId, (Vec<Span>, usize)>;

/// The innermost Python function that takes most of the time in which a thread waits for the next
/// element. None if it waits for something else, such as another thread, or if only libraries run.
pub(super) fn own_code(session: &Session, track: &Track, windows: &Intervals) -> Option<LabelId> {
    let is_wait = waits_of(session, track)?;
    let labels = session.labels.iter();
    let is_own: Vec<bool> = labels.map(|label| is_function(session, label)).collect();
    let (mut waits, mut inside) = (Vec::new(), Inside::new());
    for nest in &track.nests {
        let mut outer: Vec<Vec<(i64, i64, usize)>> = Vec::new();
        for (depth, number) in nest.clone().enumerate() {
            let lane = &track.lanes[number as usize];
            let mut own = Vec::new();
            for (index, label) in lane.labels().iter().enumerate() {
                let at = label.index();
                if !(is_wait[at] || is_own[at]) {
                    continue;
                }
                let span = lane.span(index);
                if !windows.contains_instant(span.start) {
                    continue;
                }
                if is_wait[at] {
                    own.push((span.start.0, span.end.0, at));
                } else if outer
                    .iter()
                    .any(|lane| around(lane, span.start.0).is_some())
                {
                    let (spans, depths) = inside.entry(*label).or_default();
                    spans.push(span);
                    *depths += depth;
                }
            }
            waits.extend(
                own.iter()
                    .map(|&(start, end, _)| Span::new(Picos(start), Picos(end))),
            );
            outer.push(own);
        }
    }
    let least_ps = MOST * Intervals::union_of(waits).duration().0 as f64;
    innermost(&inside, least_ps)
}

/// By label, whether it waits for the next element; none on a thread that has no such wait.
fn waits_of(session: &Session, track: &Track) -> Option<Vec<bool>> {
    let activities = Activities::of(session);
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    let is_wait: Vec<bool> = ids
        .map(|id| activities.label(id) == Activity::Input(InputStage::Wait))
        .collect();
    let has_wait = track.may_have(|label| is_wait[label.index()]);
    has_wait.then_some(is_wait)
}

/// Whether it is a function of the program that is no stage of input itself.
fn is_function(session: &Session, label: &Label) -> bool {
    is_own_function(session, label) && !matches!(label.activity, Activity::Input(_))
}

/// Whether it is a Python function that is no library's, does not wait, and says by its file what it is.
pub(super) fn is_own_function(session: &Session, label: &Label) -> bool {
    let name = session.text(label.name);
    let waits = matches!(label.activity, Activity::Blocked | Activity::Sleep);
    label.kind == SliceKind::Python
        && !waits
        && name.contains(".py:")
        && !session.is_library_frame(name)
}

/// The deepest one that takes at least this long.
pub(super) fn innermost(inside: &Inside, least_ps: f64) -> Option<LabelId> {
    let most = inside.iter().filter_map(|(&label, (spans, depths))| {
        let mean_depth = *depths as f64 / spans.len().max(1) as f64;
        let takes_ps = Intervals::union_of(spans.clone()).duration().0 as f64;
        (takes_ps > 0.0 && takes_ps >= least_ps).then_some((mean_depth, label))
    });
    let deepest = most.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    deepest.map(|(_, label)| label)
}

/// The label of the slice that contains the instant. Slices are sorted and do not overlap.
pub(super) fn around(lane: &[(i64, i64, usize)], instant: i64) -> Option<usize> {
    let after = lane.partition_point(|&(start, ..)| start <= instant);
    let &(_, end, label) = lane.get(after.checked_sub(1)?)?;
    (instant < end).then_some(label)
}

/// The innermost function of the program, a stage of input or not, that takes most of the time in which a
/// thread waits for the next element, and does not wait for another thread itself.
pub(crate) fn own_loader(
    session: &Session,
    track: &Track,
    windows: &Intervals,
) -> Option<(LabelId, f64)> {
    let is_wait = waits_of(session, track)?;
    let labels = session.labels.iter();
    let is_own: Vec<bool> = labels
        .map(|label| is_own_function(session, label))
        .collect();
    // What is taken from a queue is a wait for the thread that fills it.
    let is_blocked: Vec<bool> = session
        .labels
        .iter()
        .map(|label| label.activity == Activity::Blocked)
        .collect();
    let (mut waits, mut blocked) = (Vec::new(), Vec::new());
    for lane in &track.lanes {
        for (index, label) in lane.labels().iter().enumerate() {
            let span = lane.span(index);
            if !windows.contains_instant(span.start) {
                continue;
            }
            if is_blocked[label.index()] {
                blocked.push(span);
            } else if is_wait[label.index()] && !is_own[label.index()] {
                waits.push(span);
            }
        }
    }
    let (waits, blocked) = (Intervals::union_of(waits), Intervals::union_of(blocked));
    let mut inside = Inside::new();
    for nest in &track.nests {
        for (depth, number) in nest.clone().enumerate() {
            let lane = &track.lanes[number as usize];
            for (index, &label) in lane.labels().iter().enumerate() {
                let span = lane.span(index);
                if is_own[label.index()] && waits.contains_instant(span.start) {
                    let (spans, depths) = inside.entry(label).or_default();
                    spans.push(span);
                    *depths += depth;
                }
            }
        }
    }
    // A frame around the wait that begins with it is not within.
    let within = |span: &Span| waits.clip(*span).duration() == span.duration();
    for (spans, _) in inside.values_mut() {
        spans.retain(within);
    }
    inside.retain(|_, (spans, _)| !spans.is_empty());
    let all_ps = waits.duration().0 as f64;
    let found = innermost(&inside, MOST * all_ps)?;
    let (spans, _) = inside.get(&found)?;
    let works = Intervals::union_of(spans.clone()).subtract(&blocked);
    let works_ps = works.duration().0 as f64;
    (works_ps >= MOST * all_ps).then_some((found, works_ps))
}
