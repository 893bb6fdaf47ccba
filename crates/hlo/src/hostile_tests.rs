//! Well-formed messages with senseless contents: any opcode on any shapes, operands and callees.

use proptest::prelude::*;

use crate::testing::{Draft, encode};
use crate::{Program, wire};

const OPCODES: [&str; 28] = [
    "parameter",
    "constant",
    "tuple",
    "bitcast",
    "get-tuple-element",
    "add",
    "dot",
    "convolution",
    "custom-call",
    "fusion",
    "while",
    "conditional",
    "call",
    "reduce",
    "reduce-window",
    "select-and-scatter",
    "scatter",
    "gather",
    "sort",
    "fft",
    "slice",
    "dynamic-slice",
    "dynamic-update-slice",
    "triangular-solve",
    "all-gather-start",
    "async-start",
    "async-done",
    "copy-start",
];

const TARGETS: [&str; 4] = [
    "__cublas$gemm",
    "__cudnn$convBackwardFilter",
    "__onednn$matmul",
    "unknown",
];

/// Mostly small, sometimes absurd.
fn number() -> impl Strategy<Value = i64> {
    prop_oneof![6 => -2i64..12, 1 => any::<i64>(), 1 => Just(i64::MAX), 1 => Just(i64::MIN)]
}

fn numbers() -> impl Strategy<Value = Vec<i64>> {
    proptest::collection::vec(number(), 0..4)
}

fn shape() -> impl Strategy<Value = wire::Shape> {
    let layout = (
        numbers(),
        proptest::collection::vec(numbers(), 0..3),
        number(),
        0i64..6,
    );
    let array = (0i32..36, numbers(), layout).prop_map(|(element_type, dimensions, layout)| {
        let (minor_to_major, tiles, element_size_in_bits, memory_space) = layout;
        let tiles = tiles
            .into_iter()
            .map(|dimensions| wire::Tile { dimensions })
            .collect();
        let layout = wire::Layout {
            minor_to_major,
            tiles,
            element_size_in_bits,
            memory_space,
        };
        wire::Shape {
            element_type,
            dimensions,
            layout: Some(layout),
            ..Default::default()
        }
    });
    array.prop_recursive(2, 6, 3, |inner| {
        proptest::collection::vec(inner, 0..3).prop_map(|tuple_shapes| wire::Shape {
            element_type: 13,
            tuple_shapes,
            ..Default::default()
        })
    })
}

fn window() -> impl Strategy<Value = wire::Window> {
    let dimension = (number(), number(), number(), number(), number(), number()).prop_map(
        |(size, stride, padding_low, padding_high, window_dilation, base_dilation)| {
            wire::WindowDimension {
                size,
                stride,
                padding_low,
                padding_high,
                window_dilation,
                base_dilation,
                window_reversal: false,
            }
        },
    );
    proptest::collection::vec(dimension, 0..3).prop_map(|dimensions| wire::Window { dimensions })
}

fn instruction() -> impl Strategy<Value = (usize, wire::Shape, Vec<i64>, wire::HloInstruction)> {
    // Ids as drafts number them: three computations of a few instructions each.
    let id = (1i64..4, 0i64..8).prop_map(|(computation, index)| computation * 1000 + index);
    let operands = proptest::collection::vec(id, 0..4);
    let callees = proptest::collection::vec(1i64..5, 0..3);
    let rest = (window(), numbers(), number(), 0..TARGETS.len(), callees).prop_map(
        |(window, list, single, target, called_computation_ids)| wire::HloInstruction {
            convolution_dimension_numbers: Some(Box::new(wire::ConvolutionDimensionNumbers {
                input_spatial: list.clone(),
                kernel_spatial: list.clone(),
                output_spatial: list.clone(),
                input_feature: single,
                ..Default::default()
            })),
            dot_dimension_numbers: Some(Box::new(wire::DotDimensionNumbers {
                lhs_contracting: list.clone(),
                ..Default::default()
            })),
            window: Some(window),
            fft_length: list.clone(),
            dimensions: list,
            feature_group_count: single,
            custom_call_target: TARGETS[target].into(),
            called_computation_ids,
            ..Default::default()
        },
    );
    (0..OPCODES.len(), shape(), operands, rest)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn senseless_programs_are_described_without_panic(
        computations in proptest::collection::vec(
            proptest::collection::vec(instruction(), 0..8),
            1..4,
        ),
    ) {
        let mut drafts = Vec::new();
        for (id, instructions) in (1..).zip(computations) {
            let mut draft = Draft::fused(id, "computation");
            for (opcode, shape, operands, rest) in instructions {
                draft.add_with(OPCODES[opcode], shape, &operands, |instruction| {
                    let wire::HloInstruction { name, opcode, shape, id, operand_ids, .. } =
                        std::mem::take(instruction);
                    *instruction =
                        wire::HloInstruction { name, opcode, shape, id, operand_ids, ..rest };
                });
            }
            drafts.push(draft);
        }
        let program = Program::decode(&encode(drafts)).expect("well-formed");
        for instruction in program.instructions() {
            let cost = program.cost(instruction);
            for figure in
                [cost.flops, cost.transcendentals, cost.bytes_accessed]
            {
                prop_assert!(figure.is_finite() && figure >= 0.0);
            }
            prop_assert!(!program.text(instruction).contains('\n'));
            let _ = (program.class(instruction), instruction.category());
            let _ = instruction.shape.padded_byte_size();
        }
    }
}
