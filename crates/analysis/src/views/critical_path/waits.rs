//! Why a slice started when it did: what it waited for, the last of it first.

use stepscope_model::{LabelId, Session};

use super::collect::{name, place};
use super::report::WaitRow;
use crate::asking::AnalysisError;
use crate::measuring::activity::{CAUSES, Cause};
use crate::telling::format;
use crate::telling::places::SliceRefReport;
use crate::views::replay::Replay;
use crate::views::replay::effects::{Effects, Reading};
use crate::views::replay::graph::{Edge, EdgeKind, Graph, Node, NodeKind, Why};
use crate::views::replay::run::Weights;

/// The sentences, and everything that the slice waited for.
pub(super) fn of(
    session: &Session,
    replay: &Replay,
    slice: &str,
) -> Result<(String, Vec<WaitRow>), AnalysisError> {
    let (track, lane, index) = parse(slice).ok_or_else(|| {
        AnalysisError::Options(format!(
            "--slice takes TRACK:LANE:INDEX, three numbers, not {slice:?}"
        ))
    })?;
    let graph = &replay.graph;
    let is_own = |node: &Node| (node.track, node.lane, node.index) == (track, lane, index);
    let Some(number) = graph.nodes.iter().position(is_own) else {
        return Ok((
            "Nothing is known of what this slice waited for: only work of devices has dependencies \
             here."
                .to_owned(),
            Vec::new(),
        ));
    };
    let own = &graph.nodes[number];
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    let effects = Effects::none();
    let weights = Weights::new(graph, &effects, Reading::Likely);
    let edges = graph.edges_of(number).iter();
    let counted = edges.filter(|edge| weights.lag_ps(own, edge).is_some());
    let mut rows: Vec<WaitRow> = counted.map(|edge| row(session, graph, own, edge)).collect();
    rows.sort_by_key(|row| row.before_ps - row.lag_ps);
    if let Some(first) = rows.first_mut() {
        first.is_last = true;
    }
    let why = sentences(session, graph, number, rows.first());
    Ok((why, rows))
}

fn row(session: &Session, graph: &Graph, own: &Node, edge: &Edge) -> WaitRow {
    let from = &graph.nodes[edge.from as usize];
    let at = if edge.is_from_start {
        from.start_ps
    } else {
        from.end_ps()
    };
    let has_label = (from.label as usize) < session.labels.len();
    let what = match from.kind {
        NodeKind::Host => "the host thread".to_owned(),
        NodeKind::Resume => "the host thread, after it waited".to_owned(),
        NodeKind::Mark => "the start of the step or recording".to_owned(),
        NodeKind::Meet => "the last device to arrive".to_owned(),
        _ if has_label => name(session, LabelId::from_index(from.label as usize)).to_owned(),
        _ => String::new(),
    };
    let slice = SliceRefReport {
        track: from.track,
        lane: from.lane,
        index: from.index,
    };
    WaitRow {
        reason: reason(edge.kind).to_owned(),
        what,
        place: place(session, from.track),
        before_ps: own.start_ps - at,
        lag_ps: edge.lag_ps,
        is_last: false,
        slice: (from.lane != u32::MAX).then_some(slice),
    }
}

/// What held the slice back last, and what the rest of the time was.
fn sentences(session: &Session, graph: &Graph, number: u32, last: Option<&WaitRow>) -> String {
    let own = &graph.nodes[number as usize];
    let Some(last) = last else {
        return "Nothing recorded before it held it back.".to_owned();
    };
    let place = if last.place.is_empty() {
        String::new()
    } else {
        format!(" on {}", last.place)
    };
    let what = format!(
        "It waited for {}{place} ({}), which was over {} before.",
        last.what,
        last.reason,
        format::duration_ps(last.before_ps as f64)
    );
    let delay_ps = last.before_ps - last.lag_ps;
    if delay_ps <= 0 {
        return what;
    }
    let rest = match own.why {
        Why::Launch => "the launch was on its way".to_owned(),
        Why::Pause => "the device paused although it had work".to_owned(),
        Why::Wake => "the host thread took time to continue".to_owned(),
        Why::Host => host_causes(graph, number),
        Why::Short | Why::Origin => "nothing recorded explains it".to_owned(),
    };
    let device = session
        .tracks
        .get(own.track as usize)
        .and_then(|track| track.device);
    let meanwhile = match (own.why, device) {
        (Why::Host, Some(_)) => "Meanwhile its host",
        _ => "The gap",
    };
    format!(
        "{what} {meanwhile}: {rest} ({}).",
        format::duration_ps(delay_ps as f64)
    )
}

/// What the host did during the gap, most time first.
fn host_causes(graph: &Graph, number: u32) -> String {
    let mut causes: Vec<(i64, Cause)> = graph
        .causes_of(number)
        .iter()
        .map(|one| (one.time_ps, CAUSES[usize::from(one.cause)]))
        .collect();
    causes.sort_by_key(|&(time_ps, _)| std::cmp::Reverse(time_ps));
    let told = causes.iter().take(3).map(|&(time_ps, cause)| {
        format!(
            "{} {}",
            cause.meaning(),
            format::duration_ps(time_ps as f64)
        )
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() {
        "nothing was recorded on the host".to_owned()
    } else {
        told.join(", ")
    }
}

const fn reason(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Order => "before it on the same core or stream",
        EdgeKind::Launch | EdgeKind::RunLaunch => "launched it",
        EdgeKind::Pair | EdgeKind::HiddenPair => "started the asynchronous op",
        EdgeKind::Transfer | EdgeKind::HiddenTransfer => {
            "arrived at the collective; then the transfer"
        }
        EdgeKind::Arrival => "arrived at the collective",
        EdgeKind::Own => "its own start",
        EdgeKind::Data => "an operand",
        EdgeKind::Inferred => "on another stream, inferred from times",
        EdgeKind::Device => "before it on the same device",
        EdgeKind::HostOrder => "before it on the thread",
        EdgeKind::HostWait => "the thread waited for it",
        EdgeKind::Silent | EdgeKind::Loose => "the thread may have waited for it",
        EdgeKind::HandOver => "handed the work over",
    }
}

fn parse(slice: &str) -> Option<(u32, u32, u32)> {
    let mut parts = slice.split(':').map(str::parse);
    let mut next = || parts.next()?.ok();
    let found = (next()?, next()?, next()?);
    parts.next().is_none().then_some(found)
}
