//! Input between steps: a loop that annotates only its compiled function loads outside of its steps.

use std::collections::BTreeSet;

use stepscope_model::{DeviceId, HostId, Session, Span};

use super::collect::{host_inputs, judged};
use super::report::Bound;
use crate::measuring::interval::Intervals;
use crate::measuring::selection::{Selected, following, other_steps};
use crate::measuring::steps::{devices_in_steps, step_time};
use crate::measuring::work::AllWork;
use crate::telling::thresholds::VerdictKind;

/// What a device waits for between two steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BetweenSteps {
    /// Mean over pairs of steps that follow each other.
    pub(crate) input_ps: f64,
    /// Mean time from the start of a step to the start of the next.
    pub(crate) period_ps: f64,
}

impl BetweenSteps {
    /// Share of the time from step to step.
    pub(crate) fn ratio(&self) -> f64 {
        self.input_ps / self.period_ps
    }

    /// The verdict on input with that of steps, as a share of the time from step to step.
    pub(super) fn verdict_with(&self, input: &Bound) -> VerdictKind {
        let ratio = (input.mean_ps + self.input_ps) / self.period_ps;
        judged(Some(ratio), input.low_ratio, input.high_ratio)
    }
}

/// The device that waits for input between steps for the largest share of the time from step to step:
/// it is idle while a thread that drives it loads. Steps of other series do not count as between.
pub(crate) fn between_steps(session: &Session, selected: &Selected<'_>) -> Option<BetweenSteps> {
    let time = step_time(session, selected).filter(|time| time.between > 0.0)?;
    let positions = selected.step_positions();
    let pairs = following(session, &positions);
    let series = session.steps.get(*positions.first()?)?.series;
    let others = other_steps(session, series);
    let devices = devices_in_steps(session, selected);
    let seen = |step: usize, host: HostId, device: DeviceId| {
        let on = session.steps[step].seen_from(host, Some(device));
        on.map(|on| on.span)
    };
    let places: Vec<(HostId, DeviceId, Vec<[Span; 2]>)> = devices
        .into_iter()
        .map(|device| {
            let host = session.device(device).host;
            let spans = pairs
                .iter()
                .filter_map(|[a, b]| Some([seen(*a, host, device)?, seen(*b, host, device)?]));
            (host, device, spans.collect())
        })
        .collect();
    let all = places.iter().flat_map(|(_, _, spans)| spans).flatten();
    let within = all.copied().reduce(Span::hull)?;
    let hosts: BTreeSet<HostId> = places.iter().map(|one| one.0).collect();
    let hosts: Vec<HostId> = hosts.into_iter().collect();
    let inputs = host_inputs(session, (&hosts, selected.loops()), within);
    let work = AllWork::of(session);
    let of_place = |(host, device, spans): &(HostId, DeviceId, Vec<[Span; 2]>)| {
        let input = &inputs[hosts.binary_search(host).ok()?];
        let between = spans.iter().filter(|[a, b]| a.end < b.start);
        let between = between.map(|[a, b]| Span::new(a.end, b.start));
        let steps = others.iter().filter_map(|&step| seen(step, *host, *device));
        let between = Intervals::union_of(between.collect());
        let between = between.subtract(&Intervals::union_of(steps.collect()));
        let busy = work.within(session, *device, between.spans());
        let loads = input.kinds.iter();
        let loads = loads.fold(Intervals::default(), |all, kind| all.union(kind));
        let waits = loads.intersect(&between).subtract(&busy);
        (!spans.is_empty()).then(|| BetweenSteps {
            input_ps: waits.duration().0 as f64 / spans.len() as f64,
            period_ps: time.period_ps(),
        })
    };
    let found = places.iter().filter_map(of_place);
    found.max_by(|a, b| a.ratio().total_cmp(&b.ratio()))
}
