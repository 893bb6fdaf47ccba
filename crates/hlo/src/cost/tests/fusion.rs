//! What crosses the boundary of a fusion.

use crate::cost::Cost;
use crate::primitive_type::PrimitiveType;
use crate::testing::{Draft, array, f32, tuple};
use crate::wire;

use super::{applied_with, expect};

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
