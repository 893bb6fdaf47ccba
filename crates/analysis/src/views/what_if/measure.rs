//! What a change gives: step times before and after, and what the recording leaves open.

use std::collections::BTreeMap;

use stepscope_model::DeviceId;

use super::report::WhatIfStepRow;
use crate::views::replay::Replay;
use crate::views::replay::effects::{Effects, Reading};
use crate::views::replay::run::Times;
use crate::views::replay::steps::StepOn;
use stepscope_model::Session;

/// Time per step: the observed time of consecutive steps ÷ their number, which includes the gaps
/// between them; else their mean length. Mean over devices.
pub(super) struct Pace<'a> {
    /// Steps of each device, in order, and whether they are consecutive.
    devices: Vec<(Vec<&'a StepOn>, bool)>,
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

    /// The rest of a gain of which another is a part, times a factor.
    pub(super) fn rest(&self, part: &Self, factor: f64) -> Self {
        Self {
            likely: (self.likely - part.likely) * factor,
            low: (self.low - part.low) * factor,
            high: (self.high - part.high) * factor,
        }
    }
}

impl<'a> Pace<'a> {
    pub(super) fn of(replay: &Replay, steps: &'a [StepOn]) -> Self {
        let mut by_device: BTreeMap<DeviceId, Vec<&StepOn>> = BTreeMap::new();
        for one in steps {
            by_device.entry(one.device).or_default().push(one);
        }
        let devices = by_device.into_iter().map(|(device, mut own)| {
            own.sort_by_key(|one| one.span);
            let within = |one: &&StepOn| {
                let first = own.first().map(|one| one.span.start);
                let last = own.last().map(|one| one.span.start);
                one.device == device
                    && first <= Some(one.span.start)
                    && Some(one.span.start) <= last
            };
            let between = replay.steps.iter().filter(within).count();
            let is_consecutive = between == own.len();
            (own, is_consecutive)
        });
        Self {
            devices: devices.collect(),
        }
    }

    /// The same without what is between steps.
    pub(super) fn within_steps(mut self) -> Self {
        for (_, is_consecutive) in &mut self.devices {
            *is_consecutive = false;
        }
        self
    }

    /// Steps ÷ pairs of steps that follow each other.
    pub(super) fn steps_per_pair(&self) -> f64 {
        let count: usize = self.devices.iter().map(|(own, _)| own.len()).sum();
        let pairs = count.saturating_sub(self.devices.len());
        count as f64 / pairs.max(1) as f64
    }

    /// The time per step in a replay.
    pub(super) fn in_replay(&self, times: &Times) -> f64 {
        let of_device = |(own, is_consecutive): &(Vec<&StepOn>, bool)| {
            let count = own.len().max(1) as f64;
            let (Some(first), Some(last)) = (own.first(), own.last()) else {
                return 0.0;
            };
            if *is_consecutive {
                return (last.end.at(times) - first.begin.at(times)) as f64 / count;
            }
            own.iter()
                .map(|one| one.length_ps(times) as f64)
                .sum::<f64>()
                / count
        };
        let sum: f64 = self.devices.iter().map(of_device).sum();
        sum / self.devices.len().max(1) as f64
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
