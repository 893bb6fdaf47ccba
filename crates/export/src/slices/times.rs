//! Times of slices: the steps that they are in, and which lanes reach into some times.

use stepscope_model::{DeviceId, HostId, Lane, Picos, Session, Span, Step};

/// Spans of steps for a track, by start: its device's, or its host's.
pub(super) fn steps_on(
    session: &Session,
    host: HostId,
    device: Option<DeviceId>,
) -> Vec<(Span, i64)> {
    let of = |step: &Step| {
        let on = step.seen_from(host, device)?;
        Some((on.span, step.number))
    };
    let mut steps: Vec<(Span, i64)> = session.steps.iter().filter_map(of).collect();
    steps.sort_unstable();
    steps
}

/// The step that contains an instant.
pub(super) fn step_at(steps: &[(Span, i64)], instant: i64) -> Option<i64> {
    let after = steps.partition_point(|(span, _)| span.start.0 <= instant);
    let (span, number) = steps.get(after.checked_sub(1)?)?;
    (instant < span.end.0).then_some(*number)
}

/// The times whose [`step_at`] is kept, ascending and apart from each other.
pub(super) fn in_steps(steps: &[(Span, i64)], is_kept: &dyn Fn(Option<i64>) -> bool) -> Vec<Span> {
    let keeps_rest = is_kept(None);
    let mut times = Vec::new();
    let mut add = |from: i64, to: i64, is_kept: bool| {
        if !is_kept || from >= to {
            return;
        }
        match times.last_mut() {
            Some(Span { end, .. }) if end.0 == from => *end = Picos(to),
            _ => times.push(Span::new(Picos(from), Picos(to))),
        }
    };
    let first = steps.first().map_or(i64::MAX, |(span, _)| span.start.0);
    add(i64::MIN, first, keeps_rest);
    for (position, (span, number)) in steps.iter().enumerate() {
        // Where steps overlap, an instant is in the one that started last.
        let next = steps.get(position + 1);
        let next = next.map_or(i64::MAX, |(span, _)| span.start.0);
        let end = span.end.0.clamp(span.start.0, next);
        add(span.start.0, end, is_kept(Some(*number)));
        add(end, next, keeps_rest);
    }
    times
}

/// What two lists of times have in common; each is ascending, its times apart from each other.
pub(super) fn common(one: &[Span], other: &[Span]) -> Vec<Span> {
    let (mut at, mut other_at) = (0, 0);
    let mut times = Vec::new();
    while let (Some(a), Some(b)) = (one.get(at), other.get(other_at)) {
        let (from, to) = (a.start.max(b.start), a.end.min(b.end));
        if from < to {
            times.push(Span::new(from, to));
        }
        if a.end <= b.end {
            at += 1;
        } else {
            other_at += 1;
        }
    }
    times
}

/// Whether slices of a lane may start in these times, which are ascending: false rules it out without
/// reading the lane.
pub(super) fn may_start_in(lane: &Lane, times: &[Span]) -> bool {
    let hull = lane.hull();
    let first = times.partition_point(|time| time.end <= hull.start);
    !lane.is_empty() && times.get(first).is_some_and(|time| time.start <= hull.end)
}

#[cfg(test)]
mod tests {
    use stepscope_model::LabelId;

    use super::*;

    fn span(from: i64, to: i64) -> Span {
        Span::new(Picos(from), Picos(to))
    }

    /// Steps that touch, overlap, are apart, are empty, and are within others.
    const STEPS: [(i64, i64); 8] = [
        (0, 10),
        (10, 20),
        (15, 30),
        (40, 40),
        (40, 50),
        (60, 90),
        (65, 70),
        (95, 99),
    ];

    #[test]
    fn kept_times_are_those_of_kept_steps() {
        let mut steps: Vec<(Span, i64)> = STEPS
            .iter()
            .zip(0..)
            .map(|(&(from, to), number)| (span(from, to), number))
            .collect();
        steps.sort_unstable();
        // Every choice of steps, with and without the rest.
        for choice in 0..1_u32 << (STEPS.len() + 1) {
            let is_kept = |number: Option<i64>| {
                let bit = number.map_or(STEPS.len(), |number| usize::try_from(number).unwrap());
                choice >> bit & 1 == 1
            };
            let times = in_steps(&steps, &is_kept);
            assert!(times.windows(2).all(|pair| pair[0].end < pair[1].start));
            for instant in -5..110 {
                let found = times
                    .iter()
                    .any(|time| time.start.0 <= instant && instant < time.end.0);
                let expected = is_kept(step_at(&steps, instant));
                assert_eq!(found, expected, "choice {choice:b}, instant {instant}");
            }
        }
        assert_eq!(in_steps(&[], &|_| true), [span(i64::MIN, i64::MAX)]);
    }

    #[test]
    fn common_times_are_in_both() {
        let one = [span(i64::MIN, 5), span(10, 20), span(30, 40)];
        let other = [span(0, 12), span(15, 35), span(50, i64::MAX)];
        let expected = [span(0, 5), span(10, 12), span(15, 20), span(30, 35)];
        assert_eq!(common(&one, &other), expected);
        assert_eq!(common(&other, &one), expected);
        assert!(common(&one, &[]).is_empty());
    }

    #[test]
    fn a_lane_outside_of_the_times_is_ruled_out() {
        let lane = Lane::from_columns(&[10, 30], &[5, 5], &[LabelId(0); 2], &[0, 1]);
        for (times, expected) in [
            (vec![span(0, 10)], false),
            (vec![span(0, 11)], true),
            (vec![span(0, 5), span(36, 40)], false),
            // Where the last slice starts is not known, so its end counts.
            (vec![span(0, 5), span(35, 40)], true),
            (vec![], false),
        ] {
            assert_eq!(may_start_in(&lane, &times), expected, "{times:?}");
        }
        assert!(!may_start_in(&Lane::default(), &[span(i64::MIN, i64::MAX)]));
    }
}
