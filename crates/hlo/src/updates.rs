//! Which of its arguments a program updates: it returns an array that is the argument, changed element
//! by element or in part, as an optimizer returns parameters and a decoder its cache.
//!
//! ```text
//! train(p, m, x) → p − rate · m, m · 0.9 + gradient(p, x), loss       updates p and m, reads x
//! evaluate(p, x) → loss                                               reads p and x
//! gradients(p, x) → dot(x, …)                                         reads both, though the result is shaped like p
//! ```

use std::collections::BTreeMap;

use crate::flow::{Facts, follow};
use crate::opcode::{is_collective, is_elementwise, is_matmul_target, without_async_suffix};
use crate::program::{Instruction, Program};
use crate::shape::Shape;

/// Arguments that one value is followed from. An optimizer combines a parameter with two or three
/// moments and a sum of gradients.
const MOST_ORIGINS: usize = 6;

/// Not the number of an argument.
const NONE: u32 = u32::MAX;

/// What a program is called with and what it returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature<'a> {
    /// The arrays that it is called with, in order.
    pub arguments: Vec<Argument<'a>>,
    /// The shapes of the arrays that it returns, in order.
    pub results: Vec<&'a Shape>,
}

/// One array that a program is called with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument<'a> {
    /// Its shape, that of one device's part.
    pub shape: &'a Shape,
    /// Whether the program may return it changed: where one result is made of several arguments, element
    /// by element, any of them may be the one that it replaces.
    pub is_updated: bool,
}

impl Program {
    /// What the program is called with and returns; `None` where values cannot be followed.
    pub fn signature(&self) -> Option<Signature<'_>> {
        let entry = self.entry()?;
        let mut origins = Origins::default();
        let parameters = self.instructions_of(entry).iter();
        for parameter in parameters.filter(|one| one.opcode == "parameter") {
            let first = origins.shapes.len();
            origins.first.insert(parameter.index.index(), first);
            origins.shapes.extend(parameter.shape.arrays());
        }
        let flow = follow(self, &mut origins)?;
        let root = self.root(entry)?;
        let shapes = origins.shapes.into_iter();
        let unchanged = shapes.map(|shape| Argument {
            shape,
            is_updated: false,
        });
        let mut arguments: Vec<Argument<'_>> = unchanged.collect();
        let results = root.shape.arrays();
        for (result, from) in results.iter().zip(flow.of(root)) {
            for &origin in from.known() {
                let Some(argument) = arguments.get_mut(origin as usize) else {
                    continue;
                };
                argument.is_updated |= argument.shape.is_alike(result);
            }
        }
        Some(Signature { arguments, results })
    }
}

/// The arguments that an array is made of, element by element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Origin([u32; MOST_ORIGINS]);

impl Default for Origin {
    fn default() -> Self {
        Self([NONE; MOST_ORIGINS])
    }
}

impl Origin {
    fn known(&self) -> impl Iterator<Item = &u32> {
        self.0.iter().filter(|&&origin| origin != NONE)
    }

    /// Both together, the first arguments where there are too many.
    fn and(self, other: Self) -> Self {
        if self == other || other == Self::default() {
            return self;
        }
        let mut all: Vec<u32> = self.known().chain(other.known()).copied().collect();
        all.sort_unstable();
        all.dedup();
        let mut both = Self::default();
        for (slot, origin) in both.0.iter_mut().zip(all) {
            *slot = origin;
        }
        both
    }
}

/// The arrays of the entry's parameters.
#[derive(Default)]
struct Origins<'a> {
    shapes: Vec<&'a Shape>,
    /// By the position of a parameter in the program: that of its first array.
    first: BTreeMap<usize, usize>,
}

impl Facts for Origins<'_> {
    type Fact = Origin;

    fn join(&mut self, left: Origin, right: Origin) -> Origin {
        left.and(right)
    }

    fn input(&mut self, parameter: &Instruction, leaf: usize) -> Origin {
        let mut from = Origin::default();
        let Some(first) = self.first.get(&parameter.index.index()) else {
            return from;
        };
        let position = first + leaf;
        let shape = self.shapes.get(position);
        // A number, such as a rate, is part of everything that it scales.
        if shape.is_some_and(|shape| !shape.dimensions.is_empty()) {
            from.0[0] = u32::try_from(position).unwrap_or(NONE);
        }
        from
    }

    fn result(
        &mut self,
        _program: &Program,
        instruction: &Instruction,
        operands: &[&[Origin]],
    ) -> Origin {
        let all = |operands: &[&[Origin]]| {
            let facts = operands.iter().copied().flatten();
            facts.fold(Origin::default(), |sum, &fact| sum.and(fact))
        };
        let opcode = instruction.opcode.as_str();
        match without_async_suffix(opcode) {
            "copy" | "bitcast" | "reshape" | "transpose" | "reverse" | "broadcast" | "slice"
            | "concatenate" => all(operands),
            // What is changed in part; the other operands say where, or with what.
            "dynamic-slice" | "dynamic-update-slice" | "scatter" | "pad" => {
                all(operands.get(..1).unwrap_or_default())
            }
            // A library adds its product to a third operand.
            "custom-call" if is_matmul_target(&instruction.custom_call_target) => {
                all(operands.get(2..).unwrap_or_default())
            }
            own if is_elementwise(own) || is_collective(own) => all(operands),
            _ => Origin::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::program::Program;
    use crate::testing::{Draft, f32, program, tuple};

    const WEIGHTS: [i64; 2] = [64, 32];

    fn updated(program: &Program) -> Vec<bool> {
        let arguments = program.signature().expect("it can be followed").arguments;
        arguments.iter().map(|one| one.is_updated).collect()
    }

    fn entry() -> (Draft, i64, i64, i64) {
        let mut entry = Draft::new(9, "entry");
        let weights = entry.parameter(f32(&WEIGHTS));
        let input = entry.parameter(f32(&[8, 64]));
        let gradient = entry.add("dot", f32(&WEIGHTS), &[input, weights]);
        (entry, weights, input, gradient)
    }

    #[test]
    fn a_gradient_is_shaped_like_its_parameter_and_updates_nothing() {
        let (entry, ..) = entry();
        assert_eq!(updated(&program(vec![entry])), [false, false]);
    }

    #[test]
    fn an_optimizer_updates_parameter_and_moment_inside_a_fusion() {
        let mut fused = Draft::fused(1, "fused");
        let (weights, moment) = (
            fused.parameter(f32(&WEIGHTS)),
            fused.parameter(f32(&WEIGHTS)),
        );
        let gradient = fused.parameter(f32(&WEIGHTS));
        let sum = fused.add("add", f32(&WEIGHTS), &[moment, gradient]);
        let next = fused.add("subtract", f32(&WEIGHTS), &[weights, sum]);
        fused.add(
            "tuple",
            tuple(&[f32(&WEIGHTS), f32(&WEIGHTS)]),
            &[next, sum],
        );
        let (mut entry, weights, _, gradient) = entry();
        let moment = entry.parameter(f32(&WEIGHTS));
        let both = tuple(&[f32(&WEIGHTS), f32(&WEIGHTS)]);
        entry.add_with("fusion", both, &[weights, moment, gradient], |own| {
            own.called_computation_ids = vec![1];
        });
        assert_eq!(updated(&program(vec![fused, entry])), [true, false, true]);
    }

    #[test]
    fn a_library_adds_its_product_to_the_parameter() {
        let (mut entry, weights, input, gradient) = entry();
        entry.add_with(
            "custom-call",
            f32(&WEIGHTS),
            &[input, gradient, weights],
            |own| own.custom_call_target = b"__cublas$gemm".to_vec(),
        );
        assert_eq!(updated(&program(vec![entry])), [true, false]);
    }

    #[test]
    fn a_cache_is_updated_in_part_within_a_loop() {
        let cache = f32(&[4, 128]);
        let mut body = Draft::new(2, "body");
        let state = body.parameter(tuple(&[cache.clone(), f32(&[1, 128])]));
        let part =
            |index: i64| move |own: &mut crate::wire::HloInstruction| own.tuple_index = index;
        let own = body.add_with("get-tuple-element", cache.clone(), &[state], part(0));
        let row = body.add_with("get-tuple-element", f32(&[1, 128]), &[state], part(1));
        let next = body.add("dynamic-update-slice", cache.clone(), &[own, row]);
        body.add(
            "tuple",
            tuple(&[cache.clone(), f32(&[1, 128])]),
            &[next, row],
        );
        let mut condition = Draft::new(3, "condition");
        condition.parameter(tuple(&[cache.clone(), f32(&[1, 128])]));
        condition.add("constant", f32(&[]), &[]);
        let mut entry = Draft::new(4, "entry");
        let own = entry.parameter(cache.clone());
        let row = entry.parameter(f32(&[1, 128]));
        let both = tuple(&[cache.clone(), f32(&[1, 128])]);
        let start = entry.add("tuple", both.clone(), &[own, row]);
        let end = entry.add_with("while", both, &[start], |own| {
            own.called_computation_ids = vec![2, 3];
        });
        entry.add_with("get-tuple-element", cache, &[end], part(0));
        assert_eq!(
            updated(&program(vec![body, condition, entry])),
            [true, false]
        );
    }

    #[test]
    fn a_rate_scales_and_is_not_updated() {
        let mut entry = Draft::new(1, "entry");
        let rate = entry.parameter(f32(&[]));
        let weights = entry.parameter(f32(&WEIGHTS));
        let wide = entry.add("broadcast", f32(&WEIGHTS), &[rate]);
        entry.add("multiply", f32(&WEIGHTS), &[weights, wide]);
        assert_eq!(updated(&program(vec![entry])), [false, true]);
    }
}
