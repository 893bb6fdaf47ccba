//! What a change gives: step times before and after, and what the recording leaves open.

use std::collections::BTreeMap;

use stepscope_model::{DeviceId, SaturatingSum as _, Session};

use super::report::WhatIfStepRow;
use crate::measuring::selection::following;
use crate::measuring::steps::mean;
use crate::views::replay::Replay;
use crate::views::replay::effects::{Effects, Reading};
use crate::views::replay::graph::{Node, NodeKind};
use crate::views::replay::run::Times;
use crate::views::replay::steps::StepOn;

/// Time from step to step, as `steps` has it: the mean length of the steps plus the mean time from the
/// end of a step to the start of the next of its series. Means over steps of means over devices. At
/// least what devices work in a step, and what they take from the first step to the last ÷ steps.
pub(super) struct Pace<'a> {
    /// The steps, by step and device.
    steps: &'a [StepOn],
    /// Steps that follow each other: on each device that has both, the two.
    pairs: Vec<Vec<[&'a StepOn; 2]>>,
    busy: Busy,
    /// What devices take beyond the recorded time: work may last beyond the last step.
    beyond_ps: f64,
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
    pub(super) fn of(session: &Session, replay: &Replay, steps: &'a [StepOn]) -> Self {
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
        let mut pace = Self {
            steps,
            pairs: pairs.map(pair).collect(),
            busy: Busy::of(session, replay, steps),
            beyond_ps: 0.0,
        };
        let recorded = pace.of_steps_ps(&replay.unchanged);
        pace.beyond_ps = (pace.whole_ps(&replay.unchanged) - recorded).max(0.0);
        pace
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
        let whole_ps = self.whole_ps(times) - self.beyond_ps;
        self.of_steps_ps(times).max(whole_ps)
    }

    /// The same as far as steps and what is between them tell.
    fn of_steps_ps(&self, times: &Times) -> f64 {
        let length = |one: &StepOn| one.length_ps(times) as f64;
        let steps = self.steps.chunk_by(|a, b| a.step == b.step);
        let lengths = steps.filter_map(|on| mean(on.iter().map(length)));
        // Steps that overlap have nothing between them.
        let gap = |[before, after]: &[&StepOn; 2]| {
            (after.begin.at(times) - before.end.at(times)).max(0) as f64
        };
        let pairs = self.pairs.iter();
        let gaps = pairs.filter_map(|on| mean(on.iter().map(gap)));
        let paced = mean(lengths).unwrap_or(0.0) + mean(gaps).unwrap_or(0.0);
        paced.max(self.busy.mean(self.steps, times))
    }

    /// What devices take from the first step to the last ÷ steps: what runs between steps takes its
    /// time, too, whatever hosts do. Zero unless the steps follow each other.
    fn whole_ps(&self, times: &Times) -> f64 {
        let count = self.steps.chunk_by(|a, b| a.step == b.step).count();
        if self.pairs.is_empty() || self.pairs.len() + 1 != count {
            return 0.0;
        }
        self.busy.whole_ps(self.steps, times) / count as f64
    }
}

/// How long devices work in each step: no step is shorter, whatever its host does. Where a step is
/// measured by what its host does, nothing in the recording may say that its end waits for a device.
pub(super) struct Busy {
    /// Stretches of work: the step that they begin in, their track, their node. Sorted.
    work: Vec<(usize, u32, u32)>,
    /// For each step, the work that lasts beyond its end as recorded.
    beyond_ps: Vec<i64>,
}

impl Busy {
    /// Of steps that are sorted by step and device.
    pub(super) fn of(session: &Session, replay: &Replay, steps: &[StepOn]) -> Self {
        let mut starts: Vec<Vec<(i64, usize)>> = vec![Vec::new(); session.devices.len()];
        for (position, one) in steps.iter().enumerate() {
            starts[one.device.index()].push((one.span.start.0, position));
        }
        for own in &mut starts {
            own.sort_unstable();
        }
        let step_of = |node: &Node| {
            let track = session.tracks.get(node.track as usize)?;
            let own = &starts[track.device?.index()];
            let after = own.partition_point(|&(start, _)| start <= node.start_ps);
            let (_, position) = own[after.checked_sub(1)?];
            (node.start_ps < steps[position].span.end.0).then_some(position)
        };
        let nodes = (0u32..).zip(&replay.graph.nodes);
        let nodes = nodes.filter(|(_, node)| node.kind == NodeKind::Work);
        let in_steps =
            nodes.filter_map(|(number, node)| Some((step_of(node)?, node.track, number)));
        let mut work: Vec<(usize, u32, u32)> = in_steps.collect();
        work.sort_unstable();
        let mut busy = Self {
            work,
            beyond_ps: vec![0; steps.len()],
        };
        let recorded = busy.of_steps(&replay.unchanged);
        let beyond = recorded.iter().zip(steps);
        let beyond = beyond.map(|(ps, one)| (ps - one.length_ps(&replay.unchanged)).max(0));
        busy.beyond_ps = beyond.collect();
        busy
    }

    /// For each step, the least time that its device needs: that of the track with the most work.
    pub(super) fn of_steps(&self, times: &Times) -> Vec<i64> {
        let mut least = vec![0; self.beyond_ps.len()];
        for own in self.work.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let lengths = own
                .iter()
                .map(|&(_, _, node)| times.end_ps[node as usize] - times.start_ps[node as usize]);
            let step: &mut i64 = &mut least[own[0].0];
            *step = (*step).max(lengths.saturating_sum());
        }
        for (own, beyond) in least.iter_mut().zip(&self.beyond_ps) {
            *own = (*own - beyond).max(0);
        }
        least
    }

    /// From the first to the last work of the steps, mean over devices.
    fn whole_ps(&self, steps: &[StepOn], times: &Times) -> f64 {
        let mut spans: BTreeMap<DeviceId, (i64, i64)> = BTreeMap::new();
        for &(step, _, node) in &self.work {
            let node = node as usize;
            let (start, end) = (times.start_ps[node], times.end_ps[node]);
            let span = spans.entry(steps[step].device).or_insert((start, end));
            *span = (span.0.min(start), span.1.max(end));
        }
        let lengths = spans.into_values().map(|(start, end)| (end - start) as f64);
        mean(lengths).unwrap_or(0.0)
    }

    /// Mean over steps of the mean over devices.
    fn mean(&self, steps: &[StepOn], times: &Times) -> f64 {
        let least = self.of_steps(times);
        let mut least = least.into_iter();
        let steps = steps.chunk_by(|a, b| a.step == b.step);
        let means = steps.filter_map(|on| {
            let own: Vec<i64> = least.by_ref().take(on.len()).collect();
            mean(own.iter().map(|&ps| ps as f64))
        });
        mean(means).unwrap_or(0.0)
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
    pub(super) fn steps(
        &self,
        session: &Session,
        pace: &Pace<'_>,
        steps: &[StepOn],
    ) -> Vec<WhatIfStepRow> {
        let lengths = self.times.each_ref().map(|times| {
            let least = pace.busy.of_steps(times).into_iter();
            let lengths = steps.iter().zip(least);
            lengths
                .map(|(one, least)| one.length_ps(times).max(least))
                .collect::<Vec<i64>>()
        });
        let mut first = 0;
        let row = |on: &[StepOn]| {
            let own = first..first + on.len();
            first = own.end;
            let mean_of = |lengths: &[i64]| mean(lengths.iter().map(|&ps| ps as f64));
            let after = lengths
                .each_ref()
                .map(|lengths| mean_of(&lengths[own.clone()]).unwrap_or(0.0));
            let after = Bounded::of(after);
            let durations = on.iter().map(|one| one.span.duration().0 as f64);
            let duration_ps = mean(durations).unwrap_or(0.0);
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
