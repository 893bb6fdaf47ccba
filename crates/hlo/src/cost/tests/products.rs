//! Products by type, within fusions too, and the sizes they consist of.

use crate::cost::{ProductType, Products};
use crate::primitive_type::PrimitiveType;
use crate::program::Program;
use crate::testing::{Draft, array, one_dimensional_convolution, program, tuple};
use crate::wire;

/// `[8, 16] × [16, 4]`: 2 · 8 · 16 · 4 operations.
const FLOPS: f64 = 1024.0;

/// Adds the product of two parameters.
fn dot(
    draft: &mut Draft,
    left: PrimitiveType,
    right: PrimitiveType,
    edit: impl FnOnce(&mut wire::HloInstruction),
) -> i64 {
    let operands = [
        draft.parameter(array(left, &[8, 16])),
        draft.parameter(array(right, &[16, 4])),
    ];
    draft.add_with(
        "dot",
        array(PrimitiveType::F32, &[8, 4]),
        &operands,
        |instruction| {
            instruction.dot_dimension_numbers = Some(Box::new(wire::DotDimensionNumbers {
                lhs_contracting: vec![1],
                rhs_contracting: vec![0],
                ..wire::DotDimensionNumbers::default()
            }));
            edit(instruction);
        },
    )
}

fn root_products(program: &Program) -> Products {
    let entry = program.entry().expect("an entry");
    program.products(program.root(entry).expect("a root"))
}

fn type_of(
    left: PrimitiveType,
    right: PrimitiveType,
    edit: impl FnOnce(&mut wire::HloInstruction),
) -> ProductType {
    let mut entry = Draft::new(1, "main");
    dot(&mut entry, left, right, edit);
    let found = root_products(&program(vec![entry]));
    let parts: Vec<(ProductType, f64)> = found.parts().collect();
    let [(product, flops)] = parts[..] else {
        panic!("{parts:?} is not one product");
    };
    assert!((flops - FLOPS).abs() < 1e-9, "{flops}");
    product
}

fn precision(levels: &[i32], algorithm: i32) -> wire::PrecisionConfig {
    wire::PrecisionConfig {
        operand_precision: levels.to_vec(),
        algorithm,
    }
}

#[test]
fn operands_and_precision_tell_the_type() {
    use PrimitiveType::{Bf16, C64, F4E2M1Fn, F8E4M3Fn, F8E5M2, F16, F32, F64, S4, S8, S32};
    let plain = |left, right| type_of(left, right, |_| {});
    assert_eq!(plain(F64, F64), ProductType::F64);
    assert_eq!(plain(Bf16, Bf16), ProductType::Bf16);
    assert_eq!(plain(F16, F16), ProductType::F16);
    assert_eq!(plain(F8E4M3Fn, F8E5M2), ProductType::F8);
    assert_eq!(plain(F4E2M1Fn, F4E2M1Fn), ProductType::F4);
    assert_eq!(plain(S4, S4), ProductType::Int4);
    assert_eq!(plain(F32, F32), ProductType::F32);
    // The narrower factor is widened; types of one width have no common one.
    assert_eq!(plain(Bf16, S8), ProductType::Bf16);
    assert_eq!(plain(Bf16, F16), ProductType::Unknown);
    assert_eq!(plain(C64, C64), ProductType::Unknown);
    assert_eq!(plain(S32, S32), ProductType::Unknown);
    let of = |levels: &[i32], algorithm| {
        type_of(F32, F32, |instruction| {
            instruction.precision_config = Some(precision(levels, algorithm));
        })
    };
    assert_eq!(of(&[0, 0], 0), ProductType::F32);
    assert_eq!(of(&[0, 1], 0), ProductType::F32High);
    assert_eq!(of(&[2, 1], 0), ProductType::F32Highest);
    assert_eq!(of(&[3, 0], 0), ProductType::F32, "packed nibbles");
    assert_eq!(of(&[0, 0], 8), ProductType::Bf16X6);
    assert_eq!(of(&[0, 0], 9), ProductType::Tf32);
    assert_eq!(of(&[0, 0], 11), ProductType::F32Highest);
    assert_eq!(of(&[0, 0], 99), ProductType::Unknown, "of a later XLA");
    // The precision matters for f32 only.
    let bf16 = type_of(Bf16, Bf16, |instruction| {
        instruction.precision_config = Some(precision(&[2, 2], 0));
    });
    assert_eq!(bf16, ProductType::Bf16);
}

#[test]
fn library_calls_have_their_precision_in_the_configuration() {
    let call = |config: &str| {
        type_of(PrimitiveType::F32, PrimitiveType::F32, |instruction| {
            instruction.opcode = b"custom-call".to_vec();
            instruction.custom_call_target = b"__cublas$gemm".to_vec();
            instruction.dot_dimension_numbers = None;
            // As XLA writes it: present, and empty.
            instruction.precision_config = Some(wire::PrecisionConfig::default());
            instruction.backend_config = format!(
                r#"{{"gemm_backend_config":{{"dot_dimension_numbers":{{
                "lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"]}},
                "precision_config":{{{config}}}}}}}"#
            )
            .into_bytes();
        })
    };
    let default = r#""operand_precision":["DEFAULT","DEFAULT"],"algorithm":"ALG_UNSET""#;
    assert_eq!(call(default), ProductType::F32);
    let highest = r#""operand_precision":["DEFAULT","HIGHEST"],"algorithm":"ALG_UNSET""#;
    assert_eq!(call(highest), ProductType::F32Highest);
    assert_eq!(
        call(r#""operand_precision":["HIGH"]"#),
        ProductType::F32High
    );
    let stated = r#""operand_precision":[],"algorithm":"ALG_DOT_BF16_BF16_F32_X3""#;
    assert_eq!(call(stated), ProductType::Bf16X3);
    assert_eq!(call(r#""algorithm":"ALG_DOT_NEW""#), ProductType::Unknown);
}

#[test]
fn a_fusion_has_the_products_of_its_body() {
    let mut fused = Draft::fused(1, "fused");
    let one = dot(&mut fused, PrimitiveType::Bf16, PrimitiveType::Bf16, |_| {});
    let two = dot(&mut fused, PrimitiveType::S8, PrimitiveType::S8, |_| {});
    let both = tuple(&[
        array(PrimitiveType::F32, &[8, 4]),
        array(PrimitiveType::F32, &[8, 4]),
    ]);
    fused.add("tuple", both.clone(), &[one, two]);
    let mut entry = Draft::new(2, "main");
    entry.add_with("fusion", both, &[], |instruction| {
        instruction.called_computation_ids = vec![1];
    });
    let program = program(vec![fused, entry]);
    let found = root_products(&program);
    let parts: Vec<(ProductType, f64)> = found.parts().collect();
    assert_eq!(
        parts,
        [(ProductType::Bf16, FLOPS), (ProductType::Int8, FLOPS)]
    );
    let entry = program.entry().expect("an entry");
    let root = program.root(entry).expect("a root");
    assert_eq!(program.product_sizes(root), None, "there are two");
}

#[test]
fn sizes_of_a_product_are_its_operations() {
    let mut entry = Draft::new(1, "main");
    let left = entry.parameter(array(PrimitiveType::Bf16, &[3, 2, 4, 16]));
    let right = entry.parameter(array(PrimitiveType::Bf16, &[3, 16, 5]));
    let result = array(PrimitiveType::Bf16, &[3, 2, 4, 5]);
    entry.add_with("dot", result, &[left, right], |instruction| {
        instruction.dot_dimension_numbers = Some(Box::new(wire::DotDimensionNumbers {
            lhs_contracting: vec![3],
            rhs_contracting: vec![1],
            lhs_batch: vec![0],
            rhs_batch: vec![0],
        }));
    });
    let program = program(vec![entry]);
    let root = program
        .root(program.entry().expect("an entry"))
        .expect("a root");
    assert_eq!(program.product_sizes(root), Some([3, 8, 16, 5]));
    let cost = program.cost(root).flops;
    assert!((cost - 2.0 * 3.0 * 8.0 * 16.0 * 5.0).abs() < 1e-9, "{cost}");
}

/// On TPU, dots are convolutions: batch by features in by features out.
#[test]
fn a_convolution_without_a_window_is_a_product() {
    let mut entry = Draft::new(1, "main");
    let left = entry.parameter(array(PrimitiveType::Bf16, &[8, 16]));
    let right = entry.parameter(array(PrimitiveType::Bf16, &[16, 4]));
    let result = array(PrimitiveType::Bf16, &[8, 4]);
    entry.add_with("convolution", result, &[left, right], |instruction| {
        instruction.feature_group_count = 1;
        instruction.batch_group_count = 1;
        instruction.convolution_dimension_numbers =
            Some(Box::new(wire::ConvolutionDimensionNumbers {
                input_spatial: vec![],
                kernel_spatial: vec![],
                output_spatial: vec![],
                input_feature: 1,
                kernel_input_feature: 0,
                kernel_output_feature: 1,
                output_feature: 1,
                ..one_dimensional_convolution()
            }));
    });
    let program = program(vec![entry]);
    let root = program
        .root(program.entry().expect("an entry"))
        .expect("a root");
    assert_eq!(program.product_sizes(root), Some([1, 8, 16, 4]));
    let found = program.products(root);
    assert!(
        (found.get(ProductType::Bf16) - FLOPS).abs() < 1e-9,
        "{found:?}"
    );
}
