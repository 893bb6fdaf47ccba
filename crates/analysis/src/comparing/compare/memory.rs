//! Why a program needs more or less memory than in the baseline, by its memory plan at the peak.
//!
//! Buffers with the same purpose and place (name stack, else source line, else kind of instruction) form
//! a group, so that a buffer is recognized even if its instruction has another number or shape.

use std::collections::BTreeMap;

use super::cause::{cause, short_source};
use super::nodes::stem;
use super::pair::Both;
use super::pairing::ProgramPair;
use super::report::ComparedCause;
use crate::telling::format;
use crate::views::buffers::{BufferRow, held_at_peak};

/// A change below this share of the baseline's peak is not reported.
const LEAST_RATIO: f64 = 0.005;
/// Maximum number of buffer groups that are named per program.
const NAMED: usize = 3;

/// A cause for every program of both sessions whose plan holds more or less at its peak.
pub(super) fn causes(both: &Both<'_, '_>) -> Vec<ComparedCause> {
    // The same program has the same plan.
    let pairs = both.pairing.compared().filter(|pair| !pair.is_same);
    let mut causes: Vec<ComparedCause> = pairs.filter_map(|pair| of_plan(both, pair)).collect();
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.difference_bytes.map(i64::abs)));
    causes
}

fn of_plan(both: &Both<'_, '_>, pair: &ProgramPair) -> Option<ComparedCause> {
    let held = |side: usize| held_at_peak(both.sides[side].session, pair.programs[side]);
    let (before, after) = (held(0)?, held(1)?);
    let (old, new) = (total(&before), total(&after));
    let change = new.saturating_sub(old);
    if change == 0 || (change.abs() as f64) < LEAST_RATIO * old as f64 {
        return None;
    }
    let groups = groups([&before, &after]);
    let mut same_way: Vec<&Group<'_>> = groups
        .values()
        .filter(|group| group.change().signum() == change.signum())
        .collect();
    same_way.sort_by_key(|group| std::cmp::Reverse(group.change().abs()));
    let named: Vec<String> = same_way
        .iter()
        .take(NAMED)
        .filter_map(|group| group.text())
        .collect();
    let name = &both.sides[1].session.program(pair.programs[1]).name;
    let text = format!(
        "the memory plan of {name} holds {} at its peak instead of {} ({}): {}",
        format::bytes(new as f64),
        format::bytes(old as f64),
        signed(change),
        named.join("; ")
    );
    let largest = same_way.first().and_then(|group| group.largest());
    Some(ComparedCause {
        difference_bytes: Some(change),
        source: largest.map_or_else(String::new, |row| row.source.clone()),
        ..cause("memory_plan", text, None)
    })
}

fn total<'a>(rows: impl IntoIterator<Item = &'a BufferRow>) -> i64 {
    let sizes = rows.into_iter().map(|row| row.bytes);
    sizes.fold(0, i64::saturating_add)
}

fn signed(bytes: i64) -> String {
    format::signed(bytes as f64, format::bytes)
}

/// Buffers with the same purpose and place, of both sides, largest first.
#[derive(Default)]
struct Group<'a> {
    rows: [Vec<&'a BufferRow>; 2],
}

fn groups(sides: [&[BufferRow]; 2]) -> BTreeMap<(&str, &str), Group<'_>> {
    let mut groups: BTreeMap<(&str, &str), Group<'_>> = BTreeMap::new();
    for (side, rows) in sides.into_iter().enumerate() {
        for row in rows {
            let group = groups
                .entry((row.category.as_str(), place(row)))
                .or_default();
            group.rows[side].push(row);
        }
    }
    groups
}

/// Where a buffer comes from, in terms that another version of the program shares.
fn place(row: &BufferRow) -> &str {
    // The first part of a name stack is the compiled function, which may have been renamed.
    let scope: &str = match row.scope.split_once('/') {
        Some((function, rest)) if function.ends_with(')') => rest,
        _ => &row.scope,
    };
    [scope, &row.source, stem(&row.instruction)]
        .into_iter()
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

impl<'a> Group<'a> {
    fn change(&self) -> i64 {
        let rows = self.rows.each_ref();
        let [before, after] = rows.map(|rows| total(rows.iter().copied()));
        after.saturating_sub(before)
    }

    /// The largest buffer of the other session, or of the baseline if only that has the group.
    fn largest(&self) -> Option<&'a BufferRow> {
        let [before, after] = &self.rows;
        after.first().or(before.first()).copied()
    }

    /// `temporary f32[64,512] of dot.3 at model/mlp.py:12 +64.0 KiB (was f32[32,512])`.
    fn text(&self) -> Option<String> {
        let row = self.largest()?;
        let [before, after] = &self.rows;
        let name = if row.category == "parameter" && !row.scope.is_empty() {
            &row.scope
        } else {
            &row.instruction
        };
        let at = match short_source(&row.source) {
            "" => String::new(),
            source => format!(" at {source}"),
        };
        let how = match (before.len(), after.len()) {
            (0, 1) => "new".to_owned(),
            (1, 0) => "gone".to_owned(),
            (0, new) => format!("{new} new buffers"),
            (old, 0) => format!("{old} buffers are gone"),
            (old, new) if old != new => format!("{new} buffers instead of {old}"),
            _ => match (shape(before[0]), shape(row)) {
                (old, new) if old != new => format!("was {old}"),
                _ => "size changed".to_owned(),
            },
        };
        Some(format!(
            "{} {} of {}{at} {} ({how})",
            row.category,
            shape(row),
            format::shortened(name),
            signed(self.change())
        ))
    }
}

/// The shape without its layout.
fn shape(row: &BufferRow) -> &str {
    row.shape.split('{').next().unwrap_or_default()
}
