//! The iterations of loops as layers: `jax.lax.scan` over layers has the ops of a layer once in the
//! program, and runs them once per iteration.
//!
//! ```text
//! op of the body     #1      #2      #3              layers
//!   dot.7           0..4   10..14  20..24              while.3[0]    8
//!   add.2           4..8   14..18  24..29              while.3[1]    8
//!                   └ [0]  └ [1]   └ [2]               while.3[2]    9
//! ```
//!
//! [`bodies`] says what runs in which loop, [`assign`] in which iteration, and here each iteration
//! becomes a place of its own, in a tree for each loop.

mod assign;
mod bodies;

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use stepscope_model::hlo::name_stack;
use stepscope_model::{OpId, Session};

use super::ScopeBy;
use super::pieces::{Piece, whole};
use super::sums::Sums;
use super::tree::Tree;
use crate::measuring::selection::Selected;
use crate::telling::Note;
use crate::telling::format;
use crate::views::ops::{AllOps, Measured};
use assign::{Assigned, assign};
use bodies::{Bodies, Looped};

/// Loops with a smaller share of the time are not shown iteration by iteration.
const LEAST_RATIO: f64 = 0.01;
/// Places that all loops together may have.
const MOST_PLACES: usize = 1 << 18;

/// Loops, each as a tree in which every iteration is a node.
#[derive(Default)]
pub(super) struct Iterations {
    pub(super) trees: Vec<Tree>,
    pub(super) notes: Vec<Note>,
}

/// The loops of the selection that take at least 1 % of its time.
pub(super) fn iterations(session: &Session, selected: &Selected<'_>, all: &AllOps) -> Iterations {
    let bodies = Bodies::new(session);
    if bodies.loops.is_empty() {
        return Iterations::default();
    }
    let assigned = assign(session, selected, &bodies);
    let measured: FxHashMap<OpId, &Measured> =
        all.ops.iter().filter_map(|op| Some((op.op?, op))).collect();
    let least_ps = all.total_self_ps as f64 * LEAST_RATIO;
    let mut shown: BTreeMap<String, Vec<Piece<'_>>> = BTreeMap::new();
    let mut left_out = Vec::new();
    let mut places = 0usize;
    for ((position, own), body_ps) in bodies.loops.iter().enumerate().zip(bodies.times(all)) {
        if body_ps <= 0 || (body_ps as f64) < least_ps {
            continue;
        }
        let own_places = assigned.places(position);
        match assigned.refusal(position) {
            Some(reason) => left_out.push(format!("{} ({reason})", own.name)),
            None if places.saturating_add(own_places) > MOST_PLACES => {
                left_out.push(format!("{} (too many ops)", own.name));
            }
            None => {
                places += own_places;
                let pieces = pieces(own, position, &assigned, &measured);
                shown.entry(own.path()).or_default().extend(pieces);
            }
        }
    }
    let trees: Vec<Tree> = shown.into_values().map(Tree::of).collect();
    let notes = notes(&trees, &left_out);
    Iterations { trees, notes }
}

/// The ops of a loop, in every iteration.
fn pieces<'a>(
    own: &Looped<'a>,
    position: usize,
    assigned: &Assigned,
    measured: &FxHashMap<OpId, &'a Measured>,
) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    for (op, iterations) in assigned.of_loop(position) {
        let Some(op) = measured.get(op) else { continue };
        let Piece { place, paths, sums } = whole(&op.row, ScopeBy::Scope);
        let below = within(own, &place);
        for (iteration, totals) in iterations.iter().enumerate() {
            if totals.occurrences == 0 {
                continue;
            }
            let mut place: Vec<Cow<'a, str>> = own.parents();
            place.push(format!("{}[{iteration}]", own.name).into());
            place.extend(below.iter().cloned());
            pieces.push(Piece {
                place,
                sums: Sums::of_part(&op.row, *totals, sums),
                paths: paths.clone(),
            });
        }
    }
    pieces
}

/// The place of an op within its loop: what follows `while/body`, or all of it where the op was not
/// written there.
fn within<'p, 'a>(own: &Looped<'_>, place: &'p [Cow<'a, str>]) -> &'p [Cow<'a, str>] {
    let around = name_stack::components(&own.instruction.op_name);
    let is_below =
        place.len() > around.len() && place.iter().zip(&around).all(|(own, around)| own == around);
    let Some(rest) = place
        .get(around.len()..)
        .filter(|_| is_below && !around.is_empty())
    else {
        return place;
    };
    match rest {
        [body, inner @ ..] if body == "body" && !inner.is_empty() => inner,
        rest => rest,
    }
}

fn notes(trees: &[Tree], left_out: &[String]) -> Vec<Note> {
    let mut notes = Vec::new();
    if !trees.is_empty() {
        notes.push(Note::info(
            "iterations",
            "Iterations of loops are among the layers, numbered in the order in which they ran. The \
             backward pass of a scan usually runs them in reverse.",
        ));
    }
    if let Some((first, rest)) = left_out.split_first() {
        let more = match rest.len() {
            0 => String::new(),
            count => format!(" and {}", format::counted(count, "other loop")),
        };
        notes.push(Note::info(
            "iterations-left-out",
            format!("Not shown iteration by iteration: {first}{more}."),
        ));
    }
    notes
}
