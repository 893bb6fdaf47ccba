//! Steps if none are known: the period of the main function.

use std::collections::BTreeSet;

use super::evidence::{Evidence, Found, Steps, period};
use super::main_function::main_function;
use crate::ids::DeviceId;
use crate::ingest::runs::runs_by_device;
use crate::session::ProgramRun;
use crate::step::StepSpan;
use crate::units::{SaturatingSum as _, Span};

/// Share of the time of a device with steps that another one of its host has to work to have them too.
const MIN_OF_OTHER: f64 = 0.25;

/// The k-th run, on every device, of the main function's programs is step k, until the next run, or the
/// k-th round of several functions. The last one has no next: the end of its step is unknown, so it is cut.
pub(super) fn steps(evidence: &Evidence<'_>) -> Steps {
    let Some(main) = main_function(evidence) else {
        return Steps::new();
    };
    let mut steps = Steps::new();
    let runs_of = runs_by_device(evidence.runs, evidence.devices.len());
    for (position, device) in evidence.devices.iter().enumerate() {
        let id = DeviceId::from_index(position);
        let mut runs: Vec<&ProgramRun> = runs_of[position].iter().collect();
        runs.sort_by_key(|run| (run.span, run.program));
        let works = main.works(&runs);
        let is_first_cut = began_before(&works, &runs);
        for position in 0..works.len() {
            let Some((span, is_last)) = period(&works, position) else {
                continue;
            };
            let number = i64::try_from(position).unwrap_or(i64::MAX);
            let found: &mut Found = steps.entry((None, number, 0)).or_default();
            found.is_cut |= is_last || (is_first_cut && position == 0);
            found.spans.push(StepSpan {
                host: device.host,
                device: Some(id),
                span,
                work: works[position],
            });
        }
    }
    add_other_devices(evidence, &runs_of, &mut steps);
    steps
}

/// Devices that run other programs than the main one, such as another stage of a pipeline, have the
/// steps of the first device of their host that has any, if they work for a considerable time.
fn add_other_devices(evidence: &Evidence<'_>, runs_of: &[Vec<ProgramRun>], steps: &mut Steps) {
    let time_ps = |device: DeviceId| {
        let runs = runs_of[device.index()].iter();
        runs.map(|run| run.span.duration().0).saturating_sum() as f64
    };
    let spans = steps.values().flat_map(|step| &step.spans);
    let with_steps: BTreeSet<DeviceId> = spans.filter_map(|on| on.device).collect();
    for (position, device) in evidence.devices.iter().enumerate() {
        let id = DeviceId::from_index(position);
        let of_host = |other: &&DeviceId| evidence.devices[other.index()].host == device.host;
        let Some(&like) = with_steps.iter().find(of_host) else {
            continue;
        };
        if with_steps.contains(&id) || time_ps(id) < MIN_OF_OTHER * time_ps(like) {
            continue;
        }
        for step in steps.values_mut() {
            let own = step.spans.iter().find(|on| on.device == Some(like));
            let own = own.map(|on| StepSpan {
                device: Some(id),
                work: None,
                ..*on
            });
            step.spans.extend(own);
        }
    }
}

/// Whether the first work began before the recording, so that an unknown part of it is missing: its call
/// was not recorded, though calls were.
fn began_before(works: &[Option<Span>], runs: &[&ProgramRun]) -> bool {
    let first = works.iter().flatten().next();
    let Some(first) = first.and_then(|work| runs.iter().find(|run| run.span.start == work.start))
    else {
        return false;
    };
    first.launched.is_none() && runs.iter().any(|run| run.launched.is_some())
}
