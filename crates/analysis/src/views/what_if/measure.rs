//! What a change gives: step times before and after, and what the recording leaves open.

use stepscope_model::Session;

use super::report::WhatIfStepRow;
use crate::measuring::selection::following;
use crate::measuring::steps::mean;
use crate::views::replay::Replay;
use crate::views::replay::effects::{Effects, Reading};
use crate::views::replay::run::Times;
use crate::views::replay::steps::StepOn;

/// Time from step to step, as `steps` has it: the mean length of the steps plus the mean time from the
/// end of a step to the start of the next of its series. Means over steps of means over devices.
pub(super) struct Pace<'a> {
    /// The steps, by step and device.
    steps: &'a [StepOn],
    /// Steps that follow each other: on each device that has both, the two.
    pairs: Vec<Vec<[&'a StepOn; 2]>>,
}

/// A time in picoseconds under every reading of the recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounded {
    pub(crate) likely: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Bounded {
    fn of(values: [f64; 3]) -> Self {
        Self {
            likely: values[0],
            low: values.iter().copied().fold(f64::INFINITY, f64::min),
            high: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// The rest of a gain of which another is a part.
    pub(super) fn rest(&self, part: &Self) -> Self {
        Self {
            likely: self.likely - part.likely,
            low: self.low - part.low,
            high: self.high - part.high,
        }
    }
}

impl<'a> Pace<'a> {
    /// Of steps that are sorted by step and device.
    pub(super) fn of(session: &Session, steps: &'a [StepOn]) -> Self {
        let mut positions: Vec<usize> = steps.iter().map(|one| one.step).collect();
        positions.dedup();
        let of_step = |step: usize| {
            let first = steps.partition_point(|one| one.step < step);
            let own = steps[first..].iter();
            own.take_while(move |one| one.step == step)
        };
        let pair = |[before, after]: [usize; 2]| {
            let on_device = |one: &'a StepOn| {
                let next = of_step(after).find(|next| next.device == one.device)?;
                Some([one, next])
            };
            of_step(before).filter_map(on_device).collect()
        };
        // A recording without steps is one step.
        let pairs = following(session, &positions).into_iter();
        Self {
            steps,
            pairs: pairs.map(pair).collect(),
        }
    }

    /// The same without what is between steps.
    pub(super) fn within_steps(self) -> Self {
        Self {
            pairs: Vec::new(),
            ..self
        }
    }

    /// The time from step to step in a replay.
    pub(super) fn in_replay(&self, times: &Times) -> f64 {
        let length = |one: &StepOn| one.length_ps(times) as f64;
        let steps = self.steps.chunk_by(|a, b| a.step == b.step);
        let lengths = steps.filter_map(|on| mean(on.iter().map(length)));
        // Steps that overlap have nothing between them.
        let gap = |[before, after]: &[&StepOn; 2]| {
            (after.begin.at(times) - before.end.at(times)).max(0) as f64
        };
        let pairs = self.pairs.iter();
        let gaps = pairs.filter_map(|on| mean(on.iter().map(gap)));
        mean(lengths).unwrap_or(0.0) + mean(gaps).unwrap_or(0.0)
    }
}

/// The time per step with a change, under every reading. One replay is held at a time.
pub(super) fn bounded(replay: &Replay, effects: &Effects, pace: &Pace<'_>) -> Bounded {
    let [bounded] = bounded_by(replay, effects, [pace]);
    bounded
}

/// The same by several paces, from the same replays.
pub(super) fn bounded_by<const N: usize>(
    replay: &Replay,
    effects: &Effects,
    paces: [&Pace<'_>; N],
) -> [Bounded; N] {
    let readings = Reading::ALL.map(|reading| {
        let times = replay.with(effects, reading);
        paces.map(|pace| pace.in_replay(&times))
    });
    std::array::from_fn(|pace| Bounded::of(readings.map(|times| times[pace])))
}

/// Replays of a change under every reading.
pub(super) struct Changed {
    /// In the order of [`Reading::ALL`].
    pub(super) times: [Times; 3],
}

impl Changed {
    pub(super) fn of(replay: &Replay, effects: &Effects) -> Self {
        Self {
            times: Reading::ALL.map(|reading| replay.with(effects, reading)),
        }
    }

    pub(super) fn pace(&self, pace: &Pace<'_>) -> Bounded {
        let [likely, least, most] = &self.times;
        Bounded::of([likely, least, most].map(|times| pace.in_replay(times)))
    }

    /// Each step, mean over the devices on which it ran.
    pub(super) fn steps(&self, session: &Session, steps: &[StepOn]) -> Vec<WhatIfStepRow> {
        let [likely, least, most] = &self.times;
        let row = |on: &[StepOn]| {
            let count = on.len().max(1) as f64;
            let mean = |length: &dyn Fn(&StepOn) -> i64| {
                on.iter().map(|one| length(one) as f64).sum::<f64>() / count
            };
            let after =
                Bounded::of([likely, least, most].map(|times| mean(&|one| one.length_ps(times))));
            let duration_ps = mean(&|one| one.span.duration().0);
            WhatIfStepRow {
                step: session.steps.get(on[0].step).map(|step| step.number),
                duration_ps,
                after_ps: after.likely,
                low_ps: after.low,
                high_ps: after.high,
                gain_ps: duration_ps - after.likely,
            }
        };
        steps.chunk_by(|a, b| a.step == b.step).map(row).collect()
    }
}
