//! Whether inferred steps of two sessions are the same unit.
//!
//! A step that nothing marks is a run of a program. It may be a whole iteration in one session and a part of
//! one in the other: a loop over many small problems, and one run that solves them all.

use stepscope_model::hlo::Shape;

use super::nodes::shape_text;
use super::side::Side;

/// Runs with this many times the operations, or as many times fewer, do another amount of work.
const OTHER_AMOUNT: f64 = 1.5;

/// How steps are not the same unit.
pub(super) struct OtherUnit {
    /// How many times the operations of the baseline's step the other's has.
    pub(super) ratio: f64,
    /// Shapes of an argument of both, if one is an array of many of the other.
    pub(super) stacked: Option<[String; 2]>,
}

impl OtherUnit {
    /// Both sides' steps were inferred, from runs of other programs or of one that is called with an array of
    /// many of what it is called with on the other side, and runs do another amount of work.
    pub(super) fn of(sides: [&Side<'_>; 2]) -> Option<Self> {
        let [before, after] = sides.map(Side::step_flops);
        let ratio = after? / before?;
        if ratio.max(ratio.recip()) < OTHER_AMOUNT {
            return None;
        }
        let [a, b] = sides.map(|side| &side.step_programs);
        let are_others = !a.is_empty() && !b.is_empty() && !a.iter().any(|one| b.contains(one));
        let stacked = stacked(sides).filter(|_| !are_others);
        (are_others || stacked.is_some()).then_some(Self { ratio, stacked })
    }
}

/// The first argument of the steps' programs that is an array of many of those of the other side, in the
/// baseline and in the other session, if all that differ are so: `jax.vmap` does with one run what a loop
/// does with many. A larger batch has as many axes as a smaller one.
fn stacked(sides: [&Side<'_>; 2]) -> Option<[String; 2]> {
    let arguments = sides.map(|side| {
        let program = side.session.program(side.step_program?);
        let signature = program.hlo.as_ref()?.signature()?;
        let shapes = signature.arguments.iter().map(|one| one.shape.clone());
        Some(shapes.collect::<Vec<Shape>>())
    });
    let [Some(before), Some(after)] = arguments else {
        return None;
    };
    let differs = |one: &Shape, other: &Shape| one.dimensions != other.dimensions;
    let pairs = || before.iter().zip(&after);
    let first = pairs().find(|(one, other)| differs(one, other))?;
    let all = |of: fn(&Shape, &Shape) -> bool| {
        pairs().all(|(one, other)| !differs(one, other) || of(one, other))
    };
    let are_stacked = all(is_stack) || all(|one, other| is_stack(other, one));
    let shapes = || [first.0, first.1].map(shape_text);
    (before.len() == after.len() && are_stacked).then(shapes)
}

/// Whether an array has one axis more than the other, and is like it otherwise.
fn is_stack(one: &Shape, many: &Shape) -> bool {
    let without = |axis: usize| {
        let (before, after) = many.dimensions.split_at(axis);
        one.dimensions.iter().eq(before.iter().chain(&after[1..]))
    };
    one.element_type == many.element_type && (0..many.dimensions.len()).any(without)
}
