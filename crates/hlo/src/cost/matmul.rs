//! Operations of matrix products and convolutions, also as library calls.

use crate::attributes::{ConvolutionDimensions, WindowDimension};
use crate::opcode::{is_convolution_target, is_matmul_target};
use crate::program::{Instruction, Program};
use crate::shape::Shape;

use super::amount::Cost;
use super::library;

/// Positions along the shorter of kernel and output that are looked at one by one. Beyond that,
/// padding and holes of a window are taken to be rare.
const MAX_EXACT_POSITIONS: u64 = 1 << 14;

/// Two operations per result element and contracted element.
pub(super) fn dot(program: &Program, instruction: &Instruction) -> Cost {
    Cost::of_flops(dot_flops(program, instruction))
}

pub(super) fn convolution(program: &Program, instruction: &Instruction) -> Cost {
    let (Some(input), Some(kernel)) = (
        program.operand(instruction, 0),
        program.operand(instruction, 1),
    ) else {
        return Cost::default();
    };
    let shapes = [&input.shape, &kernel.shape, instruction.shape.first_leaf()];
    Cost::of_flops(convolution_flops(instruction, shapes))
}

/// Calls into cuBLAS, cuDNN (and their AMD counterparts under the same names) and oneDNN; for other
/// calls see [`library`].
pub(super) fn custom_call(program: &Program, instruction: &Instruction) -> Cost {
    let target = instruction.custom_call_target.as_str();
    if is_matmul_target(target) {
        Cost::of_flops(dot_flops(program, instruction))
    } else if is_convolution_target(target) {
        Cost::of_flops(convolution_call_flops(program, instruction))
    } else {
        library::custom_call(program, instruction)
    }
}

fn dot_flops(program: &Program, instruction: &Instruction) -> f64 {
    let Some(lhs) = program
        .operand(instruction, 0)
        .map(|operand| &operand.shape)
    else {
        return 0.0;
    };
    let result = instruction.shape.first_leaf();
    let dimensions = instruction
        .attributes()
        .and_then(|attributes| attributes.dot.as_ref());
    if let Some(dimensions) = dimensions {
        let contracted: f64 = dimensions
            .lhs_contracting
            .iter()
            .map(|&dimension| lhs.dimension(dimension).unwrap_or(1) as f64)
            .product();
        return 2.0 * result.element_count() as f64 * contracted;
    }
    // Library calls that do not say what they contract: [batch, m, k] by [batch, k, n] to
    // [batch, m, n], where either operand may be transposed.
    let columns = result.dimensions.last().map_or(1, |&size| size.max(0));
    2.0 * lhs.element_count() as f64 * columns as f64
}

/// Shapes of the forward convolution (input, kernel, output), whichever of them is computed.
fn convolution_call_flops(program: &Program, instruction: &Instruction) -> f64 {
    let (Some(first), Some(second)) = (
        program.operand(instruction, 0),
        program.operand(instruction, 1),
    ) else {
        return 0.0;
    };
    let (first, second, result) = (&first.shape, &second.shape, instruction.shape.first_leaf());
    let target = instruction.custom_call_target.as_str();
    let shapes = if target.starts_with("__cudnn$convBackwardInput") {
        [result, second, first]
    } else if target.starts_with("__cudnn$convBackwardFilter") {
        [first, result, second]
    } else {
        [first, second, result]
    };
    convolution_flops(instruction, shapes)
}

/// Two operations per pair of an output element and a kernel element that meet a real input
/// element, neither padding nor a hole of base dilation.
fn convolution_flops(instruction: &Instruction, [input, kernel, output]: [&Shape; 3]) -> f64 {
    let Some(attributes) = instruction.attributes() else {
        return 0.0;
    };
    let Some(dimensions) = attributes.convolution.as_ref() else {
        return 0.0;
    };
    let size = |shape: &Shape, dimension| shape.dimension(dimension).unwrap_or(1) as f64;
    let input_features = size(input, dimensions.input_feature);
    let output_features = size(output, dimensions.output_feature);
    let batch = size(input, dimensions.input_batch);
    let feature_groups = attributes.feature_group_count.max(1) as f64;
    let batch_groups = attributes.batch_group_count.max(1) as f64;
    2.0 * (input_features / feature_groups).floor()
        * output_features
        * (batch / batch_groups).floor()
        * valid_window_positions(&attributes.window, dimensions, [input, kernel, output])
}

fn valid_window_positions(
    window: &[WindowDimension],
    dimensions: &ConvolutionDimensions,
    [input, kernel, output]: [&Shape; 3],
) -> f64 {
    let spatial = window.iter().enumerate();
    spatial
        .map(|(index, window)| {
            let size = |shape: &Shape, dimensions: &[i64]| {
                let dimension = dimensions.get(index).copied().unwrap_or(-1);
                shape.dimension(dimension).unwrap_or(1)
            };
            valid_positions(
                window,
                size(input, &dimensions.input_spatial),
                size(kernel, &dimensions.kernel_spatial),
                size(output, &dimensions.output_spatial),
            )
        })
        .product()
}

/// Pairs of output position and kernel tap of one dimension that meet an input element:
///
/// ```text
/// position = output * stride + tap * window_dilation - padding_low
/// position / base_dilation must be whole and within the input
/// ```
fn valid_positions(window: &WindowDimension, input: u64, kernel: u64, output: u64) -> f64 {
    // Output and kernel play the same part, so the shorter one is walked.
    let taps = (kernel, window.window_dilation);
    let steps = (output, window.stride);
    let (walked, solved) = if kernel <= output {
        (taps, steps)
    } else {
        (steps, taps)
    };
    if walked.0 > MAX_EXACT_POSITIONS {
        return kernel as f64 * output as f64;
    }
    (0..walked.0)
        .map(|index| {
            let offset = i128::from(index) * i128::from(walked.1) - i128::from(window.padding_low);
            let count = positions_on_input(solved, offset, i128::from(window.base_dilation), input);
            count as f64
        })
        .sum()
}

/// How many `j` in `0..count` have `j * step + offset` on one of the `input` elements, which lie
/// `dilation` apart.
fn positions_on_input((count, step): (u64, i64), offset: i128, dilation: i128, input: u64) -> i128 {
    let step = i128::from(step.max(1));
    let end = (i128::from(input) - 1) * dilation;
    let first = (-offset).div_euclid(step) + i128::from((-offset).rem_euclid(step) != 0);
    let first = first.max(0);
    let last = (end - offset).div_euclid(step).min(i128::from(count) - 1);
    if last < first {
        return 0;
    }
    if dilation <= 1 {
        return last - first + 1;
    }
    // Solve j * step + offset = 0 (mod dilation).
    let (divisor, inverse) = extended_gcd(step, dilation);
    if offset.rem_euclid(divisor) != 0 {
        return 0;
    }
    let period = dilation / divisor;
    let target = (-offset / divisor).rem_euclid(period);
    let solution = (target * inverse.rem_euclid(period)).rem_euclid(period);
    let first = first + (solution - first).rem_euclid(period);
    if first > last {
        0
    } else {
        (last - first) / period + 1
    }
}

/// Greatest common divisor of two positive numbers, and `x` with `a * x = gcd (mod b)`.
fn extended_gcd(a: i128, b: i128) -> (i128, i128) {
    let (mut remainder, mut next_remainder) = (a, b);
    let (mut x, mut next_x) = (1, 0);
    while next_remainder != 0 {
        let quotient = remainder / next_remainder;
        (remainder, next_remainder) = (next_remainder, remainder - quotient * next_remainder);
        (x, next_x) = (next_x, x - quotient * next_x);
    }
    (remainder, x)
}
