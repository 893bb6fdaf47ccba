//! Steps: recorded on the device, annotated on the host, or inferred from program runs.

mod alternation;
mod annotated;
mod begins;
mod completing;
mod evidence;
mod gathering;
mod grouped;
mod inferred;
mod launched;
mod main_function;
mod numbers;
mod phases;
mod rollout;
mod rounds;
mod turns;
mod waited;

pub(super) use completing::completes;
pub(super) use evidence::{Evidence, HostStep};
use evidence::{Occurrences, Steps};

use crate::step::{Step, StepOrigin, StepSpan};
use crate::track::TrackRole;

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
                threads: found.threads,
                is_cut: found.is_cut,
            }
        })
        .collect();
    steps.sort_by_key(|step| step.spans.iter().map(|span| span.span.start).min());
    steps
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
