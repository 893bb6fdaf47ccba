//! A piece of evidence of a finding: where it is seen, and the calls that say more.

use stepscope_analysis::find;
use stepscope_analysis::judging::advice::AdviceEvidence;
use stepscope_model::{Picos, Span};

use super::about::About;
use super::place;
use crate::link::Range;
use crate::page::Next;
use crate::tools::Pairs;

/// The view of the page that shows a piece of evidence, with its parameters; `None` without one. As in
/// `ui/src/views/advice/evidence.ts`.
pub(super) fn shown_at(evidence: &AdviceEvidence) -> Option<(String, Pairs)> {
    let view = find(&evidence.view)?.name;
    let parameters = match span(evidence).filter(|_| view == "timeline") {
        Some(span) => {
            let range = Range {
                start_ps: span.start.0,
                end_ps: span.end.0,
                place: &evidence.device,
                op: &evidence.op,
                slice: None,
            };
            range.parameters()
        }
        None if !evidence.op.is_empty() => {
            let pattern = format!("^{}$", regex::escape(&evidence.op));
            vec![("match".to_owned(), pattern)]
        }
        None => part(evidence),
    };
    Some((view.to_owned(), parameters))
}

/// The calls that say more, the most exact one first.
pub(super) fn calls(evidence: &AdviceEvidence, about: &About<'_>) -> Vec<Next> {
    let session = &about.open.session;
    let span = span(evidence);
    if !evidence.op.is_empty() {
        let within =
            span.and_then(|span| place::of_op(session, &evidence.op, Some(span), &evidence.device));
        let slice = within.map(|slice| about.slice(slice, "the op of the evidence, where it ran"));
        let is_op = evidence.view != "kernels" && !evidence.program_id.is_empty();
        let op = is_op.then(|| about.next("op", evidence.op.clone(), "the op of the evidence"));
        return slice.into_iter().chain(op).collect();
    }
    let found = find(&evidence.view);
    let Some(entry) = found.filter(|entry| entry.name != "timeline") else {
        return Vec::from_iter(in_time(evidence, about, span));
    };
    vec![about.ask(entry, part(evidence), "the view that shows the evidence")]
}

/// A range of time is a step, something that ran exactly then, or else a wait.
fn in_time(evidence: &AdviceEvidence, about: &About<'_>, span: Option<Span>) -> Option<Next> {
    let ran = span.filter(|_| evidence.step.is_none());
    if let Some(slice) = ran.and_then(|span| place::exactly(&about.open.session, span)) {
        return Some(about.slice(slice, "what the evidence is"));
    }
    let is_known = span.is_some() || evidence.step.is_some();
    let idle = find("idle").filter(|_| is_known)?;
    Some(about.ask(idle, part(evidence), "the gaps then, and what the host did"))
}

/// The part of the session that the evidence is about, as options of an analysis. A step says more
/// than its time, which differs from device to device.
fn part(evidence: &AdviceEvidence) -> Pairs {
    let when = match (evidence.step, span(evidence)) {
        (Some(step), _) => Some(("steps", step.to_string())),
        (None, Some(span)) => Some(("time", format!("{}ps..{}ps", span.start.0, span.end.0))),
        (None, None) => None,
    };
    let which = [
        ("device", &evidence.device),
        ("program", &evidence.program_id),
    ];
    let which = which.map(|(name, value)| (name, value.clone()));
    let all = when.into_iter().chain(which);
    all.filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn span(evidence: &AdviceEvidence) -> Option<Span> {
    let (start, end) = evidence.start_ps.zip(evidence.end_ps)?;
    Some(Span::new(Picos(start), Picos(end)))
}
