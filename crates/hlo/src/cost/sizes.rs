//! The sizes that the operations of a product are the product of.

use crate::program::{Instruction, Program};

/// Nesting of fusions that is followed.
const MAX_DEPTH: usize = 4;

impl Program {
    /// Batch, rows, contracted elements and columns of the one product that an instruction computes:
    /// its operations are two times their product. None if it computes several products or a
    /// convolution over a window.
    pub fn product_sizes(&self, instruction: &Instruction) -> Option<[u64; 4]> {
        let mut found = Vec::new();
        collect(self, instruction, MAX_DEPTH, &mut found);
        match found[..] {
            [one] => one,
            _ => None,
        }
    }
}

/// Appends the sizes of every product; none where they say nothing.
fn collect(
    program: &Program,
    instruction: &Instruction,
    depth: usize,
    found: &mut Vec<Option<[u64; 4]>>,
) {
    match instruction.opcode.as_str() {
        "dot" => found.push(dot(program, instruction)),
        "custom-call" if program.cost(instruction).flops > 0.0 => {
            found.push(dot(program, instruction));
        }
        "convolution" => found.push(plain_convolution(program, instruction)),
        "ragged-dot" | "scaled-dot" => found.push(None),
        "fusion" | "call" if depth > 0 => {
            for body in program.called_computations(instruction) {
                for inner in program.instructions_of(body) {
                    // Two are enough to know that there are several.
                    if found.len() > 1 {
                        return;
                    }
                    collect(program, inner, depth - 1, found);
                }
            }
        }
        _ => {}
    }
}

fn dot(program: &Program, instruction: &Instruction) -> Option<[u64; 4]> {
    let dimensions = instruction.attributes()?.dot.as_deref()?;
    let left = &program.operand(instruction, 0)?.shape;
    let sizes = |of: &[i64]| -> Option<u64> {
        let sizes = of.iter().map(|&dimension| left.dimension(dimension));
        sizes
            .collect::<Option<Vec<u64>>>()?
            .into_iter()
            .try_fold(1u64, u64::checked_mul)
    };
    let (batch, contracted) = (
        sizes(&dimensions.lhs_batch)?,
        sizes(&dimensions.lhs_contracting)?,
    );
    let rows = left.element_count() / batch.checked_mul(contracted)?.max(1);
    let result = instruction.shape.first_leaf().element_count();
    let columns = result / batch.checked_mul(rows)?.max(1);
    Some([batch, rows, contracted, columns])
}

/// TPUs compute dots as convolutions without a window: batch by input features by output features.
fn plain_convolution(program: &Program, instruction: &Instruction) -> Option<[u64; 4]> {
    let attributes = instruction.attributes()?;
    let dimensions = attributes.convolution.as_deref()?;
    let is_plain = dimensions.kernel_spatial.is_empty()
        && attributes.feature_group_count <= 1
        && attributes.batch_group_count <= 1;
    let input = &program.operand(instruction, 0)?.shape;
    let output = instruction.shape.first_leaf();
    let rows = input.dimension(dimensions.input_batch)?;
    let contracted = input.dimension(dimensions.input_feature)?;
    let columns = output.dimension(dimensions.output_feature)?;
    is_plain.then_some([1, rows, contracted, columns])
}
