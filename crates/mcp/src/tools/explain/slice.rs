//! A slice of the timeline: what it is, what was recorded with it, what is around it.

use stepscope_analysis::telling::format::duration_ps;
use stepscope_analysis::views::timeline::SliceDetails;
use stepscope_analysis::views::timeline::details::details;
use stepscope_model::{SliceId, TrackId};

use super::about::{About, Explained};
use crate::link::on_page;
use crate::page::{Next, Whole};
use crate::roots::Refusal;
use crate::tables::rounded;
use crate::tools::ask_about;

/// Most recorded stats.
const STATS: usize = 60;

pub(super) fn explain(about: &About<'_>, id: &str) -> Result<Explained, Refusal> {
    let found = parsed(id).and_then(|slice| details(&about.open.session, slice));
    let found = found.ok_or_else(|| {
        Refusal::new(format!("{id:?} is not a slice of this session."))
            .hint("A slice is named `track/lane/index`, as other answers name it.")
            .next(ask_about(about.handle, "timeline", "the tracks, by number"))
    })?;
    let mut whole = Whole::new(format!("slice {id}"), about.handle);
    push(&mut whole, &found);
    let named = [
        (found.parent, "what it is part of"),
        (found.first_child, "what is within it"),
    ];
    for (slice, why) in named {
        if let Some(slice) = slice {
            whole.next.push(about.slice(slice, why));
        }
    }
    if let Some(op) = &found.op {
        whole
            .next
            .push(about.next("op", op.clone(), "all times that this op ran"));
    }
    let report = Next::new(
        "report",
        &[("session", about.handle)],
        "the findings of the session",
    );
    whole.next.push(report);
    Ok(Explained {
        whole,
        view: "timeline".to_owned(),
        parameters: vec![("slice".to_owned(), on_page(found.slice))],
    })
}

fn push(whole: &mut Whole, found: &SliceDetails) {
    whole.told("name", &found.name);
    whole.told("class", &found.class);
    whole.told("track", &found.track_name);
    for (name, picos) in [
        ("start_ps", found.start_ps),
        ("duration_ps", found.duration_ps),
        ("self_ps", found.self_ps),
    ] {
        whole.fact(name, picos, &duration_ps(picos as f64));
    }
    if let Some(step) = found.step {
        whole.fact("step", step, &step.to_string());
    }
    for (name, text) in [
        ("program", &found.program),
        ("op", &found.op),
        ("attribution", &found.attribution),
        ("category", &found.category),
        ("scope", &found.scope),
        ("source", &found.source),
        ("expression", &found.expression),
    ] {
        whole.told(name, text.as_deref().unwrap_or_default());
    }
    for (name, figure) in [("flops", found.flops), ("bytes", found.bytes)] {
        if let Some(figure) = figure {
            whole.fact(name, rounded(figure), &rounded(figure).to_string());
        }
    }
    for frame in &found.source_stack {
        whole.line(&format!("source: {frame}"));
    }
    for stat in found.stats.iter().take(STATS) {
        whole.line(&format!("recorded: {} = {}", stat.name, stat.value));
    }
}

/// With slashes, as answers write it, or with colons, as links do.
fn parsed(id: &str) -> Option<SliceId> {
    let mut numbers = id
        .split(['/', ':'])
        .map(|part| part.trim().parse::<u32>().ok());
    let mut next = || numbers.next().flatten();
    let slice = SliceId {
        track: TrackId(next()?),
        lane: next()?,
        index: next()?,
    };
    numbers.next().is_none().then_some(slice)
}
