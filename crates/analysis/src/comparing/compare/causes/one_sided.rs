//! Ops that only one side has, grouped by what they have in common: they compute again, they are those of
//! a layer that only that side has, they are of one source line, or else of one kind.

use std::collections::BTreeMap;

use stepscope_model::hlo::name_stack::{Pass, pass};

use super::super::cause::{MOST, cause, signed};
use super::super::items::Item;
use super::super::lone_programs::LonePrograms;
use super::super::nodes::stem;
use super::super::pair::Both;
use super::super::report::{ComparedCause, Evidence};
use super::ops::{place, source};
use super::own_scopes::{OwnScopes, family, in_sentence};
use crate::telling::format;

/// What the ops of a group have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Common<'a> {
    Recomputation,
    /// Layers of one kind, such as `layer`.
    Scopes(&'a str),
    Place(&'a str),
    /// Of ops without a place: their names without numbers.
    Kind(&'a str),
}

/// Ops of one side with something in common, most time first.
struct Group<'a> {
    is_new: bool,
    common: Common<'a>,
    ops: Vec<usize>,
    scopes: Vec<&'a str>,
}

/// A cause for each group of ops that takes at least that much time.
pub(super) fn one_sided(
    both: &Both<'_, '_>,
    lone: &LonePrograms<'_>,
    least_ps: f64,
) -> Vec<ComparedCause> {
    let own_scopes = OwnScopes::of(both);
    let is_again = [0, 1].map(|side| adds_recomputation(both, side));
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut positions: BTreeMap<(bool, Common<'_>), usize> = BTreeMap::new();
    for (op, change) in both.changes.ops.iter().enumerate() {
        if change.baseline.is_some() && change.other.is_some() || lone.has(op) {
            continue;
        }
        let is_new = change.baseline.is_none();
        let own_scope = own_scopes.of_op(both, op);
        let common = match (own_scope, place(both, op)) {
            _ if is_again[usize::from(is_new)] && recomputes(both, op) => Common::Recomputation,
            (Some(scope), _) => Common::Scopes(family(scope)),
            (None, Some(place)) => Common::Place(place),
            (None, None) => Common::Kind(stem(both.name(op))),
        };
        let at = *positions
            .entry((is_new, common.clone()))
            .or_insert_with(|| {
                groups.push(Group {
                    is_new,
                    common,
                    ops: Vec::new(),
                    scopes: Vec::new(),
                });
                groups.len() - 1
            });
        let group = &mut groups[at];
        group.ops.push(op);
        if let Some(scope) = own_scope
            && !group.scopes.contains(&scope)
        {
            group.scopes.push(scope);
        }
    }
    let causes = groups.into_iter().filter_map(|mut group| {
        // Of a layer, all ops count; of a line, those that noise does not explain.
        if matches!(group.common, Common::Place(_) | Common::Kind(_)) {
            group
                .ops
                .retain(|&op| both.evidence(op) != Evidence::WithinNoise);
        }
        of_group(both, &group, least_ps)
    });
    causes.collect()
}

fn of_group(both: &Both<'_, '_>, group: &Group<'_>, least_ps: f64) -> Option<ComparedCause> {
    let first = *group.ops.first()?;
    let evidence = both.evidence(first);
    let changes = group.ops.iter().map(|&op| &both.changes.ops[op]);
    let sum: f64 = changes.map(|change| change.step_ps).sum();
    let kind = if group.is_new { "op_new" } else { "op_gone" };
    let text = format!("{} per step", in_words(both, group, &signed(sum)));
    (sum.abs() >= least_ps && evidence != Evidence::WithinNoise).then(|| ComparedCause {
        op: Some(first),
        evidence: Some(evidence),
        source: source(both, first),
        ..cause(kind, text, Some(sum))
    })
}

fn in_words(both: &Both<'_, '_>, group: &Group<'_>, change: &str) -> String {
    let count = group.ops.len();
    let ops = format::counted(count, "op");
    let first = format::shortened(both.name(group.ops[0]));
    let what = stem(&first);
    match (&group.common, group.is_new, count) {
        (Common::Recomputation, true, _) => {
            format!("recomputed in the backward pass: {ops}, {change}")
        }
        (Common::Recomputation, false, _) => {
            format!("no longer recomputed in the backward pass: {ops}, {change}")
        }
        (Common::Scopes(_), is_new, _) => {
            let are = if group.scopes.len() == 1 { "is" } else { "are" };
            let state = if is_new { "new" } else { "gone" };
            format!(
                "{} {are} {state}: {ops}, {change}",
                in_sentence(&group.scopes)
            )
        }
        // A name without a number says the same as what it is; some are no noun, such as `other`.
        (common, true, 1) if what == first => format!("{first}{} is new: {change}", at(common)),
        (common, true, 1) => format!("an extra {what} ({first}){}: {change}", at(common)),
        (common, false, 1) => format!("{first}{} is gone: {change}", at(common)),
        (Common::Kind(kind), true, count) => {
            format!("{count} extra {} ({first}, …): {change}", plural(kind))
        }
        (Common::Kind(kind), false, count) => {
            format!("{count} {} are gone ({first}, …): {change}", plural(kind))
        }
        (common, true, count) => {
            format!("{count} extra ops{} ({first}, …): {change}", at(common))
        }
        (common, false, count) => {
            format!("{count} ops{} are gone ({first}, …): {change}", at(common))
        }
    }
}

fn at(common: &Common<'_>) -> String {
    match common {
        Common::Place(place) => format!(" at {place}"),
        _ => String::new(),
    }
}

fn plural(kind: &str) -> String {
    match kind {
        "copy" => "copies".to_owned(),
        kind => format!("{} ops", format::shortened(kind)),
    }
}

/// Whether an op, on the side that has it, is one of a recomputation.
fn recomputes(both: &Both<'_, '_>, op: usize) -> bool {
    let change = &both.changes.ops[op];
    let (side, item) = match change.other {
        Some(_) => (1, change.other),
        None => (0, change.baseline),
    };
    let session = both.sides[side].session;
    let op = both
        .item(side, item)
        .and_then(Item::op)
        .map(|op| session.op(op));
    op.is_some_and(|op| {
        op.is_rematerialized || pass(session.text(op.scope)) == Pass::Rematerialized
    })
}

/// Whether a side has so many more ops as its recomputation has. Where XLA removed the first computation,
/// the one that is named a recomputation takes its place, and nothing is computed again.
fn adds_recomputation(both: &Both<'_, '_>, side: usize) -> bool {
    let is_alone = |op: &usize| {
        let change = &both.changes.ops[*op];
        match side {
            0 => change.other.is_none(),
            _ => change.baseline.is_none(),
        }
    };
    let ops = (0..both.changes.ops.len()).filter(is_alone);
    let again = ops.filter(|&op| recomputes(both, op)).count();
    let counts = both.sides.map(|side| side.items.len());
    let more = counts[side].saturating_sub(counts[1 - side]);
    more as f64 >= MOST * again as f64
}
