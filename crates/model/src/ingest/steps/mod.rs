//! Steps: recorded on the device, annotated on the host, or inferred from program runs.

use std::collections::BTreeMap;

use super::calls::CallWithoutRun;
use super::runs::ForeignWork;
use crate::ids::{DeviceId, HostId, StringId};
use crate::label::Label;
use crate::program::Program;
use crate::session::{Device, ProgramRun, Step, StepOrigin, StepSpan};
use crate::strings::Strings;
use crate::track::{Track, TrackRole};
use crate::units::Span;

mod annotated;
mod inferred;
mod launched;

/// A `StepTraceAnnotation` of one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HostStep {
    pub(super) host: HostId,
    pub(super) span: Span,
    pub(super) number: i64,
    pub(super) series: StringId,
}

/// The inputs for steps.
pub(super) struct Evidence<'a> {
    pub(super) tracks: &'a [Track],
    pub(super) labels: &'a [Label],
    pub(super) strings: &'a Strings,
    pub(super) devices: &'a [Device],
    pub(super) programs: &'a [Program],
    pub(super) runs: &'a [ProgramRun],
    /// Work of devices that ran no known program.
    pub(super) foreign: &'a [ForeignWork],
    /// Calls whose run was not recorded.
    pub(super) calls_without_run: &'a [CallWithoutRun],
    pub(super) annotations: Vec<HostStep>,
}

/// A step's identity: its series, its number, and how often the number occurred before on the host.
type StepKey = (Option<StringId>, i64, usize);

/// A step while its spans are collected.
#[derive(Default)]
struct Found {
    spans: Vec<StepSpan>,
    is_cut: bool,
}

type Steps = BTreeMap<StepKey, Found>;

/// The best steps that the evidence supports.
pub(super) fn steps(evidence: &Evidence<'_>) -> (Vec<Step>, Option<StepOrigin>) {
    let recorded = from_step_lines(evidence);
    if !recorded.is_empty() {
        return (finish(recorded), Some(StepOrigin::StepLine));
    }
    let is_annotated = !evidence.annotations.is_empty();
    if let Some(annotated) = annotated::steps(evidence).filter(|_| is_annotated) {
        return (finish(annotated), Some(StepOrigin::Annotation));
    }
    let inferred = inferred::steps(evidence);
    if inferred.is_empty() {
        return (Vec::new(), None);
    }
    let origin = if is_annotated {
        StepOrigin::Cadence
    } else {
        StepOrigin::ProgramRuns
    };
    (finish(inferred), Some(origin))
}

fn finish(steps: Steps) -> Vec<Step> {
    let mut steps: Vec<Step> = steps
        .into_iter()
        .map(|((series, number, _), mut found)| {
            found
                .spans
                .sort_unstable_by_key(|span| (span.host, span.device));
            Step {
                number,
                series,
                spans: found.spans,
                is_cut: found.is_cut,
            }
        })
        .collect();
    steps.sort_by_key(|step| step.spans.iter().map(|span| span.span.start).min());
    steps
}

/// Equal numbers on one host or device are distinguished by their order.
#[derive(Default)]
struct Occurrences(BTreeMap<(HostId, Option<DeviceId>, Option<StringId>, i64), usize>);

impl Occurrences {
    fn next(
        &mut self,
        host: HostId,
        device: Option<DeviceId>,
        series: Option<StringId>,
        number: i64,
    ) -> StepKey {
        let count = self.0.entry((host, device, series, number)).or_default();
        *count += 1;
        (series, number, *count - 1)
    }
}

/// `Steps` lines of TensorCores; the slice's name is the step number.
fn from_step_lines(evidence: &Evidence<'_>) -> Steps {
    let mut steps = Steps::new();
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
            let key = seen.next(host, Some(device), None, number);
            steps.entry(key).or_default().spans.push(StepSpan {
                host,
                device: Some(device),
                span,
                work: Some(span),
            });
        }
    }
    steps
}

/// A step lasts on a device from its first work to that of the next step; without a next step, as
/// long as its own work, whose end is then uncertain.
fn period(works: &[Option<Span>], position: usize) -> Option<(Span, bool)> {
    let own = works[position]?;
    let next = works[position + 1..].iter().flatten().next();
    let end = next.map_or(own.end, |next| next.start);
    Some((Span::new(own.start, end), next.is_none()))
}
