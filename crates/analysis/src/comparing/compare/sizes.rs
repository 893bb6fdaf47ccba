//! Other sizes and element types: what many instructions have in common, and most other causes follow
//! from.

use std::collections::BTreeMap;

use stepscope_model::hlo::Shape;

use super::cause::cause;
use super::items::Item;
use super::nodes::arrays;
use super::pair::Both;
use super::pairing::ProgramPair;
use super::report::ComparedCause;
use crate::telling::format;

/// Share of the instructions of a program that a change concerns, if it is one of the program's.
const LEAST_OF_PROGRAM: f64 = 0.2;

/// Share of the time of all programs that ran on both sides, in those that a change concerns.
const LEAST_OF_TIME: f64 = 0.5;

/// Another element type, and another batch size, length or width.
pub(super) fn of(both: &Both<'_, '_>) -> Vec<ComparedCause> {
    let types = most(both, |before, after| {
        let same = dimensions(before) == dimensions(after);
        let [old, new] = [before, after].map(element_type);
        (same && old != new).then(|| vec![(old.to_owned(), new.to_owned())])
    });
    let sizes = most(both, |before, after| {
        let (old, new) = (dimensions(before), dimensions(after));
        let mut own: Vec<(&str, &str)> = old.iter().copied().zip(new.iter().copied()).collect();
        own.retain(|(old, new)| old != new);
        own.sort_unstable();
        own.dedup();
        let owned = own
            .into_iter()
            .map(|(old, new)| (old.to_owned(), new.to_owned()));
        (old.len() == new.len()).then(|| owned.collect())
    });
    let types = types.map(|(old, new, count)| {
        let text = format!(
            "{new} instead of {old} in {}: another element type",
            format::counted(count, "instruction")
        );
        cause("retyped", text, None)
    });
    let sizes = sizes.filter(|(old, new, _)| !is_split(both, old, new));
    let sizes = sizes.filter(|(old, new, _)| is_given(both, old, new));
    let sizes = sizes.map(|(old, new, count)| {
        let text = format!(
            "a dimension changed from {old} to {new} in {}: likely another batch size, length or width",
            format::counted(count, "instruction")
        );
        cause("resized", text, None)
    });
    types.into_iter().chain(sizes).collect()
}

/// The change of shapes that most instructions share, before and after, with their number: in programs
/// with most of the time, and in a considerable part of their instructions.
fn most(
    both: &Both<'_, '_>,
    changes: impl Fn(&str, &str) -> Option<Vec<(String, String)>>,
) -> Option<(String, String, usize)> {
    let mut time_ps = 0.0;
    // For each change: instructions, and the time of the programs that it is one of.
    let mut found: BTreeMap<(String, String), (usize, f64)> = BTreeMap::new();
    for pair in both.pairing.compared() {
        let own_ps = program_ps(both, pair);
        time_ps += own_ps;
        let mut shaped = 0usize;
        let mut own: BTreeMap<(String, String), usize> = BTreeMap::new();
        for &(a, b) in &pair.pairs {
            let (left, right) = (&pair.nodes[0][a], &pair.nodes[1][b]);
            if right.is_bookkeeping || left.shape.is_empty() || right.shape.is_empty() {
                continue;
            }
            shaped += 1;
            for change in changes(&left.shape, &right.shape).unwrap_or_default() {
                *own.entry(change).or_default() += 1;
            }
        }
        for (change, count) in own {
            if count as f64 >= LEAST_OF_PROGRAM * shaped as f64 {
                let known = found.entry(change).or_default();
                *known = (known.0 + count, known.1 + own_ps);
            }
        }
    }
    let of_most = found
        .into_iter()
        .filter(|(_, (_, own_ps))| *own_ps >= LEAST_OF_TIME * time_ps);
    let most = of_most.max_by_key(|(_, (count, _))| *count);
    most.map(|((old, new), (count, _))| (old, new, count))
}

/// Time of a program per step, on the side where it takes longer.
fn program_ps(both: &Both<'_, '_>, pair: &ProgramPair) -> f64 {
    let of_side = |side: usize| {
        let items = pair.nodes[side].iter().filter_map(|node| node.item);
        let items = items.filter_map(|item| both.item(side, Some(item)));
        items.map(Item::mean_ps).sum::<f64>()
    };
    of_side(0).max(of_side(1))
}

/// Whether a dimension is one of what programs are called with or return, on its own side only: what lies
/// between, such as padding, is the program's affair.
fn is_given(both: &Both<'_, '_>, old: &str, new: &str) -> bool {
    let count = |side: usize, wanted: &str| -> usize {
        let pairs = both.pairing.compared();
        let programs = pairs.map(|pair| both.sides[side].session.program(pair.programs[side]));
        let given = programs.filter_map(|program| program.hlo.as_ref()?.signature());
        given
            .flat_map(|given| {
                let arguments = given.arguments.iter().map(|one| one.shape);
                arguments
                    .chain(given.results.iter().copied())
                    .collect::<Vec<&Shape>>()
            })
            .flat_map(|shape| &shape.dimensions)
            .filter(|size| size.to_string() == wanted)
            .count()
    };
    count(0, old) > count(1, old) && count(1, new) > count(0, new)
}

/// Whether the dimension is divided over more or fewer devices.
fn is_split(both: &Both<'_, '_>, old: &str, new: &str) -> bool {
    let devices = both.sides.map(|side| side.selected.devices.len());
    let sizes = old.parse::<usize>().ok().zip(new.parse::<usize>().ok());
    devices[0] != devices[1] && sizes.is_some_and(|(old, new)| old * devices[0] == new * devices[1])
}

fn dimensions(shape: &str) -> Vec<&str> {
    arrays(shape).flatten().collect()
}

/// `f32` of `f32[64,32]`; empty for tuples, whose parts may have several.
fn element_type(shape: &str) -> &str {
    shape
        .split('[')
        .next()
        .unwrap_or_default()
        .trim_start_matches('(')
}
