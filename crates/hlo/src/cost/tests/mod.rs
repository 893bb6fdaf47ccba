//! Costs worked out by hand, one instruction at a time.

#![expect(clippy::float_cmp, reason = "whole numbers, worked out by hand")]

mod fusion;
mod library;
mod matmul;
mod needed;
mod products;

use crate::cost::Cost;
use crate::primitive_type::PrimitiveType;
use crate::testing::{Draft, adder, array, f32, in_memory_space, program, tuple, window};
use crate::wire;

/// Cost of the root of the entry computation.
fn root_cost(drafts: Vec<Draft>) -> Cost {
    let program = program(drafts);
    let root = program.entry().and_then(|entry| program.root(entry));
    program.cost(root.expect("a root"))
}

pub(super) fn expect(cost: Cost, flops: f64, bytes_accessed: f64) {
    assert_eq!(
        (cost.flops, cost.bytes_accessed),
        (flops, bytes_accessed),
        "{cost:?}"
    );
}

/// Opcode applied to parameters of the given shapes.
pub(super) fn applied(opcode: &str, operands: &[wire::Shape], result: wire::Shape) -> Cost {
    applied_with(opcode, operands, result, vec![], |_| {})
}

pub(super) fn applied_with(
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
            std::slice::from_ref(&complex),
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
        std::slice::from_ref(&shape),
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
        i.called_computation_ids = vec![2];
    });
    let mut second = Draft::new(2, "second");
    let value = second.add_with("call", f32(&[4]), &[], |i| {
        i.called_computation_ids = vec![1];
    });
    second.add("negate", f32(&[4]), &[value]);
    let cost = applied_with("call", &[], f32(&[4]), vec![first, second], |i| {
        i.called_computation_ids = vec![2];
    });
    expect(cost, 4.0, 32.0);
}
