//! Operations of custom calls that are no plain matrix products: from the estimate that a kernel's
//! author wrote down, or, of attention and products by known libraries, from the shapes.

use crate::attributes::{AttentionDimensions, Attributes, CostEstimate};
use crate::name_stack;
use crate::opcode::is_bookkeeping;
use crate::program::{Instruction, Program};
use crate::shape::Shape;

use super::amount::{Cost, CostBasis};

/// Attention's backward pass does five products where the forward pass does two.
const BACKWARD: f64 = 2.5;
/// Kernels that compute the gradient of the queries alone do three products instead of two, as they
/// repeat the first one; those of keys and values do four.
const BACKWARD_OF_QUERIES: f64 = 1.5;
const BACKWARD_OF_KEYS: f64 = 2.0;

/// What is known of a call; operations of others are unknown.
pub(super) fn custom_call(program: &Program, instruction: &Instruction) -> Cost {
    let attributes = instruction.attributes();
    if let Some(estimate) = attributes.and_then(|attributes| attributes.cost_estimate.as_deref()) {
        return estimated(*estimate);
    }
    if is_bookkeeping(&instruction.custom_call_target) {
        return Cost::default();
    }
    let flops = attention(program, instruction, attributes).or_else(|| gemm(program, instruction));
    match flops {
        Some(flops) if flops > 0.0 => Cost {
            basis: CostBasis::Shapes,
            ..Cost::of_flops(flops)
        },
        _ => Cost {
            basis: CostBasis::Unknown,
            ..Cost::default()
        },
    }
}

fn estimated(estimate: CostEstimate) -> Cost {
    Cost {
        transcendentals: estimate.transcendentals as f64,
        basis: CostBasis::Estimate,
        ..Cost::of_flops(estimate.flops as f64)
    }
}

/// Two products: queries by keys, and their weights by values.
fn attention(
    program: &Program,
    instruction: &Instruction,
    attributes: Option<&Attributes>,
) -> Option<f64> {
    let target = instruction.custom_call_target.to_ascii_lowercase();
    let stated = attributes.and_then(|attributes| attributes.attention.as_deref());
    if let Some(stated) = stated {
        return Some(stated_attention(program, instruction, *stated) * pass_factor(instruction));
    }
    let name = format!("{target} {}", instruction.op_name.to_ascii_lowercase());
    // How much of the cache such kernels read depends on lengths that are known at run time only.
    let has_lengths_at_run_time = ["paged", "ragged", "decode"]
        .iter()
        .any(|mark| name.contains(mark));
    if has_lengths_at_run_time || !crate::class::names_attention(&name) {
        return None;
    }
    let [queries, keys, values] = attention_operands(program, instruction)?;
    let rank = queries.dimensions.len();
    // Kernels for TPU have heads before positions, those for GPU behind them.
    let positions = if rank == 3 || target != "tpu_custom_call" {
        1
    } else {
        2
    };
    let key_count = keys.dimension(positions)? as f64;
    let last = |shape: &Shape| shape.dimensions.last().map_or(0.0, |&size| size as f64);
    let query_count = queries.element_count() as f64 / last(queries).max(1.0);
    let forward = 2.0 * query_count * key_count * (last(queries) + last(values));
    Some(forward * pass_factor(instruction))
}

/// From a configuration that says batch, heads and lengths. What a causal mask hides is skipped.
fn stated_attention(
    program: &Program,
    instruction: &Instruction,
    stated: AttentionDimensions,
) -> f64 {
    let depth_of = |index| {
        let operand = program.operand(instruction, index)?;
        operand.shape.dimensions.last().copied()
    };
    let depths = if stated.depths > 0 {
        stated.depths as f64
    } else {
        (depth_of(0).unwrap_or(0) + depth_of(2).or(depth_of(0)).unwrap_or(0)) as f64
    };
    let pairs =
        stated.batch as f64 * stated.heads as f64 * stated.queries as f64 * stated.keys as f64;
    let visible = if stated.is_causal { 0.5 } else { 1.0 };
    2.0 * pairs * depths * visible
}

/// The first three operands that can be queries, keys and values: `[…, heads and positions, depth]`.
fn attention_operands<'a>(
    program: &'a Program,
    instruction: &Instruction,
) -> Option<[&'a Shape; 3]> {
    let shapes = program.operands(instruction).map(|operand| &operand.shape);
    let mut shapes = shapes.filter(|shape| {
        matches!(shape.dimensions.len(), 3 | 4) && shape.element_type.is_floating_point()
    });
    let found = [shapes.next()?, shapes.next()?, shapes.next()?];
    let [queries, keys, values] = found;
    let rank = queries.dimensions.len();
    let is_one_rank = keys.dimensions.len() == rank && values.dimensions.len() == rank;
    let agrees = is_one_rank && queries.dimensions.last() == keys.dimensions.last();
    agrees.then_some(found)
}

/// How much more than the forward pass a kernel does.
fn pass_factor(instruction: &Instruction) -> f64 {
    let target = instruction.custom_call_target.to_ascii_lowercase();
    let scope = instruction.op_name.to_ascii_lowercase();
    let says = |mark| target.contains(mark) || scope.contains(mark);
    if says("dkv") {
        BACKWARD_OF_KEYS
    } else if says("_dq") {
        BACKWARD_OF_QUERIES
    } else if says("backward")
        || says("_bwd")
        || name_stack::pass(&instruction.op_name) == name_stack::Pass::Backward
    {
        BACKWARD
    } else {
        1.0
    }
}

/// Transformer Engine's products, whichever operand is transposed: of `m × k` by `k × n` to `m × n`,
/// k² is the product of the operands' elements by those of the result.
fn gemm(program: &Program, instruction: &Instruction) -> Option<f64> {
    if !matches!(
        instruction.custom_call_target.as_str(),
        "te_gemm" | "te_gemm_ffi" | "te_gemm_v2_ffi"
    ) {
        return None;
    }
    // Each factor is followed by its scale.
    let elements = |index| {
        let operand = program.operand(instruction, index)?;
        Some(operand.shape.element_count() as f64)
    };
    let (left, right) = (elements(0)?, elements(2)?);
    let result = instruction.shape.first_leaf().element_count() as f64;
    (result > 0.0).then(|| 2.0 * result * (left * right / result).sqrt())
}
