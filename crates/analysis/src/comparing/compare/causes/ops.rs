//! An op that takes more or less time, and where ops come from.

use super::super::cause::{MOST, short_source, signed};
use super::super::pair::Both;
use super::super::report::WaterfallBar;
use super::super::waterfall::Change;
use crate::measuring::steps::PartKind;
use crate::telling::format;

/// An op that takes more or less time, in words, with the kind of the cause.
pub(super) fn of_op(both: &Both<'_, '_>, bar: &WaterfallBar) -> Option<(&'static str, String)> {
    let op = bar.op?;
    let row = &both.changes.ops[op];
    let at = place(both, op);
    let name = format::shortened(both.name(op));
    let change = signed(bar.difference_ps);
    let old = both.item(0, row.baseline)?.name(both.sides[0].session);
    let renamed = if old == both.name(op) {
        String::new()
    } else {
        format!(" (was {})", format::shortened(old))
    };
    let mut whys = vec![both.change_text(row)];
    whys.extend(lateness(both, row, bar.difference_ps));
    whys.retain(|why| !why.is_empty());
    let why = if whys.is_empty() {
        String::new()
    } else {
        format!(": {}", whys.join("; "))
    };
    let kind = if bar.difference_ps > 0.0 {
        "op_slower"
    } else {
        "op_faster"
    };
    let at = at.map(|at| format!(" at {at}")).unwrap_or_default();
    Some((kind, format!("{name}{renamed}{at} {change} per step{why}")))
}

/// Where an op comes from: its source line, else its scope.
pub(super) fn place<'a>(both: &Both<'a, '_>, op: usize) -> Option<&'a str> {
    let (source, scope) = origin(both, op)?;
    let texts = [short_source(source), scope];
    texts.into_iter().find(|text| !text.is_empty())
}

/// The source line of an op as recorded; empty if unknown.
pub(super) fn source(both: &Both<'_, '_>, op: usize) -> String {
    origin(both, op).map_or_else(String::new, |(source, _)| source.to_owned())
}

/// Source line and scope of an op, from the other session if it has the op.
fn origin<'a>(both: &Both<'a, '_>, op: usize) -> Option<(&'a str, &'a str)> {
    let row = &both.changes.ops[op];
    let (side, item) = match both.item(1, row.other) {
        Some(item) => (1, item),
        None => (0, both.item(0, row.baseline)?),
    };
    let session = both.sides[side].session;
    let op = session.op(item.op()?);
    Some((session.text(op.source), session.text(op.scope)))
}

/// Of a collective that takes more or less time, how much of that is waiting for the device that arrives
/// last, if that is most of it.
fn lateness(both: &Both<'_, '_>, row: &Change, difference_ps: f64) -> Option<String> {
    if row.part != PartKind::Collectives {
        return None;
    }
    // Mean time of an occurrence: waiting, and after the last arrival.
    let times = |side: usize, item: Option<usize>| -> Option<[f64; 2]> {
        let side_of = both.sides[side];
        let item = both.item(side, item)?;
        let name = item.name(side_of.session);
        let program = item.program(side_of.session)?;
        let program = side_of.session.program(program).id.to_string();
        let mut rows = side_of
            .details
            .collectives(side_of.session, &side_of.selected)
            .iter();
        let found = rows.find(|found| found.name == name && found.program_id == program)?;
        let times = [found.wait_ps?, found.transfer_ps?];
        Some(times.map(|time| time as f64 / found.matched.max(1) as f64))
    };
    let (before, after) = (times(0, row.baseline)?, times(1, row.other)?);
    let [wait, transfer] = [0, 1].map(|at| after[at] - before[at]);
    let share = wait / (wait + transfer);
    let is_same_way = (wait + transfer) * difference_ps > 0.0;
    (is_same_way && share >= MOST).then(|| {
        let waits = signed(share.min(1.0) * difference_ps);
        format!("{waits} of it waiting for the device that arrives last")
    })
}
