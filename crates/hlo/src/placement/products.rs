//! Cuts through products, and through gathers.

use super::cut::Cut;
use super::operand::Operand;
use crate::attributes::{ConvolutionDimensions, DotDimensions, GatherDimensions};

fn at(cuts: &[Cut], dimension: i64) -> Option<Cut> {
    cuts.get(usize::try_from(dimension).ok()?).copied()
}

/// Batch dimensions, then the free ones of the left and of the right operand.
pub(super) fn dot(
    own: &DotDimensions,
    left: &Operand<'_>,
    right: &Operand<'_>,
) -> Option<Vec<Cut>> {
    let mut found = Vec::new();
    for (&of_left, &of_right) in own.lhs_batch.iter().zip(&own.rhs_batch) {
        found.push(at(&left.cuts, of_left)?.meet(at(&right.cuts, of_right)?));
    }
    let free = |operand: &Operand<'_>, batch: &[i64], contracting: &[i64]| {
        let dimensions = operand.cuts.iter().zip(0i64..);
        let free = dimensions.filter(|(_, own)| !batch.contains(own) && !contracting.contains(own));
        free.map(|(&cut, _)| cut).collect::<Vec<Cut>>()
    };
    found.extend(free(left, &own.lhs_batch, &own.lhs_contracting));
    found.extend(free(right, &own.rhs_batch, &own.rhs_contracting));
    Some(found)
}

/// Batch of the input and output features of the kernel; a spatial dimension is known only where it
/// is whole.
pub(super) fn convolution(
    own: &ConvolutionDimensions,
    is_grouped: bool,
    input: &Operand<'_>,
    kernel: &Operand<'_>,
    rank: usize,
) -> Option<Vec<Cut>> {
    let mut found = vec![Cut::Unknown; rank];
    let mut set = |dimension: i64, cut: Option<Cut>| {
        let index = usize::try_from(dimension).ok()?;
        *found.get_mut(index)? = cut?;
        Some(())
    };
    if !is_grouped {
        set(own.output_batch, at(&input.cuts, own.input_batch))?;
        set(
            own.output_feature,
            at(&kernel.cuts, own.kernel_output_feature),
        )?;
    }
    let spatial = own
        .output_spatial
        .iter()
        .zip(&own.input_spatial)
        .zip(&own.kernel_spatial);
    for ((&output, &input_dimension), &kernel_dimension) in spatial {
        let both = [
            at(&input.cuts, input_dimension)?,
            at(&kernel.cuts, kernel_dimension)?,
        ];
        if both.iter().all(|cut| cut.is_whole()) {
            set(output, Some(Cut::WHOLE))?;
        }
    }
    Some(found)
}

/// Dimensions of the indices, and those of the operand that lie within a slice.
pub(super) fn gather(
    own: &GatherDimensions,
    operand: &Operand<'_>,
    indices: &Operand<'_>,
    rank: usize,
) -> Option<Vec<Cut>> {
    let within = operand
        .shape
        .dimensions
        .iter()
        .zip(&operand.cuts)
        .zip(0i64..);
    let within = within.filter(|(_, dimension)| !own.collapsed.contains(dimension));
    let mut within = within.map(|((&size, &cut), dimension)| {
        let slice = usize::try_from(dimension)
            .ok()
            .and_then(|at| own.slice_sizes.get(at));
        match slice {
            Some(&slice) if slice == size => cut,
            _ if cut.is_whole() => Cut::WHOLE,
            _ => Cut::Unknown,
        }
    });
    let of_indices = indices.cuts.iter().zip(0i64..);
    let mut of_indices = of_indices
        .filter(|(_, dimension)| *dimension != own.index_vector)
        .map(|(&cut, _)| cut);
    let dimensions = (0i64..).take(rank).map(|dimension| {
        if own.offset.contains(&dimension) {
            within.next()
        } else {
            of_indices.next()
        }
    });
    dimensions.collect()
}
