//! Gains of changes for other answers: what one change or several give per step.

use std::sync::Arc;

use stepscope_model::Session;

use super::change::{Change, effects};
use super::measure::{Bounded, Pace, bounded_by};
use crate::measuring::selection::Selected;
use crate::views::replay::Replay;
use crate::views::replay::admission::Admission;
use crate::views::replay::path::Kinds;

/// Time between steps below this share of the time from step to step makes no difference.
const MIN_BETWEEN: f64 = 0.02;

/// An admitted replay of a selection.
pub(crate) struct Scenarios<'a> {
    session: &'a Session,
    replay: Arc<Replay>,
    admission: Admission,
    kinds: Kinds,
    /// Time from step to step without any change.
    before_ps: f64,
    /// Mean length of steps without any change, which is less where time passes between steps.
    length_ps: f64,
}

impl<'a> Scenarios<'a> {
    /// The replay of a selection, or why it is refused.
    pub(crate) fn of(session: &'a Session, selected: &Selected<'_>) -> Result<Self, String> {
        let replay = Replay::of(session);
        let admission = Admission::of(session, &replay, selected);
        if let Some(refusal) = admission.refusal {
            return Err(refusal);
        }
        let pace = Pace::of(session, &replay, &admission.steps);
        let before_ps = pace.in_replay(&replay.unchanged);
        let length_ps = pace.within_steps().in_replay(&replay.unchanged);
        Ok(Self {
            session,
            replay,
            admission,
            kinds: Kinds::of(session),
            before_ps,
            length_ps,
        })
    }

    /// Whether nothing can hide behind another host.
    pub(crate) fn has_one_host(&self) -> bool {
        self.session.hosts.len() == 1
    }

    /// Whether so much time passes between steps that a gain within them is another figure.
    fn has_time_between(&self) -> bool {
        self.before_ps - self.length_ps > MIN_BETWEEN * self.before_ps
    }

    /// What several changes save together from step to step; none if one of them concerns nothing here.
    fn gain(&self, changes: &[&str]) -> Option<Bounded> {
        let [gain] = self.gains(changes, [(&self.pace(), self.before_ps)])?;
        Some(gain)
    }

    /// What several changes save of a step, and what that is a share of: within steps where time passes
    /// between them, else from step to step.
    pub(crate) fn gain_of_steps(&self, changes: &[&str]) -> Option<(Bounded, f64)> {
        if self.has_time_between() {
            return Some((self.gain_within_steps(changes)?, self.length_ps));
        }
        Some((self.gain(changes)?, self.before_ps))
    }

    /// What several changes save together within steps.
    fn gain_within_steps(&self, changes: &[&str]) -> Option<Bounded> {
        let lengths = self.pace().within_steps();
        let [gain] = self.gains(changes, [(&lengths, self.length_ps)])?;
        Some(gain)
    }

    /// What several changes save together between the end of a step and the start of the next.
    pub(crate) fn gain_between_steps(&self, changes: &[&str]) -> Option<Bounded> {
        let (pace, lengths) = (self.pace(), self.pace().within_steps());
        let both = [(&pace, self.before_ps), (&lengths, self.length_ps)];
        let [all, within] = self.gains(changes, both)?;
        Some(all.rest(&within))
    }

    fn pace(&self) -> Pace<'_> {
        Pace::of(self.session, &self.replay, &self.admission.steps)
    }

    /// What several changes save together by each pace, given with its time without a change.
    fn gains<const N: usize>(
        &self,
        changes: &[&str],
        paces: [(&Pace<'_>, f64); N],
    ) -> Option<[Bounded; N]> {
        let texts: Vec<String> = changes.iter().map(|&text| text.to_owned()).collect();
        let changes = Change::parse_all(&texts).ok()?;
        let changes: Vec<&Change> = changes.iter().collect();
        let effects = effects(self.session, &self.replay, &self.kinds, &changes).ok()?;
        let after = bounded_by(&self.replay, &effects, paces.map(|(pace, _)| pace));
        Some(std::array::from_fn(|one| {
            let (before, after) = (paces[one].1, after[one]);
            Bounded {
                likely: before - after.likely,
                low: before - after.high,
                high: before - after.low,
            }
        }))
    }
}
