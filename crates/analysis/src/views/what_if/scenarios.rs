//! Gains of changes for other answers: what one change or several give per step.

use std::sync::Arc;

use stepscope_model::Session;

use super::change::{Change, effects};
use super::measure::{Bounded, Pace, bounded};
use crate::measuring::selection::Selected;
use crate::views::replay::Replay;
use crate::views::replay::admission::Admission;
use crate::views::replay::path::Kinds;

/// An admitted replay of a selection.
pub(crate) struct Scenarios<'a> {
    session: &'a Session,
    replay: Arc<Replay>,
    admission: Admission,
    kinds: Kinds,
    /// Time per step without any change.
    before_ps: f64,
}

impl<'a> Scenarios<'a> {
    /// The replay of a selection, or why it is refused.
    pub(crate) fn of(session: &'a Session, selected: &Selected<'_>) -> Result<Self, String> {
        let replay = Replay::of(session);
        let admission = Admission::of(session, &replay, selected);
        if let Some(refusal) = admission.refusal {
            return Err(refusal);
        }
        let before_ps = Pace::of(&replay, &admission.steps).in_replay(&replay.unchanged);
        Ok(Self {
            session,
            replay,
            admission,
            kinds: Kinds::of(session),
            before_ps,
        })
    }

    /// Time per step without any change.
    pub(crate) const fn before_ps(&self) -> f64 {
        self.before_ps
    }

    /// What several changes save per step together; none if one of them concerns nothing here.
    pub(crate) fn gain(&self, changes: &[&str]) -> Option<Bounded> {
        let texts: Vec<String> = changes.iter().map(|&text| text.to_owned()).collect();
        let changes = Change::parse_all(&texts).ok()?;
        let changes: Vec<&Change> = changes.iter().collect();
        let effects = effects(self.session, &self.replay, &self.kinds, &changes).ok()?;
        let pace = Pace::of(&self.replay, &self.admission.steps);
        let before = self.before_ps;
        let after = bounded(&self.replay, &effects, &pace);
        Some(Bounded {
            likely: before - after.likely,
            low: before - after.high,
            high: before - after.low,
        })
    }
}
