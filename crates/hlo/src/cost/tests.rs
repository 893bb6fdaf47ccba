//! Costs worked out by hand, one instruction at a time.

use crate::cost::Cost;
use crate::primitive_type::PrimitiveType;
use crate::program::Program;
use crate::testing::{
    Draft, adder, array, f32, in_memory_space, one_dimensional_convolution, program, tuple, window,
};
use crate::wire;

/// Cost of the root of the entry computation.
fn root_cost(drafts: Vec<Draft>) -> Cost {
    cost_of_root(&program(drafts))
}

fn cost_of_root(program: &Program) -> Cost {
    let entry = program.entry_computation.expect("an entry");
    let root = program
        .root(&program.computations()[entry.index()])
        .expect("a root");
    program.cost(root)
}

fn expect(cost: Cost, model_flops: f64, bytes_accessed: f64) {
    assert_eq!(
        (cost.model_flops, cost.bytes_accessed),
        (model_flops, bytes_accessed),
        "{cost:?}"
    );
}

/// Opcode applied to parameters of the given shapes.
fn applied(opcode: &str, operands: &[wire::Shape], result: wire::Shape) -> Cost {
    applied_with(opcode, operands, result, vec![], |_| {})
}

fn applied_with(
    opcode: &str,
    operands: &[wire::Shape],
    result: wire::Shape,
    mut callees: Vec<Draft>,
    edit: impl FnOnce(&mut wire::HloInstruction),
) -> Cost {
    let mut entry = Draft::new(9, "entry");
    let operands: Vec<i64> = operands
        .iter()
        .map(|shape| entry.parameter(shape.clone()))
        .collect();
    entry.add_with(opcode, result, &operands, edit);
    callees.push(entry);
    root_cost(callees)
}

#[test]
fn elementwise_counts_one_per_element_and_functions_apart() {
    let shape = f32(&[8, 4]);
    let add = applied("add", &[shape.clone(), shape.clone()], shape.clone());
    expect(add, 32.0, 3.0 * 128.0);
    let tanh = applied("tanh", std::slice::from_ref(&shape), shape.clone());
    expect(tanh, 0.0, 256.0);
    assert_eq!(tanh.transcendentals, 32.0);
    expect(
        applied("convert", &[shape], array(PrimitiveType::Bf16, &[8, 4])),
        32.0,
        128.0 + 64.0,
    );
}

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
    assert_eq!(cost.flops, cost.model_flops);
    // Half the time on hardware with 8-bit products, a quarter with 4-bit ones.
    assert_eq!(dot(PrimitiveType::F8E4M3Fn).flops, 840.0);
    assert_eq!(dot(PrimitiveType::S4).flops, 420.0);
    assert_eq!(dot(PrimitiveType::S4).model_flops, 1680.0);
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
    .model_flops
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

#[test]
fn reduce_applies_its_function_once_per_element_that_disappears() {
    let calls_adder = |i: &mut wire::HloInstruction| i.called_computation_ids = vec![1];
    let operands = [f32(&[8, 4]), f32(&[])];
    let reduce = applied_with("reduce", &operands, f32(&[8]), vec![adder(1)], calls_adder);
    expect(reduce, 24.0, 128.0 + 4.0 + 32.0);
    let window = applied_with(
        "reduce-window",
        &operands,
        f32(&[7, 4]),
        vec![adder(1)],
        |i| {
            calls_adder(i);
            i.window = Some(wire::Window {
                dimensions: vec![window(2), window(1)],
            });
        },
    );
    expect(window, 28.0, 128.0 + 4.0 + 112.0);
}

#[test]
fn slices_move_only_what_they_take() {
    let (array, index) = (f32(&[8, 4]), array(PrimitiveType::S32, &[]));
    expect(
        applied("slice", std::slice::from_ref(&array), f32(&[2, 4])),
        0.0,
        64.0,
    );
    let operands = [array.clone(), index.clone(), index.clone()];
    expect(applied("dynamic-slice", &operands, f32(&[2, 4])), 0.0, 68.0);
    let operands = [array.clone(), f32(&[2, 4]), index.clone(), index];
    expect(applied("dynamic-update-slice", &operands, array), 0.0, 68.0);
}

#[test]
fn scatter_and_gather_move_rows_and_indices() {
    let (table, rows) = (f32(&[8, 4]), f32(&[2, 4]));
    let indices = array(PrimitiveType::S32, &[2, 1]);
    let operands = [table.clone(), indices.clone(), rows.clone()];
    let scatter = applied_with("scatter", &operands, table.clone(), vec![adder(1)], |i| {
        i.called_computation_ids = vec![1];
    });
    expect(scatter, 8.0, 3.0 * 32.0 + 8.0);
    expect(applied("gather", &[table, indices], rows), 0.0, 64.0 + 8.0);
}

#[test]
fn sort_and_transform_grow_with_the_logarithm() {
    expect(
        applied("sort", &[f32(&[8, 4])], f32(&[8, 4])),
        32.0 * 5.0,
        256.0,
    );
    let complex = array(PrimitiveType::C64, &[8, 16]);
    let transform = |fft_length: Vec<i64>| {
        applied_with(
            "fft",
            &[complex.clone()],
            complex.clone(),
            vec![],
            |instruction| {
                instruction.fft_length = fft_length;
            },
        )
    };
    expect(transform(vec![16]), 8.0 * 128.0 * 4.0, 2048.0);
    expect(transform(vec![8, 16]), 8.0 * 128.0 * 7.0, 2048.0);
}

#[test]
fn all_reduce_is_charged_to_its_start() {
    let shape = f32(&[8, 4]);
    expect(
        applied("all-reduce", std::slice::from_ref(&shape), shape.clone()),
        32.0,
        256.0,
    );
    expect(
        applied(
            "all-reduce-start",
            std::slice::from_ref(&shape),
            shape.clone(),
        ),
        32.0,
        256.0,
    );
    expect(
        applied(
            "all-reduce-done",
            std::slice::from_ref(&shape),
            shape.clone(),
        ),
        0.0,
        0.0,
    );
    // (operand, result): 128 bytes in, 512 out.
    let result = tuple(&[shape.clone(), f32(&[32, 4])]);
    expect(
        applied("all-gather-start", &[shape], result),
        0.0,
        128.0 + 512.0,
    );
}

#[test]
fn copies_to_the_host_count_the_device_side() {
    let on_device = f32(&[8, 4]);
    let on_host = in_memory_space(f32(&[8, 4]), 5);
    let context = array(PrimitiveType::U32, &[]);
    let result = tuple(&[on_host, on_device.clone(), context.clone()]);
    expect(
        applied("copy-start", std::slice::from_ref(&on_device), result),
        0.0,
        128.0,
    );
    let result = tuple(&[in_memory_space(f32(&[8, 4]), 1), on_device.clone(), context]);
    expect(applied("copy-start", &[on_device], result), 0.0, 256.0);
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
    assert_eq!(
        cost.flops,
        flops / 2.0,
        "8-bit products run at twice the rate"
    );
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

/// `fusion(parameters)` whose body is drawn by `body`.
fn fusion(
    operands: &[wire::Shape],
    result: wire::Shape,
    body: impl FnOnce(&mut Draft, &[i64]),
) -> Cost {
    let mut fused = Draft::fused(1, "fused");
    let parameters: Vec<i64> = operands
        .iter()
        .map(|shape| fused.parameter(shape.clone()))
        .collect();
    body(&mut fused, &parameters);
    applied_with("fusion", operands, result, vec![fused], |instruction| {
        instruction.fusion_kind = b"kLoop".to_vec();
        instruction.called_computation_ids = vec![1];
    })
}

#[test]
fn fusion_reads_only_the_slices_it_takes() {
    // Two slices of 32 bytes, directly and through a bitcast; 8 additions.
    let cost = fusion(&[f32(&[8, 4])], f32(&[2, 4]), |body, parameters| {
        let first = body.add("slice", f32(&[2, 4]), parameters);
        let flat = body.add("bitcast", f32(&[32]), parameters);
        let second = body.add("slice", f32(&[8]), &[flat]);
        let second = body.add("bitcast", f32(&[2, 4]), &[second]);
        body.add("add", f32(&[2, 4]), &[first, second]);
    });
    expect(cost, 8.0, 64.0 + 32.0);
    // A slice beside a use of everything: everything, once.
    let result = tuple(&[f32(&[2, 4]), f32(&[8, 4])]);
    let cost = fusion(&[f32(&[8, 4])], result.clone(), |body, parameters| {
        let slice = body.add("slice", f32(&[2, 4]), parameters);
        let negated = body.add("negate", f32(&[8, 4]), parameters);
        body.add("tuple", result, &[slice, negated]);
    });
    expect(cost, 32.0, 128.0 + 32.0 + 128.0);
    // A parameter nobody uses is not read.
    let cost = fusion(&[f32(&[8, 4]), f32(&[2])], f32(&[2]), |body, parameters| {
        body.add("negate", f32(&[2]), &parameters[1..]);
    });
    expect(cost, 2.0, 16.0);
}

#[test]
fn fusion_updates_in_place() {
    let index = array(PrimitiveType::S32, &[]);
    let operands = [f32(&[8, 4]), f32(&[2, 4]), index];
    let cost = fusion(&operands, f32(&[8, 4]), |body, parameters| {
        let negated = body.add("negate", f32(&[2, 4]), &parameters[1..2]);
        let operands = [parameters[0], negated, parameters[2], parameters[2]];
        body.add("dynamic-update-slice", f32(&[8, 4]), &operands);
    });
    // Update read and written, index read; the array itself stays where it is.
    expect(cost, 8.0, 32.0 + 32.0 + 4.0);
}

#[test]
fn fusion_reads_large_constants() {
    let cost = fusion(&[f32(&[8, 4])], f32(&[8, 4]), |body, parameters| {
        let row = body.add("constant", f32(&[4]), &[]);
        let rows = body.add("broadcast", f32(&[8, 4]), &[row]);
        let one = body.add("constant", f32(&[]), &[]);
        let ones = body.add("broadcast", f32(&[8, 4]), &[one]);
        let sum = body.add("add", f32(&[8, 4]), &[rows, ones]);
        body.add("multiply", f32(&[8, 4]), &[parameters[0], sum]);
    });
    expect(cost, 64.0, 128.0 + 16.0 + 128.0);
}

#[test]
fn loops_count_once_and_branches_count_the_larger() {
    let (state, predicate) = (f32(&[8, 4]), array(PrimitiveType::Pred, &[]));
    let body = || {
        let mut body = Draft::new(1, "body");
        let state = body.parameter(f32(&[8, 4]));
        body.add("multiply", f32(&[8, 4]), &[state, state]);
        body
    };
    let mut condition = Draft::new(2, "condition");
    condition.parameter(state.clone());
    let limit = condition.add("constant", f32(&[]), &[]);
    condition.add("compare", predicate.clone(), &[limit, limit]);
    let operands = std::slice::from_ref(&state);
    let cost = applied_with(
        "while",
        operands,
        state.clone(),
        vec![body(), condition],
        |i| {
            i.called_computation_ids = vec![1, 2];
            i.backend_config = br#"{"known_trip_count":{"n":"48"}}"#.to_vec();
        },
    );
    expect(cost, 33.0, 3.0 * 128.0 + 9.0);

    let mut other = Draft::new(2, "other");
    let parameter = other.parameter(state.clone());
    other.add("tanh", state.clone(), &[parameter]);
    let operands = [predicate, state.clone(), state.clone()];
    let cost = applied_with("conditional", &operands, state, vec![body(), other], |i| {
        i.called_computation_ids = vec![1, 2];
    });
    expect(cost, 32.0, 3.0 * 128.0);
    assert_eq!(cost.transcendentals, 32.0);
}

#[test]
fn hostile_sizes_saturate() {
    let shape = f32(&[i64::MAX, i64::MAX, i64::MAX]);
    let cost = applied_with(
        "fft",
        &[shape.clone()],
        shape.clone(),
        vec![],
        |instruction| {
            instruction.fft_length = vec![i64::MIN, i64::MAX];
        },
    );
    assert!(
        cost.flops.is_finite() && cost.bytes_accessed.is_finite(),
        "{cost:?}"
    );
    let negative = applied("add", &[f32(&[-4]), f32(&[-4])], f32(&[-4]));
    expect(negative, 0.0, 0.0);
}

#[test]
fn calls_in_a_circle_end() {
    let mut first = Draft::new(1, "first");
    first.add_with("call", f32(&[4]), &[], |i| {
        i.called_computation_ids = vec![2]
    });
    let mut second = Draft::new(2, "second");
    let value = second.add_with("call", f32(&[4]), &[], |i| {
        i.called_computation_ids = vec![1]
    });
    second.add("negate", f32(&[4]), &[value]);
    let cost = applied_with("call", &[], f32(&[4]), vec![first, second], |i| {
        i.called_computation_ids = vec![2];
    });
    expect(cost, 4.0, 32.0);
}
