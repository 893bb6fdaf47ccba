//! Everything known about one slice.

use rayon::prelude::*;
use stepscope_model::details::Stat;
use stepscope_model::{Flow, Label, Op, ProgramId, Session, SliceId, Span, Track};

use stepscope_model::hlo::name_stack::{self, Pass, combined_paths};

use super::nesting::{first_child, parent};
use super::report::{FlowReport, LabelFacts, LabelReport, SliceDetails, StatReport};
use crate::telling::places::{SliceRefReport, track_title};
use stepscope_model::LabelId;

/// The details of a slice; none if the slice does not exist. Takes milliseconds, because the recorded
/// stats are read from the file again.
pub fn details(session: &Session, slice: SliceId) -> Option<SliceDetails> {
    details_with(session, slice, session.stats(slice))
}

/// The details of several slices, like [`details`] of each, at little more than the cost of one.
pub fn details_of(session: &Session, slices: &[SliceId]) -> Vec<Option<SliceDetails>> {
    let stats = session.stats_of(slices);
    let slices = slices.par_iter().zip(stats);
    slices
        .map(|(&slice, stats)| details_with(session, slice, stats))
        .collect()
}

fn details_with(session: &Session, slice: SliceId, stats: Vec<Stat>) -> Option<SliceDetails> {
    let track = session.tracks.get(slice.track.index())?;
    let lane = track.lanes.get(slice.lane as usize)?;
    let index = slice.index as usize;
    let span = (index < lane.len()).then(|| lane.span(index))?;
    let label = session.label(lane.labels()[index]);
    let op = label.op.map(|id| session.op(id));
    let instruction = op.and_then(|op| instruction_facts(session, op));
    let (hlo_text, source_stack) = instruction.unwrap_or_default();
    let text = |id| known(session.text(id));
    let scope = scope_of(session, lane.labels()[index]);
    let program = program_of(session, label);
    Some(SliceDetails {
        slice: slice.into(),
        name: session.text(label.name).to_owned(),
        start_ps: span.start.0,
        duration_ps: lane.durations()[index],
        self_ps: self_ps(track, slice),
        class: label.class.name().to_owned(),
        track_name: track_title(session, slice.track),
        step: step_number(session, track, span),
        program: program.map(|id: ProgramId| session.program(id).title()),
        op: op.and_then(|op| text(op.name)),
        attribution: op.map(|_| label.attribution.name().to_owned()),
        category: op.and_then(|op| text(op.category)),
        category_source: op.and_then(|op| known(op.category_source.name())),
        expression: op.and_then(|op| text(op.expression)).or(hlo_text),
        scope_paths: scope.as_deref().map(combined_paths).unwrap_or_default(),
        scope,
        source: op.and_then(|op| text(op.source)),
        source_stack,
        flops: op.and_then(|op| op.cost).and_then(|cost| cost.flops),
        bytes: op.and_then(|op| op.cost).map(|cost| cost.bytes),
        cost_source: op
            .and_then(|op| op.cost)
            .map(|cost| cost.source.name().to_owned()),
        stats: stats.into_iter().map(stat_report).collect(),
        flows: flows(session, slice),
        parent: parent(track, slice).map(SliceRefReport::from),
        first_child: first_child(track, slice).map(SliceRefReport::from),
    })
}

/// What slices with these labels share. Unknown ids are left out.
pub fn labels(session: &Session, ids: &[LabelId]) -> Vec<LabelReport> {
    let known = ids.iter().filter(|id| id.index() < session.labels.len());
    known
        .map(|&id| LabelReport {
            label: id.0,
            name: session.label_name(id).to_owned(),
            class: session.label(id).class.name().to_owned(),
        })
        .collect()
}

/// The scopes, programs and passes of these labels. Unknown ids are left out.
pub fn label_facts(session: &Session, ids: &[LabelId]) -> Vec<LabelFacts> {
    let known = ids.iter().filter(|id| id.index() < session.labels.len());
    known
        .map(|&id| {
            let scope = scope_of(session, id).unwrap_or_default();
            let program = program_of(session, session.label(id));
            LabelFacts {
                label: id.0,
                pass: pass_name(&scope).to_owned(),
                program: program.map_or_else(String::new, |id| session.program(id).title()),
                scope,
            }
        })
        .collect()
}

/// Bytes of the texts that [`label_facts`] answers with, about.
pub fn label_facts_bytes(session: &Session, ids: &[LabelId]) -> usize {
    let known = ids.iter().filter(|id| id.index() < session.labels.len());
    let scopes = known.map(|&id| scope_of(session, id).map_or(0, |scope| scope.len()));
    scopes.sum()
}

/// Work without a scope has an unknown pass.
fn pass_name(scope: &str) -> &'static str {
    if scope.is_empty() {
        return "";
    }
    let pass = name_stack::pass(scope);
    if pass == Pass::Backward {
        "backward"
    } else if pass == Pass::Rematerialized {
        "rematerialized"
    } else {
        "forward"
    }
}

fn scope_of(session: &Session, id: LabelId) -> Option<String> {
    let label = session.label(id);
    let op = label.op.map(|id| session.op(id));
    let text = |id| known(session.text(id));
    op.and_then(|op| text(op.scope))
        .or_else(|| label.framework_op.and_then(text))
}

fn program_of(session: &Session, label: &Label) -> Option<ProgramId> {
    let op = label.op.map(|id| session.op(id));
    label.program.or_else(|| op.map(|op| op.program))
}

fn known(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// HLO text and source stack of an op whose program is in the profile.
fn instruction_facts(session: &Session, op: &Op) -> Option<(Option<String>, Vec<String>)> {
    let hlo = session.program(op.program).hlo.as_ref()?;
    let instruction = hlo.instruction(session.text(op.name))?;
    let frames = instruction.source.iter().flat_map(|source| &source.stack);
    let stack = frames
        .map(|frame| {
            format!(
                "{}:{}:{} {}",
                frame.file, frame.line, frame.column, frame.function
            )
        })
        .collect();
    Some((Some(hlo.text(instruction)), stack))
}

fn self_ps(track: &Track, slice: SliceId) -> i64 {
    let mut own = 0;
    let index = slice.index as usize;
    track.for_each_self_time(slice.lane as usize, index..index + 1, |_, self_ps| {
        own = self_ps;
    });
    own
}

/// The step during which the slice started, on its device or host.
fn step_number(session: &Session, track: &Track, span: Span) -> Option<i64> {
    let holds = |step: &&stepscope_model::Step| {
        let own = step.seen_from(track.host, track.device);
        own.is_some_and(|on| on.span.contains_instant(span.start))
    };
    session.steps.iter().find(holds).map(|step| step.number)
}

fn stat_report(stat: Stat) -> StatReport {
    StatReport {
        name: stat.name,
        value: stat.value,
        is_constant: stat.is_constant,
    }
}

fn flows(session: &Session, slice: SliceId) -> Vec<FlowReport> {
    let flows = session.flows_of(session.track(slice.track).host);
    let outgoing = flows.from_slice(slice).iter();
    let incoming = flows.to_slice(slice);
    let report = |flow: &Flow, is_outgoing: bool| {
        let other = if is_outgoing { flow.to } else { flow.from };
        let lane = session.lane(other.track, other.lane)?;
        let index = other.index as usize;
        let label = *lane.labels().get(index)?;
        Some(FlowReport {
            kind: flow.kind.name().to_owned(),
            is_outgoing,
            other: other.into(),
            other_name: session.label_name(label).to_owned(),
            other_start_ps: lane.starts()[index],
            other_duration_ps: lane.durations()[index],
        })
    };
    incoming
        .filter_map(|flow| report(flow, false))
        .chain(outgoing.filter_map(|flow| report(flow, true)))
        .collect()
}
