//! Products and convolutions, also as library calls.

use crate::cost::Cost;
use crate::primitive_type::PrimitiveType;
use crate::testing::{array, f32, one_dimensional_convolution, tuple, window};
use crate::wire;

use super::{applied_with, expect};

#[test]
fn dot_counts_two_per_multiply_add() {
    let dot = |element_type| {
        applied_with(
            "dot",
            &[
                array(element_type, &[3, 8, 5]),
                array(element_type, &[3, 5, 7]),
            ],
            f32(&[3, 8, 7]),
            vec![],
            |instruction| {
                instruction.dot_dimension_numbers = Some(Box::new(wire::DotDimensionNumbers {
                    lhs_contracting: vec![2],
                    rhs_contracting: vec![1],
                    lhs_batch: vec![0],
                    rhs_batch: vec![0],
                }));
            },
        )
    };
    // 3 batches of 8 x 5 by 5 x 7.
    let cost = dot(PrimitiveType::F32);
    expect(
        cost,
        2.0 * 3.0 * 8.0 * 7.0 * 5.0,
        4.0 * (120.0 + 105.0 + 168.0),
    );
    // Narrow types take less time, and are not fewer operations.
    assert_eq!(dot(PrimitiveType::F8E4M3Fn).flops, 1680.0);
    assert_eq!(dot(PrimitiveType::S4).flops, 1680.0);
}

fn convolution(
    input: &[i64],
    kernel: &[i64],
    output: &[i64],
    window: &wire::WindowDimension,
    feature_group_count: i64,
) -> f64 {
    let shapes = [f32(input), f32(kernel)];
    applied_with("convolution", &shapes, f32(output), vec![], |instruction| {
        instruction.window = Some(wire::Window {
            dimensions: vec![window.clone()],
        });
        instruction.convolution_dimension_numbers = Some(Box::new(one_dimensional_convolution()));
        instruction.feature_group_count = feature_group_count;
        instruction.batch_group_count = 1;
    })
    .flops
}

#[test]
fn convolution_counts_only_taps_on_real_elements() {
    // No padding: 8 outputs x 3 taps, 2 batches, 3 input and 4 output features.
    let flops = convolution(&[2, 10, 3], &[3, 3, 4], &[2, 8, 4], &window(3), 1);
    assert_eq!(flops, 2.0 * 2.0 * 3.0 * 4.0 * 24.0);
    // One element of padding on each side: of 10 x 3 pairs the first and the last miss.
    let padded = wire::WindowDimension {
        padding_low: 1,
        padding_high: 1,
        ..window(3)
    };
    let flops = convolution(&[2, 10, 3], &[3, 3, 4], &[2, 10, 4], &padded, 1);
    assert_eq!(flops, 2.0 * 2.0 * 3.0 * 4.0 * 28.0);
    // Input x.x.x.x.x with padding: even outputs meet one element, odd ones two.
    let dilated = wire::WindowDimension {
        base_dilation: 2,
        ..padded.clone()
    };
    let flops = convolution(&[2, 5, 3], &[3, 3, 4], &[2, 9, 4], &dilated, 1);
    assert_eq!(flops, 2.0 * 2.0 * 3.0 * 4.0 * (5.0 + 2.0 * 4.0));
    // Taps at 0, 2, 4 and outputs at 0, 2, 4, 6 of 10 elements and one of padding after them: only
    // 6 + 4 misses.
    let strided = wire::WindowDimension {
        stride: 2,
        window_dilation: 2,
        padding_high: 1,
        ..window(3)
    };
    let flops = convolution(&[2, 10, 6], &[3, 3, 4], &[2, 4, 4], &strided, 2);
    assert_eq!(flops, 2.0 * 2.0 * 3.0 * 4.0 * 11.0);
    // More taps than outputs, as in the gradient of a kernel: 3 x 8 pairs.
    let flops = convolution(&[2, 10, 3], &[8, 3, 4], &[2, 3, 4], &window(8), 1);
    assert_eq!(flops, 2.0 * 2.0 * 3.0 * 4.0 * 24.0);
}

/// Tries every output and tap, as the definition has it.
fn valid_positions_by_trial(window: &wire::WindowDimension, input: i64, output: i64) -> usize {
    let pairs = (0..output).flat_map(|o| (0..window.size).map(move |tap| (o, tap)));
    pairs
        .filter(|(o, tap)| {
            let position = o * window.stride + tap * window.window_dilation - window.padding_low;
            position >= 0
                && position % window.base_dilation == 0
                && position / window.base_dilation < input
        })
        .count()
}

#[test]
fn convolution_agrees_with_trying_every_pair() {
    for case in 0..3i64.pow(6) {
        let digit = |place: u32| case / 3i64.pow(place) % 3;
        let window = wire::WindowDimension {
            size: 1 + 3 * digit(0),
            stride: 1 + digit(1),
            window_dilation: 1 + digit(2),
            base_dilation: [1, 2, 6][usize::try_from(digit(3)).expect("a digit")],
            padding_low: 3 * digit(4) - 1,
            ..wire::WindowDimension::default()
        };
        let output = 1 + 5 * digit(5);
        let trial = valid_positions_by_trial(&window, 5, output);
        let flops = convolution(
            &[1, 5, 1],
            &[window.size, 1, 1],
            &[1, output, 1],
            &window,
            1,
        );
        assert_eq!(flops, 2.0 * trial as f64, "{window:?}, {output} outputs");
    }
}

/// A GPU matrix product of 8-bit operands, `[16,32]` by `[32,64]`, with workspace.
fn matmul_call(target: &str, backend_config: &str) -> Cost {
    let operands = [
        array(PrimitiveType::F8E4M3Fn, &[16, 32]),
        array(PrimitiveType::F8E4M3Fn, &[32, 64]),
    ];
    let workspace = array(PrimitiveType::S8, &[4096]);
    let result = tuple(&[array(PrimitiveType::Bf16, &[16, 64]), workspace]);
    applied_with("custom-call", &operands, result, vec![], |instruction| {
        instruction.custom_call_target = target.into();
        instruction.backend_config = backend_config.into();
    })
}

#[test]
fn matmul_call_counts_like_a_dot_without_its_workspace() {
    let config = r#"{"gemm_backend_config":{"alpha_real":1,"dot_dimension_numbers":{
        "lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],
        "lhs_batch_dimensions":[],"rhs_batch_dimensions":[]}}}"#;
    let (flops, bytes) = (2.0 * 16.0 * 64.0 * 32.0, 512.0 + 2048.0 + 2048.0);
    let cost = matmul_call("__cublas$lt$matmul$f8", config);
    expect(cost, flops, bytes);
    let cost = matmul_call("__cublas$gemm", config);
    expect(cost, flops, bytes);
    assert_eq!(cost.flops, flops, "the old library has no such rate");
    expect(matmul_call("__onednn$matmul", "{}"), flops, bytes);
    expect(matmul_call("Sharding", "{}"), 0.0, bytes + 4096.0);
}

#[test]
fn convolution_calls_count_the_forward_convolution() {
    let (input, kernel, output) = (f32(&[2, 10, 3]), f32(&[3, 3, 4]), f32(&[2, 8, 4]));
    let call = |target: &str, operands: &[wire::Shape], result: &wire::Shape| {
        let result = tuple(&[result.clone(), array(PrimitiveType::U8, &[0])]);
        applied_with("custom-call", operands, result, vec![], |instruction| {
            instruction.custom_call_target = target.into();
            instruction.window = Some(wire::Window {
                dimensions: vec![window(3)],
            });
            instruction.convolution_dimension_numbers =
                Some(Box::new(one_dimensional_convolution()));
        })
    };
    let flops = 2.0 * 2.0 * 3.0 * 4.0 * 24.0;
    let bytes = 4.0 * (60.0 + 36.0 + 64.0);
    let forward = [input.clone(), kernel.clone()];
    expect(call("__cudnn$convForward", &forward, &output), flops, bytes);
    let for_input = [output.clone(), kernel.clone()];
    expect(
        call("__cudnn$convBackwardInput", &for_input, &input),
        flops,
        bytes,
    );
    expect(
        call("__cudnn$convBackwardFilter", &[input, output], &kernel),
        flops,
        bytes,
    );
}
