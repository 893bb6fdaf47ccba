//! Grouped products (`jax.lax.ragged_dot`, the experts of a mixture) that XLA computes densely.
//!
//! Every row belongs to one of the groups. Where no backend multiplies groups, as on GPUs by default and
//! on CPUs, XLA multiplies every row with every group, with zeros for the rows of the others:
//!
//! ```text
//! rows × features, groups × features × columns → rows × columns      dot over groups · features
//! rows × features, rows × columns → groups × features × columns      dot, groups as batch
//! ```
//!
//! Of so many groups, one is needed.

use crate::opcode::is_matmul_target;
use crate::program::{Instruction, Program};
use crate::shape::Shape;

/// Bitcasts and reshapes that are followed.
const MAX_DEPTH: usize = 8;

impl Program {
    /// With how many groups a product computes each row, of which the row belongs to one. `None` for
    /// every other product, and where the shapes do not tell.
    pub fn dense_groups(&self, instruction: &Instruction) -> Option<u64> {
        let is_ragged = instruction
            .op_name
            .rsplit('/')
            .next()
            .is_some_and(|primitive| primitive.starts_with("ragged_dot"));
        let is_dense = match instruction.opcode.as_str() {
            "dot" => true,
            "custom-call" => is_matmul_target(&instruction.custom_call_target),
            _ => false,
        };
        if !is_ragged || !is_dense {
            return None;
        }
        let dimensions = instruction.attributes()?.dot.as_deref()?;
        let factors = [&dimensions.lhs_contracting, &dimensions.rhs_contracting];
        let contracted = factors.into_iter().enumerate().find_map(|(index, of)| {
            let [dimension] = of[..] else {
                return None;
            };
            let factor = self.operand(instruction, index)?;
            self.divided(factor, usize::try_from(dimension).ok()?)
        });
        let batch = || match dimensions.lhs_batch[..] {
            [dimension] => self.operand(instruction, 0)?.shape.dimension(dimension),
            _ => None,
        };
        contracted.or_else(batch).filter(|&groups| groups > 1)
    }

    /// The first of the two dimensions that a dimension of a factor was made of.
    fn divided(&self, factor: &Instruction, dimension: usize) -> Option<u64> {
        let mut before = factor;
        for _ in 0..MAX_DEPTH {
            if !matches!(before.opcode.as_str(), "bitcast" | "reshape" | "copy") {
                return None;
            }
            before = self.operand(before, 0)?;
            if let Some(groups) = first_part(&before.shape, &factor.shape, dimension) {
                return Some(groups);
            }
        }
        None
    }
}

/// The size of a dimension, if one shape is the other with that dimension and the next as one.
fn first_part(divided: &Shape, joined: &Shape, dimension: usize) -> Option<u64> {
    let (divided, joined) = (&divided.dimensions, &joined.dimensions);
    let (&first, &second) = (divided.get(dimension)?, divided.get(dimension + 1)?);
    let is_same = divided.len() == joined.len() + 1
        && divided[..dimension] == joined[..dimension]
        && first.checked_mul(second) == Some(joined[dimension])
        && divided[dimension + 2..] == joined[dimension + 1..];
    is_same.then(|| u64::try_from(first).ok()).flatten()
}
