//! What was alive at an event of an allocator, as rows that sum to the bytes taken then.

use std::collections::BTreeMap;

use stepscope_model::{AllocatorLog, Session, SliceId, SliceKind};

use super::collect::{Figures, step_at};
use super::replay::{Alive, alive_at};
use super::report::AliveRow;

/// What allocations are merged by: purpose, bytes, and caller.
type Key = (u32, i64, String, String);

/// The rows of one allocator after one of its events, largest first.
pub(super) fn rows(
    session: &Session,
    log: &AllocatorLog,
    figures: &Figures<'_>,
    moment: usize,
) -> Vec<AliveRow> {
    let events = figures.allocator.events.as_slice();
    let Some(then) = events.get(moment) else {
        return Vec::new();
    };
    let mut merged: BTreeMap<Key, Vec<Alive>> = BTreeMap::new();
    let mut seen = 0i64;
    for alive in alive_at(events, moment) {
        let event = &events[alive.event];
        seen = seen.saturating_add(event.allocated);
        let (caller, source) = caller(session, event.slice);
        let key = (event.purpose, event.allocated, caller, source);
        merged.entry(key).or_default().push(alive);
    }
    let mut rows: Vec<AliveRow> = merged
        .into_iter()
        .map(|(key, alive)| allocation(log, figures, key, &alive))
        .collect();
    let mut special = |kind: &str, bytes: i64| {
        if bytes != 0 {
            rows.push(AliveRow {
                kind: kind.to_owned(),
                bytes,
                ..blank(figures)
            });
        }
    };
    special("reserved", then.reserved);
    match then.in_use.saturating_sub(seen) {
        bytes if bytes >= 0 => special("before_window", bytes),
        bytes => special("unexplained", bytes),
    }
    for row in &mut rows {
        row.ratio = row.bytes as f64 / then.taken().max(1) as f64;
    }
    rows.sort_by(|a, b| {
        (b.bytes.cmp(&a.bytes))
            .then_with(|| a.allocated_ps.cmp(&b.allocated_ps))
            .then_with(|| (&a.op, &a.caller, &a.shape).cmp(&(&b.op, &b.caller, &b.shape)))
    });
    rows
}

fn allocation(log: &AllocatorLog, figures: &Figures<'_>, key: Key, alive: &[Alive]) -> AliveRow {
    let (purpose, bytes, caller, source) = key;
    let purpose = log
        .purposes
        .get(purpose as usize)
        .copied()
        .unwrap_or_default();
    let events = figures.allocator.events.as_slice();
    let first = alive.iter().map(|alive| &events[alive.event]).next();
    let count = i64::try_from(alive.len()).unwrap_or(i64::MAX);
    let all_freed: Option<Vec<i64>> = alive
        .iter()
        .map(|alive| alive.freed.map(|time| time.0))
        .collect();
    AliveRow {
        kind: "allocation".to_owned(),
        op: log.text(purpose.op).to_owned(),
        caller,
        source,
        region: log.text(purpose.region).to_owned(),
        data_type: purpose.data_type.to_owned(),
        shape: log.text(purpose.shape).to_owned(),
        count,
        bytes: bytes.saturating_mul(count),
        allocated_ps: first.map(|event| event.time.0),
        allocated_step: first.and_then(|event| step_at(&figures.all_steps, event)),
        slice: first.map(|event| event.slice.into()),
        freed_ps: all_freed.and_then(|times| times.into_iter().max()),
        ..blank(figures)
    }
}

fn blank(figures: &Figures<'_>) -> AliveRow {
    AliveRow {
        allocator: figures.row.allocator.clone(),
        host: figures.row.host.clone(),
        kind: String::new(),
        op: String::new(),
        caller: String::new(),
        source: String::new(),
        region: String::new(),
        data_type: String::new(),
        shape: String::new(),
        count: 0,
        bytes: 0,
        ratio: 0.0,
        allocated_ps: None,
        allocated_step: None,
        slice: None,
        freed_ps: None,
    }
}

/// The innermost call and the innermost Python line around a slice, on its own thread.
fn caller(session: &Session, slice: SliceId) -> (String, String) {
    let track = session.track(slice.track);
    let (mut call, mut frame) = (String::new(), String::new());
    for (lane, index) in track.ancestors(slice.lane, slice.index) {
        let label = track.lanes[lane as usize].labels()[index as usize];
        let name = session.label_name(label);
        match session.label(label).kind {
            SliceKind::Host if call.is_empty() => name.clone_into(&mut call),
            SliceKind::Python if frame.is_empty() => {
                name.trim_start_matches('$').clone_into(&mut frame);
            }
            _ => {}
        }
        if !call.is_empty() && !frame.is_empty() {
            break;
        }
    }
    (call, frame)
}
