//! What was recorded about collectives: their ops, occurrences, and instances.

use super::clocks::Clocks;
use super::instance::Instance;
use super::matching::Matched;
use super::survey::{Occurrence, Survey};
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;
use stepscope_model::Session;

/// What is known about communication before it becomes rows. Occurrences are matched over the whole
/// session, so that their waiting times do not depend on the selection.
pub(crate) struct Evidence<'a> {
    pub(crate) session: &'a Session,
    pub(crate) found: Arc<Exchanges>,
    /// For each occurrence: whether it is on a selected device and starts in the selected windows.
    pub(crate) is_selected: Vec<bool>,
    /// Numbers of the instances in the selection: a selected device takes part, and the last device
    /// arrives in the selected windows.
    pub(crate) instances: Vec<usize>,
}

/// Occurrences of collectives, matched over devices, on aligned clocks.
pub(crate) struct Exchanges {
    pub(crate) survey: Survey,
    pub(crate) matched: Matched,
    pub(crate) clocks: Clocks,
}

/// All collectives of a session, matched once.
pub(crate) fn exchanges(session: &Session) -> Arc<Exchanges> {
    session.memo.get_or_compute(|| {
        let survey = Survey::of(session);
        let matched = Matched::of(session, &survey);
        let clocks = Clocks::of(session, &survey, &matched.instances);
        Exchanges {
            survey,
            matched,
            clocks,
        }
    })
}

impl<'a> Evidence<'a> {
    /// The evidence of a session, which is collected once, with the given selection.
    pub(crate) fn of(session: &'a Session, selected: &Selected<'_>) -> Self {
        let found = exchanges(session);
        let in_time = in_time(session, selected, &found.survey);
        let occurrences = found.survey.occurrences.iter().zip(&in_time);
        let is_selected: Vec<bool> = occurrences
            .map(|(one, &in_time)| in_time && selected.devices.contains(&one.device))
            .collect();
        let concerns = |&number: &usize| {
            let instance = &found.matched.instances[number];
            let arrivals = instance.arrivals(session, &found.survey, &found.clocks);
            let device = |&member: &usize| found.survey.occurrences[member].device;
            let mut devices = instance.members.iter().map(device);
            in_time[arrivals.last] && devices.any(|device| selected.has_device(device))
        };
        let instances = (0..found.matched.instances.len())
            .filter(concerns)
            .collect();
        Self {
            session,
            found,
            is_selected,
            instances,
        }
    }

    /// Selected occurrences with their numbers.
    pub(crate) fn occurrences(&self) -> impl Iterator<Item = (usize, &Occurrence)> {
        let all = self.survey.occurrences.iter().enumerate();
        all.filter(|&(number, _)| self.is_selected[number])
    }

    /// Numbers of the ops that a selected device executed in the selected windows.
    pub(crate) fn executed_ops(&self) -> BTreeSet<usize> {
        self.occurrences().map(|(_, one)| one.op).collect()
    }

    /// Instances in the selection, with their numbers.
    pub(crate) fn instances(&self) -> impl Iterator<Item = (usize, &Instance)> {
        let number = |&number: &usize| (number, &self.matched.instances[number]);
        self.instances.iter().map(number)
    }
}

/// For each occurrence: whether it starts in the windows of its device, selected or not.
pub(crate) fn in_time(session: &Session, selected: &Selected<'_>, survey: &Survey) -> Vec<bool> {
    if selected.is_all_time() {
        return vec![true; survey.occurrences.len()];
    }
    let windows: Vec<Intervals> = session
        .device_ids()
        .map(|device| Intervals::union_of(selected.windows(device)))
        .collect();
    let begins = |one: &Occurrence| windows[one.device.index()].contains_instant(one.span.start);
    survey.occurrences.iter().map(begins).collect()
}

impl Deref for Evidence<'_> {
    type Target = Exchanges;

    fn deref(&self) -> &Exchanges {
        &self.found
    }
}
