//! `sessions`: what there is to ask about.

use schemars::JsonSchema;
use serde::Deserialize;
use stepscope_analysis::format::date;
use stepscope_analysis::{Cell, Column, Table, Unit};
use stepscope_server::SessionState;

use super::{Within, push_notes};
use crate::page::{Next, Whole};
use crate::roots::{Chosen, Refusal};
use crate::tables::{self, Columns};

/// Arguments of `sessions`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Arguments {
    /// Only sessions whose handle, program or tags contain this text, ignoring case.
    contains: Option<String>,
    /// Where an earlier answer to the same call ended.
    pub(crate) cursor: Option<String>,
}

const COLUMNS: [Column; 11] = [
    Column::new("session", "Session", Unit::Text),
    Column::new("kind", "Kind", Unit::Text),
    Column::new("time_utc", "Time (UTC)", Unit::Text),
    Column::new("step_time_ps", "Step time", Unit::Picos).fractional(),
    Column::new("mfu_ratio", "MFU", Unit::Ratio),
    Column::new("verdict", "Verdict", Unit::Text),
    Column::new("devices", "Devices", Unit::Text),
    Column::new("program", "Program", Unit::Text),
    Column::new("tags", "Tags", Unit::Text),
    Column::new("size_bytes", "Size", Unit::Bytes),
    Column::new("error", "Error", Unit::Text),
];

/// Lists sessions without opening them.
pub(crate) fn run(within: &Within<'_>, asked: &Arguments) -> Result<Whole, Refusal> {
    let mut whole = Whole::new("sessions, latest first", "");
    let wanted = asked.contains.as_deref().unwrap_or_default().to_lowercase();
    let listed = within.roots.list();
    let shown: Vec<&Chosen<'_>> = listed.iter().filter(|one| matches(one, &wanted)).collect();
    let rows: Vec<Vec<Cell>> = shown.iter().map(|one| row(one)).collect();
    let table = Table {
        key: "sessions",
        title: "Sessions".to_owned(),
        columns: COLUMNS.to_vec(),
        row_count: rows.len(),
        rows,
    };
    tables::push(&mut whole, &table, &Columns::Essential, None).map_err(Refusal::new)?;
    for root in &within.roots.0 {
        push_notes(&mut whole, &root.library.list().notes);
    }
    if let [first, ..] = shown[..] {
        let next = Next::new(
            "report",
            &[("session", &first.handle)],
            "what the latest one says",
        );
        whole.next.push(next);
    } else if !listed.is_empty() {
        whole.note("no session contains this text");
        whole.next.push(Next::new("sessions", &[], "all sessions"));
    } else {
        whole.note("no sessions yet: `stepscope capture --help` says how to record one");
    }
    if let [new, old, ..] = shown[..] {
        let sessions = vec![old.handle.clone(), new.handle.clone()];
        let next = Next::new("compare", &[], "the latest one against the one before");
        whole.next.push(next.with("sessions", sessions));
    }
    Ok(whole)
}

fn matches(one: &Chosen<'_>, wanted: &str) -> bool {
    let summary = &one.summary;
    let tags = summary.tags.join(" ");
    let texts = [&one.handle, &summary.program, &tags];
    texts
        .iter()
        .any(|text| text.to_lowercase().contains(wanted))
}

fn row(one: &Chosen<'_>) -> Vec<Cell> {
    let summary = &one.summary;
    let is_known = summary.state == SessionState::Open || summary.is_indexed;
    let text = |text: &str| Cell::from(Some(text.to_owned()).filter(|text| !text.is_empty()));
    let written = summary.captured_epoch_ms.or(summary.modified_epoch_ms);
    vec![
        one.handle.as_str().into(),
        summary.kind.as_str().into(),
        written.map(|ms| date(ms.saturating_mul(1_000_000))).into(),
        summary.step_time_ps.into(),
        summary.mfu_ratio.into(),
        text(&summary.verdict),
        text(&summary.devices),
        if is_known {
            text(&summary.program)
        } else {
            Cell::Missing
        },
        text(&summary.tags.join(", ")),
        i64::try_from(summary.size_bytes).ok().into(),
        text(&summary.error),
    ]
}
