//! Inputs and outputs of a program with their shardings.

use prost::Message;

use super::{OpSharding, Sharding};
use crate::outline::{Outline, field};
use crate::program::{Instruction, Program};
use crate::shape::Shape;

/// Deeper tuples than any program has are not looked into.
const MAX_DEPTH: usize = 16;

/// One array that goes into a program or comes out of it.
#[derive(Debug, Clone)]
pub struct ShardedValue<'a> {
    /// The parameter, or what the program returns.
    pub instruction: &'a Instruction,
    /// Whether it goes in.
    pub is_input: bool,
    /// Number of the parameter, or of the leaf of the result.
    pub number: i64,
    /// Number of the leaf within a parameter that is a tuple.
    pub leaf: Option<usize>,
    /// Shape on one device.
    pub shape: &'a Shape,
    /// How it is divided; none where the program does not say.
    pub sharding: Option<Sharding>,
}

/// What the program as a whole says: `spmd_output_sharding`, `spmd_parameters_shardings`.
#[derive(Clone, PartialEq, Message)]
struct ModuleShardings {
    #[prost(message, optional, tag = "12")]
    output: Option<OpSharding>,
    #[prost(message, repeated, tag = "14")]
    inputs: Vec<OpSharding>,
}

impl Program {
    /// Arrays that go in and come out of the program, from the outline of the bytes this program
    /// was decoded from: parameters in their order, then results. At most `limit` of them.
    pub fn sharded_values<'a>(
        &'a self,
        outline: &Outline<'_>,
        limit: usize,
    ) -> Vec<ShardedValue<'a>> {
        let stated = ModuleShardings::decode(outline.module).unwrap_or_default();
        let Some(entry) = self.entry() else {
            return Vec::new();
        };
        let mut values = Vec::new();
        for (number, instruction) in self.parameters_of(entry) {
            let named = usize::try_from(number)
                .ok()
                .and_then(|n| stated.inputs.get(n));
            let sharding = named.cloned().or_else(|| own(outline, instruction));
            let sharding = sharding.map(Sharding::of);
            for (leaf, shape) in leaves(&instruction.shape, limit - values.len()) {
                values.push(ShardedValue {
                    instruction,
                    is_input: true,
                    number,
                    leaf: instruction.shape.is_tuple().then_some(leaf),
                    shape,
                    sharding: sharding.as_ref().and_then(|whole| whole.leaf(leaf)),
                });
            }
        }
        let Some(root) = self.root(entry) else {
            return values;
        };
        let sharding = stated
            .output
            .or_else(|| own(outline, root))
            .map(Sharding::of);
        for (leaf, shape) in leaves(&root.shape, limit - values.len()) {
            let operand = self.operand(root, leaf);
            let operand = operand.filter(|operand| operand.shape == *shape);
            values.push(ShardedValue {
                instruction: operand.unwrap_or(root),
                is_input: false,
                number: i64::try_from(leaf).unwrap_or(i64::MAX),
                leaf: None,
                shape,
                sharding: sharding.as_ref().and_then(|whole| whole.leaf(leaf)),
            });
        }
        values
    }
}

/// What an instruction itself says.
fn own(outline: &Outline<'_>, instruction: &Instruction) -> Option<OpSharding> {
    let bytes = outline.instructions.get(instruction.index.index())?;
    OpSharding::decode(field(bytes, 40)?).ok()
}

/// The arrays of a shape, numbered from 0.
fn leaves(shape: &Shape, limit: usize) -> Vec<(usize, &Shape)> {
    fn walk<'a>(shape: &'a Shape, depth: usize, limit: usize, found: &mut Vec<&'a Shape>) {
        if !shape.is_tuple() {
            if found.len() < limit {
                found.push(shape);
            }
            return;
        }
        if depth > 0 {
            for inner in &shape.tuple_shapes {
                walk(inner, depth - 1, limit, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(shape, MAX_DEPTH, limit, &mut found);
    found.into_iter().enumerate().collect()
}
