//! Series: steps with the same name, such as `train` or `eval`. Each series has its own statistics.

use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::host_names::is_evaluation;
use stepscope_model::{Session, StringId, TrackId};

use super::SelectionError;
use super::{contains, join, nonempty};
use crate::measuring::warm_up::{WarmUp, WarmUpStep};

/// The series that figures describe by default: the one with the most steps, or among equals the one
/// that takes longest. Evaluation is not what is trained, however often it runs, so a series with its
/// name is the main one only without another. None if steps have no names.
pub(crate) fn main_series(session: &Session) -> Option<StringId> {
    let mut sizes: BTreeMap<StringId, (usize, i64)> = BTreeMap::new();
    for step in &session.steps {
        let Some(series) = step.series else { continue };
        let (count, length_ps) = sizes.entry(series).or_default();
        *count += 1;
        let longest = step.spans.iter().map(|on| on.span.duration().0).max();
        *length_ps = length_ps.saturating_add(longest.unwrap_or(0));
    }
    let rank = |&(series, size): &(StringId, _)| (!is_evaluation(session.text(series)), size);
    let largest = sizes.into_iter().max_by_key(rank);
    largest.map(|(series, _)| series)
}

/// All series of a session.
pub(crate) fn all_series(session: &Session) -> BTreeSet<StringId> {
    let steps = session.steps.iter();
    steps.filter_map(|step| step.series).collect()
}

/// Positions of the steps that statistics include: those of the main series that are not cut and do not
/// warm up.
pub fn counted_steps(session: &Session) -> Vec<usize> {
    steps_of_series(session, main_series(session))
}

/// The first steps of the main series that statistics leave out because they warm up.
pub(crate) fn warm_up(session: &Session) -> Vec<WarmUpStep> {
    WarmUp::of(session).of_series(main_series(session)).to_vec()
}

/// Positions of the steps of one series, or of the steps without a name, that statistics include.
pub(crate) fn steps_of_series(session: &Session, series: Option<StringId>) -> Vec<usize> {
    let warm_up = WarmUp::of(session);
    let mut steps = whole_steps(session, series);
    steps.retain(|&position| !warm_up.has(position));
    steps
}

/// Positions of the steps of one series, or of the steps without a name, that are not cut.
fn whole_steps(session: &Session, series: Option<StringId>) -> Vec<usize> {
    let steps = session.steps.iter().enumerate();
    steps
        .filter(|(_, step)| step.series == series && !step.is_cut)
        .map(|(position, _)| position)
        .collect()
}

/// Pairs of steps of one series that follow each other, neither of them cut, both among these steps.
pub(crate) fn following(session: &Session, positions: &[usize]) -> Vec<[usize; 2]> {
    // A recording without steps counts as one step, without a position.
    let Some(first) = positions.first().and_then(|&at| session.steps.get(at)) else {
        return Vec::new();
    };
    let wanted: BTreeSet<usize> = positions.iter().copied().collect();
    let series = whole_steps(session, first.series);
    let pairs = series.windows(2).map(|pair| [pair[0], pair[1]]);
    pairs
        .filter(|pair| pair.iter().all(|step| wanted.contains(step)))
        .collect()
}

/// Positions of the steps of other series than this one, cut ones too, that its loop makes: those that
/// other threads annotate, such as an actor's beside a learner, are beside its steps, not between them.
pub(crate) fn other_steps(session: &Session, series: Option<StringId>) -> Vec<usize> {
    let own = session.steps.iter().filter(|step| step.series == series);
    let threads: BTreeSet<TrackId> = own.flat_map(|step| &step.threads).copied().collect();
    let is_other = |at: &usize| {
        let step = &session.steps[*at];
        let mut own = step.threads.iter();
        let is_of_loop = step.threads.is_empty() || own.any(|thread| threads.contains(thread));
        step.series != series && is_of_loop
    };
    (0..session.steps.len()).filter(is_other).collect()
}

/// The selected series: an exact match of the name, else one whose name contains the text.
pub(super) fn select_series(
    session: &Session,
    wanted: Option<&str>,
) -> Result<Option<StringId>, SelectionError> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let all = all_series(session);
    let exact = all.iter().filter(|&&id| session.text(id) == wanted);
    let part = all.iter().filter(|&&id| contains(session.text(id), wanted));
    let found: Vec<StringId> = exact.chain(part).copied().collect();
    let names = || all.iter().map(|&id| session.text(id).to_owned());
    let found = nonempty(found, || format!("--series {wanted}"), || join(names()))?;
    Ok(found.first().copied())
}

#[cfg(test)]
mod names {
    use super::is_evaluation;

    #[test]
    fn evaluation_is_told_by_its_name() {
        for name in [
            "eval",
            "eval_step",
            "Validation",
            "valid",
            "my-test",
            "evaluate",
        ] {
            assert!(is_evaluation(name), "{name}");
        }
        for name in [
            "train",
            "train_step",
            "latest",
            "step",
            "retrieval",
            "invalidate",
        ] {
            assert!(!is_evaluation(name), "{name}");
        }
    }
}
