//! Divides a device's time: which part of a step each instant belongs to.
//!
//! ```text
//! compute        ████      ███                      priority decreases from top to bottom;
//! collectives      ████                             an instant belongs to the topmost row
//! copies              ███     ██                    that covers it
//! compile, input, overhead   ▒▒▒▒▒▒▒
//! parts          CCCCLL HH CCC▒▒▒▒▒▒idle
//! ```
//!
//! The parts are made disjoint once for the whole session and clipped to each step, so they are
//! never negative and sum to its duration in whole picoseconds.

use crate::measuring::levels::{COLLECTIVE, DEVICE_LEVELS};
use stepscope_model::{DeviceId, Session, Span};

use super::host::HostActivity;
use crate::measuring::callbacks::Callbacks;
use crate::measuring::communication;
use crate::measuring::interval::Intervals;
use crate::measuring::pauses::Pauses;
use crate::measuring::steps::PartKind;
use crate::measuring::work::add_levels;

/// Parts in display order. Arrays of picoseconds by part use the same order.
pub(crate) const PARTS: [PartKind; 10] = [
    PartKind::DeviceCompute,
    PartKind::Collectives,
    PartKind::HostToDevice,
    PartKind::DeviceToHost,
    PartKind::DeviceToDevice,
    PartKind::PythonCallbacks,
    PartKind::InputWait,
    PartKind::Compilation,
    PartKind::HostOverhead,
    PartKind::Idle,
];

/// Disjoint times by part, for one device or for a host without devices.
pub(super) struct Division {
    parts: Vec<(PartKind, Intervals)>,
    /// Time within the busy parts in which only an asynchronous collective was in flight.
    without_work: Intervals,
}

/// Lengths by part, in the order of [`PARTS`], and how long the device was busy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "units are suffixes")]
pub(crate) struct PartLengths {
    /// Picoseconds by part.
    pub(crate) parts_ps: [i64; PARTS.len()],
    /// Sum of the parts in which the device works, without time in which only an asynchronous
    /// collective was in flight.
    pub(crate) busy_ps: i64,
    /// Part of the idle time in which the device had work but paused; see
    /// [`crate::measuring::pauses`].
    pub(crate) paused_ps: i64,
}

impl PartLengths {
    /// How long ops ran on the device: busy time plus the time it waited for Python callbacks.
    pub(crate) fn worked_ps(&self) -> i64 {
        self.busy_ps + self.parts_ps[position(PartKind::PythonCallbacks)]
    }

    /// Idle time in which the host did nothing that was recorded, and the device had no work.
    pub(crate) fn quiet_ps(&self) -> i64 {
        self.parts_ps[position(PartKind::Idle)] - self.paused_ps
    }
}

impl Division {
    /// Divides the time of a device by its work and by what its host did.
    pub(super) fn of_device(
        session: &Session,
        device: DeviceId,
        levels: &[u8],
        host: &HostActivity,
        within: Span,
    ) -> Self {
        let mut spans: Vec<Vec<Vec<Span>>> = vec![Vec::new(); DEVICE_LEVELS.len()];
        for (_, track) in session.work_tracks(device) {
            add_levels(&track, levels, &[within], &mut spans);
        }
        let mut work: Vec<Intervals> = spans.into_iter().map(Intervals::union_of_sorted).collect();
        let under_way = communication::under_way(session, device, &[within]);
        let mut without_work = Intervals::default();
        if !under_way.spans().is_empty() {
            without_work = work
                .iter()
                .fold(under_way.clone(), |rest, own| rest.subtract(own));
            let collectives = &mut work[usize::from(COLLECTIVE)];
            *collectives = collectives.union(&under_way);
        }
        let callbacks = Callbacks::of(session).unrecorded(session, device, &[within]);
        let callbacks = (PartKind::PythonCallbacks, callbacks);
        let work = DEVICE_LEVELS.into_iter().zip(work).chain([callbacks]);
        // The host does not cause these pauses, whatever it does meanwhile.
        let pauses = Pauses::of(session);
        let pauses = pauses.of_device(session, device).clip(within);
        let own = work.chain([(PartKind::Idle, pauses)]);
        Self {
            without_work,
            ..Self::by_priority(own.chain(host_levels(host)))
        }
    }

    /// Divides the time of a host without devices by what it did.
    pub(super) fn of_host(host: &HostActivity) -> Self {
        Self::by_priority(host_levels(host))
    }

    /// Each level gets the time that no earlier level covers.
    fn by_priority(levels: impl Iterator<Item = (PartKind, Intervals)>) -> Self {
        let levels: Vec<(PartKind, Intervals)> = levels
            .filter(|(_, intervals)| !intervals.spans().is_empty())
            .collect();
        let rests = levels.iter().enumerate().map(|(number, (_, own))| {
            let mut earlier = levels[..number].iter();
            let rest = earlier.next().map(|(_, first)| own.subtract(first));
            earlier.fold(rest, |rest, (_, next)| Some(rest?.subtract(next)))
        });
        let rests: Vec<Option<Intervals>> = rests.collect();
        let claimed = levels.into_iter().zip(rests);
        Self {
            parts: claimed
                .map(|((part, own), rest)| (part, rest.unwrap_or(own)))
                .collect(),
            without_work: Intervals::default(),
        }
    }

    /// The lengths of the parts within a step. The remainder is idle.
    pub(super) fn within(&self, step: Span) -> PartLengths {
        let mut lengths = PartLengths::default();
        let mut left_ps = step.duration().0;
        for (part, intervals) in &self.parts {
            let length_ps = intervals.duration_within(step).0;
            lengths.parts_ps[position(*part)] += length_ps;
            left_ps -= length_ps;
            if *part < PartKind::PythonCallbacks {
                lengths.busy_ps += length_ps;
            }
            // The rest of the idle time is what no level covers.
            if *part == PartKind::Idle {
                lengths.paused_ps += length_ps;
            }
        }
        lengths.parts_ps[position(PartKind::Idle)] += left_ps;
        lengths.busy_ps -= self.without_work.duration_within(step).0;
        lengths
    }
}

/// The position of a part in [`PARTS`].
pub(crate) fn position(part: PartKind) -> usize {
    PARTS
        .iter()
        .position(|&other| other == part)
        .unwrap_or(PARTS.len() - 1)
}

fn host_levels(host: &HostActivity) -> impl Iterator<Item = (PartKind, Intervals)> {
    [
        (PartKind::Compilation, host.compilation.clone()),
        (PartKind::InputWait, host.input.clone()),
        (PartKind::HostOverhead, host.overhead.clone()),
    ]
    .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use stepscope_model::Picos;

    fn intervals(pairs: &[(i64, i64)]) -> Intervals {
        let span = |&(start, length): &(i64, i64)| Span::new(Picos(start), Picos(start + length));
        Intervals::union_of(pairs.iter().map(span).collect())
    }

    /// The part of one instant, found by checking every level.
    fn part_at(levels: &[(PartKind, Intervals)], instant: i64) -> PartKind {
        let covers = |intervals: &Intervals| {
            intervals
                .spans()
                .iter()
                .any(|span| span.contains_instant(Picos(instant)))
        };
        let found = levels.iter().find(|(_, intervals)| covers(intervals));
        found.map_or(PartKind::Idle, |&(part, _)| part)
    }

    proptest! {
        #[test]
        fn parts_agree_with_asking_each_instant(
            levels in prop::collection::vec(
                prop::collection::vec((0i64..60, 0i64..12), 0..6), 10..=10,
            ),
            start in 0i64..40,
            length in 0i64..40,
        ) {
            let kinds = DEVICE_LEVELS.into_iter().chain([
                PartKind::Compilation, PartKind::InputWait, PartKind::HostOverhead,
            ]);
            let levels: Vec<(PartKind, Intervals)> =
                kinds.zip(levels.iter().map(|pairs| intervals(pairs))).collect();
            let step = Span::new(Picos(start), Picos(start + length));
            let lengths = Division::by_priority(levels.iter().cloned()).within(step);
            let mut expected = [0i64; PARTS.len()];
            for instant in start..start + length {
                expected[position(part_at(&levels, instant))] += 1;
            }
            prop_assert_eq!(lengths.parts_ps, expected);
            prop_assert_eq!(lengths.parts_ps.iter().sum::<i64>(), length);
            prop_assert!(lengths.parts_ps.iter().all(|&part_ps| part_ps >= 0));
            prop_assert_eq!(lengths.busy_ps, expected[..5].iter().sum::<i64>());
        }
    }
}
