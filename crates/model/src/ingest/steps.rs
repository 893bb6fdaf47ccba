//! Steps: recorded on the device, annotated on the host, or inferred from program runs.

use std::collections::{BTreeMap, BTreeSet};

use super::runs::runs_by_device;
use crate::ids::{DeviceId, HostId, ProgramId};
use crate::label::Label;
use crate::session::{Device, ProgramRun, Step, StepOrigin, StepSpan};
use crate::strings::Strings;
use crate::track::{Track, TrackRole};
use crate::units::{Picos, Span};

/// A `StepTraceAnnotation` of one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HostStep {
    pub(super) host: HostId,
    pub(super) span: Span,
    pub(super) number: i64,
}

/// What steps are made from.
pub(super) struct Evidence<'a> {
    pub(super) tracks: &'a [Track],
    pub(super) labels: &'a [Label],
    pub(super) strings: &'a Strings,
    pub(super) devices: &'a [Device],
    pub(super) runs: &'a [ProgramRun],
    /// Times of device work that belongs to no program run (GPU copies and foreign kernels).
    pub(super) annotations: Vec<HostStep>,
}

/// A step's identity: its number and how often the number came before on the host.
type StepKey = (i64, usize);

/// The best steps the evidence supports.
pub(super) fn steps(evidence: &Evidence<'_>) -> (Vec<Step>, Option<StepOrigin>) {
    let recorded = from_step_lines(evidence);
    if !recorded.is_empty() {
        return (finish(recorded), Some(StepOrigin::StepLine));
    }
    let annotated = from_annotations(evidence);
    if !annotated.is_empty() {
        return (finish(annotated), Some(StepOrigin::Annotation));
    }
    let inferred = from_runs(evidence);
    if !inferred.is_empty() {
        return (finish(inferred), Some(StepOrigin::ProgramRuns));
    }
    (Vec::new(), None)
}

fn finish(steps: BTreeMap<StepKey, Vec<StepSpan>>) -> Vec<Step> {
    let mut steps: Vec<Step> = steps
        .into_iter()
        .map(|((number, _), mut spans)| {
            spans.sort_unstable_by_key(|span| (span.host, span.device));
            Step { number, spans }
        })
        .collect();
    steps.sort_by_key(|step| step.spans.iter().map(|span| span.span.start).min());
    steps
}

/// Numbers of equal value on one host or device are told apart by their order.
#[derive(Default)]
struct Occurrences(BTreeMap<(HostId, Option<DeviceId>, i64), usize>);

impl Occurrences {
    fn next(&mut self, host: HostId, device: Option<DeviceId>, number: i64) -> StepKey {
        let count = self.0.entry((host, device, number)).or_default();
        *count += 1;
        (number, *count - 1)
    }
}

/// `Steps` lines of TensorCores; the slice's name is the step number.
fn from_step_lines(evidence: &Evidence<'_>) -> BTreeMap<StepKey, Vec<StepSpan>> {
    let mut steps: BTreeMap<StepKey, Vec<StepSpan>> = BTreeMap::new();
    let mut seen = Occurrences::default();
    for track in evidence
        .tracks
        .iter()
        .filter(|track| track.role == TrackRole::Steps)
    {
        let Some(device) = track.device else { continue };
        let Some(lane) = track.lanes.first() else {
            continue;
        };
        for index in 0..lane.len() {
            let name = evidence.labels[lane.labels()[index].index()].name;
            let digits: String = evidence
                .strings
                .get(name)
                .chars()
                .filter(char::is_ascii_digit)
                .collect();
            let number = digits
                .parse()
                .unwrap_or_else(|_| i64::try_from(index).unwrap_or(i64::MAX));
            let (host, span) = (track.host, lane.span(index));
            let key = seen.next(host, Some(device), number);
            let device = Some(device);
            steps.entry(key).or_default().push(StepSpan {
                host,
                device,
                span,
                work: Some(span),
            });
        }
    }
    steps
}

/// Steps of the training loop's annotation, with the work each one launched on every device.
fn from_annotations(evidence: &Evidence<'_>) -> BTreeMap<StepKey, Vec<StepSpan>> {
    let mut by_host: BTreeMap<HostId, Vec<HostStep>> = BTreeMap::new();
    for &step in &evidence.annotations {
        by_host.entry(step.host).or_default().push(step);
    }
    let mut steps: BTreeMap<StepKey, Vec<StepSpan>> = BTreeMap::new();
    let mut seen = Occurrences::default();
    for (host, mut annotations) in by_host {
        annotations.sort_unstable();
        let keys: Vec<StepKey> = annotations
            .iter()
            .map(|step| seen.next(host, None, step.number))
            .collect();
        let works = device_works(evidence, host, &annotations);
        let is_synchronous = works.iter().all(|(_, works)| {
            let known = works
                .iter()
                .zip(&annotations)
                .filter_map(|(work, step)| Some(((*work)?, step)));
            let (mut inside, mut all) = (0usize, 0usize);
            for (work, step) in known {
                all += 1;
                inside += usize::from(step.span.contains(work));
            }
            inside * 10 >= all * 9
        });
        for (position, (step, key)) in annotations.iter().zip(&keys).enumerate() {
            let spans = steps.entry(*key).or_default();
            // A step that launched nothing is as long as its annotation.
            let launched_nothing = works.iter().all(|(_, works)| works[position].is_none());
            if is_synchronous || launched_nothing {
                spans.push(StepSpan {
                    host,
                    device: None,
                    span: step.span,
                    work: None,
                });
            }
            for (device, works) in &works {
                let span = if is_synchronous {
                    Some(step.span)
                } else {
                    period(works, position)
                };
                let work = works[position];
                let device = Some(*device);
                spans.extend(span.map(|span| StepSpan {
                    host,
                    device,
                    span,
                    work,
                }));
            }
        }
    }
    steps
}

/// With asynchronous dispatch a step lasts on a device from its first work to the next step's.
fn period(works: &[Option<Span>], position: usize) -> Option<Span> {
    let own = works[position]?;
    let next = works[position + 1..].iter().flatten().next();
    Some(Span::new(
        own.start,
        next.map_or(own.end, |next| next.start),
    ))
}

/// More steps times devices than any host has: a file made to exhaust memory.
const MAX_STEP_SPANS: usize = 1 << 24;

/// For each device of a host, the hull of the runs that each annotation launched. A run belongs to
/// the last annotation that began before its launch, or before its start where no launch is known.
fn device_works(
    evidence: &Evidence<'_>,
    host: HostId,
    annotations: &[HostStep],
) -> Vec<(DeviceId, Vec<Option<Span>>)> {
    let mut works = Vec::new();
    let runs_of = runs_by_device(evidence.runs, evidence.devices.len());
    let devices = evidence.devices.iter().zip(&runs_of).enumerate();
    let devices = devices.filter(|(_, (device, runs))| device.host == host && !runs.is_empty());
    if devices.clone().count().saturating_mul(annotations.len()) > MAX_STEP_SPANS {
        return works;
    }
    for (position, (_, runs)) in devices {
        let id = DeviceId::from_index(position);
        let mut spans: Vec<Option<Span>> = vec![None; annotations.len()];
        for run in runs {
            let began = run.launched.unwrap_or(run.span.start);
            let after = annotations.partition_point(|step| step.span.start <= began);
            let Some(step) = after.checked_sub(1) else {
                continue;
            };
            // Long after the last annotation comes something else: evaluation, a checkpoint.
            let is_last = after == annotations.len();
            if is_last && began >= annotations[step].span.end {
                continue;
            }
            let work = &mut spans[step];
            *work = Some(work.map_or(run.span, |work| work.hull(run.span)));
        }
        works.push((id, spans));
    }
    works
}

/// The k-th run, on every device, of the program that took most time is step k, until the next.
fn from_runs(evidence: &Evidence<'_>) -> BTreeMap<StepKey, Vec<StepSpan>> {
    let Some(program) = dominant_program(evidence.runs) else {
        return BTreeMap::new();
    };
    let mut steps: BTreeMap<StepKey, Vec<StepSpan>> = BTreeMap::new();
    let runs_of = runs_by_device(evidence.runs, evidence.devices.len());
    for (position, device) in evidence.devices.iter().enumerate() {
        let id = DeviceId::from_index(position);
        let runs = runs_of[position]
            .iter()
            .filter(|run| run.program == program);
        let mut works: Vec<Option<Span>> = runs.map(|run| Some(run.span)).collect();
        works.sort_unstable();
        for position in 0..works.len() {
            let Some(span) = period(&works, position) else {
                continue;
            };
            let number = i64::try_from(position).unwrap_or(i64::MAX);
            let (host, work) = (device.host, works[position]);
            let step = StepSpan {
                host,
                device: Some(id),
                span,
                work,
            };
            steps.entry((number, 0)).or_default().push(step);
        }
    }
    steps
}

/// A program that ran at least twice on some device and longest in total.
fn dominant_program(runs: &[ProgramRun]) -> Option<ProgramId> {
    let mut totals: BTreeMap<ProgramId, Picos> = BTreeMap::new();
    let mut counts: BTreeMap<(ProgramId, DeviceId), usize> = BTreeMap::new();
    for run in runs {
        *totals.entry(run.program).or_default() += run.span.duration();
        *counts.entry((run.program, run.device)).or_default() += 1;
    }
    let repeated = counts.iter().filter(|(_, count)| **count >= 2);
    let repeated: BTreeSet<ProgramId> = repeated.map(|(key, _)| key.0).collect();
    let candidates = totals
        .iter()
        .filter(|(program, _)| repeated.contains(program));
    candidates
        .max_by_key(|(program, total)| (**total, std::cmp::Reverse(**program)))
        .map(|(p, _)| *p)
}
