//! Which occurrences of a collective on two devices are the same one, where no run id tells: those at the
//! same place in the order, from the first one on that both recorded.
//!
//! ```text
//! host a   #5 #6 #7 #8           recorded from step 5 on
//! host b      #6 #7 #8 #9        and from step 6 on: the first of a has no partner
//! ```
//!
//! Devices of one host begin to record together, so that only the one with fewer occurrences can lack the
//! first ones. Hosts do not: the numbers of annotated steps tell which are the same. Without them, it is
//! the order unless another one fits far better.

use stepscope_model::{HostId, Session, StepOrigin};

use super::step_index::StepIndex;
use super::survey::Survey;
use crate::measuring::steps::median;

/// Maximum shift between the occurrences of two devices, for captures that started at different times.
const MAX_SHIFT: usize = 64;
/// Maximum number of pairs by which a shift is judged.
const SAMPLE: usize = 512;
/// Weight of the offset between the clocks of two hosts relative to the spread. It decides between shifts
/// that fit equally well, since clocks rarely differ by a whole step.
const OFFSET_WEIGHT: f64 = 1e-3;
/// Captures began at different times if the ends then are closer together by this.
const FAR_BETTER: f64 = 0.25;
/// Share of the pairs in steps of the same number by which a shift may be worse than another.
const AGREEMENT: f64 = 0.1;

/// Positions in the lists of two devices.
pub(super) type Pairs = Vec<(usize, usize)>;

/// What pairs are chosen by.
pub(super) struct Pairing<'a> {
    session: &'a Session,
    pub(super) survey: &'a Survey,
    /// Steps with the same number on all hosts, if they were annotated.
    steps: Option<StepIndex>,
}

/// How far apart the ends of pairs are, without the difference of the clocks.
struct Spread {
    median_ps: f64,
    /// A shift within a loop fits most pairs, so that the median would not tell it.
    mean_ps: f64,
}

impl<'a> Pairing<'a> {
    pub(super) fn of(session: &'a Session, survey: &'a Survey) -> Self {
        let is_annotated = session.step_origin == Some(StepOrigin::Annotation);
        let is_needed = is_annotated && session.hosts.len() > 1;
        Self {
            session,
            survey,
            steps: is_needed.then(|| StepIndex::of(session)),
        }
    }

    /// Pairs of positions in order, with the shift that fits best.
    pub(super) fn by_order(&self, reference: &[usize], own: &[usize]) -> Pairs {
        let extra = reference.len().saturating_sub(own.len()).min(MAX_SHIFT);
        let shift = |first: (usize, usize)| Shift::of(reference.len(), own.len(), first);
        let spreads = |shift: &Shift| self.spreads(reference, own, shift.pairs());
        let best = |shifts: &[Shift]| {
            let rated = shifts.iter().map(|shift| (spreads(shift), *shift));
            rated.min_by(|a, b| a.0.median_ps.total_cmp(&b.0.median_ps))
        };
        let chosen = |best: Option<(Spread, Shift)>| -> Pairs {
            best.map_or_else(Pairs::new, |(_, shift)| shift.pairs().collect())
        };
        let from_the_first: Vec<Shift> = (0..=extra).map(|at| shift((at, 0))).collect();
        if self.host_of(reference) == self.host_of(own) {
            return chosen(best(&from_the_first));
        }
        // Hosts may have begun at different times, and ended as much apart.
        let beyond = MAX_SHIFT.min(own.len() / 2);
        let later = (extra + 1..=extra + beyond).map(|at| (at, 0));
        let earlier = (1..=beyond).map(|at| (0, at));
        let others = later.chain(earlier).map(shift);
        let others: Vec<Shift> = others
            .filter(|shift| shift.count * 2 >= own.len())
            .collect();
        if let Some(agreeing) = self.agreeing(reference, own, &from_the_first, &others) {
            return chosen(best(&agreeing));
        }
        let (first, other) = (best(&from_the_first), best(&others));
        let is_better = first.as_ref().zip(other.as_ref()).is_some_and(|(a, b)| {
            b.0.median_ps <= FAR_BETTER * a.0.median_ps && b.0.mean_ps <= FAR_BETTER * a.0.mean_ps
        });
        chosen(if is_better { other } else { first })
    }

    /// The shifts whose pairs are in steps of the same number; none if no numbers are known.
    fn agreeing(
        &self,
        reference: &[usize],
        own: &[usize],
        first: &[Shift],
        others: &[Shift],
    ) -> Option<Vec<Shift>> {
        let steps = self.steps.as_ref()?;
        let step = |&member: &usize| {
            let occurrence = &self.survey.occurrences[member];
            steps.at(occurrence.device, occurrence.span.start)
        };
        let [reference_steps, own_steps] =
            [reference, own].map(|list| list.iter().map(step).collect::<Vec<_>>());
        let agreement = |shift: &Shift| {
            let same = shift.pairs().filter(|&(of_reference, place)| {
                let both = reference_steps[of_reference].zip(own_steps[place]);
                both.is_some_and(|(a, b)| a == b)
            });
            same.count() as f64 / shift.count.max(1) as f64
        };
        let rated: Vec<(f64, Shift)> = (first.iter().chain(others))
            .map(|shift| (agreement(shift), *shift))
            .collect();
        let most = rated.iter().map(|one| one.0).fold(0.0, f64::max);
        if most <= AGREEMENT {
            return None;
        }
        let agreeing = rated.into_iter().filter(|one| one.0 >= most - AGREEMENT);
        Some(agreeing.map(|(_, shift)| shift).collect())
    }

    /// How far apart the ends of the pairs are. On one host, whose devices share a clock: the median
    /// distance. Across hosts: the median distance from the median difference, plus a small weight of that
    /// difference.
    pub(super) fn spread(&self, reference: &[usize], own: &[usize], pairs: &Pairs) -> f64 {
        let pairs = pairs.iter().copied();
        self.spreads(reference, own, pairs).median_ps
    }

    fn spreads(
        &self,
        reference: &[usize],
        own: &[usize],
        pairs: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Spread {
        let every = pairs.len().div_ceil(SAMPLE).max(1);
        let differences: Vec<f64> = pairs
            .step_by(every)
            .map(|(of_reference, place)| {
                let members = [reference[of_reference], own[place]];
                let ends = members.map(|member| self.survey.occurrences[member].span.end.0);
                (ends[1] - ends[0]) as f64
            })
            .collect();
        let center = if self.host_of(reference) == self.host_of(own) {
            0.0
        } else {
            median(&differences)
        };
        let distances: Vec<f64> = differences.iter().map(|d| (d - center).abs()).collect();
        let offset = OFFSET_WEIGHT * center.abs();
        Spread {
            median_ps: median(&distances) + offset,
            mean_ps: distances.iter().sum::<f64>() / distances.len().max(1) as f64 + offset,
        }
    }

    /// The host of a device's occurrences.
    fn host_of(&self, list: &[usize]) -> Option<HostId> {
        let first = self.survey.occurrences[*list.first()?].device;
        Some(self.session.device(first).host)
    }
}

/// Pairs in order, from two positions on.
#[derive(Clone, Copy)]
struct Shift {
    first: (usize, usize),
    count: usize,
}

impl Shift {
    /// In lists of these lengths.
    fn of(reference: usize, own: usize, first: (usize, usize)) -> Self {
        let left = [(reference, first.0), (own, first.1)].map(|(all, at)| all.saturating_sub(at));
        let count = left[0].min(left[1]);
        Self { first, count }
    }

    fn pairs(self) -> impl ExactSizeIterator<Item = (usize, usize)> {
        (0..self.count).map(move |place| (place + self.first.0, place + self.first.1))
    }
}
