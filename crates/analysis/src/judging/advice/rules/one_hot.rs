//! One-hot matrices: 1 where an index is that of the column, 0 elsewhere.
//!
//! ```text
//! convert(compare(EQ, broadcast(indices), iota))
//! ```

use stepscope_model::hlo::Program;

use crate::judging::advice::values::{Value, rearranges, repeats};

/// Of how many classes each row of a one-hot matrix has one; none of other values. Whatever is said of it
/// holds for a value that repeats or rearranges it, if `passes` accepts that.
pub(super) fn classes<'a>(
    program: &'a Program,
    value: Value<'a>,
    passes: fn(&str) -> bool,
) -> Option<u64> {
    let mut made = value.origin(program, passes);
    if made.at.opcode == "select" {
        made = made.operand(program, 0)?.origin(program, passes);
    }
    let direction = &made.at.attributes()?.comparison_direction;
    if made.at.opcode != "compare" || direction != "EQ" {
        return None;
    }
    let sides = [0, 1].map(|side| {
        let side = made.operand(program, side)?;
        let origin = side.origin(program, repeats);
        (origin.at.opcode == "iota").then_some(origin)
    });
    // Two of them make an identity matrix.
    let ([Some(numbers), None] | [None, Some(numbers)]) = sides else {
        return None;
    };
    let along = numbers.at.attributes()?.dimensions.first().copied();
    numbers.at.shape.dimension(along.unwrap_or(0))
}

/// Of a factor of a product.
pub(super) fn classes_of_factor<'a>(program: &'a Program, product: &Value<'a>) -> Option<u64> {
    let mut factors = [0, 1]
        .into_iter()
        .filter_map(|number| product.operand(program, number));
    factors.find_map(|factor| classes(program, factor, rearranges))
}
