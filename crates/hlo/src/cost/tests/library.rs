//! Custom calls that are no plain products: estimated, known by their shapes, or unknown.

use crate::cost::{Cost, CostBasis};
use crate::primitive_type::PrimitiveType;
use crate::testing::{array, f32};
use crate::wire;

use super::{applied_with, expect};

fn call(
    target: &str,
    scope: &str,
    config: &str,
    operands: &[wire::Shape],
    result: &wire::Shape,
) -> Cost {
    applied_with(
        "custom-call",
        operands,
        result.clone(),
        vec![],
        |instruction| {
            instruction.custom_call_target = target.into();
            instruction.backend_config = config.into();
            instruction.metadata = Some(wire::OpMetadata {
                op_name: scope.into(),
                ..wire::OpMetadata::default()
            });
        },
    )
}

#[test]
fn an_opaque_kernel_is_unknown_and_an_estimate_is_taken_at_its_word() {
    let operands = [f32(&[8, 8])];
    let kernel = |config| {
        call(
            "tpu_custom_call",
            "jit(f)/scale",
            config,
            &operands,
            &f32(&[8, 8]),
        )
    };
    let opaque = kernel(r#"{"custom_call_config":{"body":"TUw="}}"#);
    expect(opaque, 0.0, 512.0);
    assert_eq!(opaque.basis, CostBasis::Unknown);
    let config = r#"{"custom_call_config":{"cost_estimate":{"flops":4096,"transcendentals":7,
        "bytes_accessed":1024}}}"#;
    let stated = kernel(config);
    expect(stated, 4096.0, 1024.0);
    assert_eq!(
        (stated.basis, stated.transcendentals),
        (CostBasis::Estimate, 7.0)
    );
    let reserved = call("AllocateBuffer", "", "", &[], &f32(&[8, 8]));
    assert_eq!((reserved.basis, reserved.flops), (CostBasis::Rules, 0.0));
}

/// Four sequences of 512 positions, 16 heads of 64: `[batch, positions, heads, depth]`.
fn attention(target: &str, scope: &str, config: &str) -> Cost {
    let one = array(PrimitiveType::Bf16, &[4, 512, 16, 64]);
    call(
        target,
        scope,
        config,
        &[one.clone(), one.clone(), one.clone()],
        &one,
    )
}

#[test]
fn attention_is_two_products_and_its_gradient_five() {
    let forward = 4.0 * 4.0 * 16.0 * 512.0 * 512.0 * 64.0;
    let config = r#"{"cudnn_fmha_backend_config":{"intermediate_tensor_shape":{
        "dimensions":["4","16","512","512"]},"mask_type":"NO_MASK"}}"#;
    let cost = attention("__cudnn$fmhaSoftmax", "", config);
    assert_eq!((cost.flops, cost.basis), (forward, CostBasis::Shapes));
    let causal = config.replace("NO_MASK", "CAUSAL");
    let cost = attention("__cudnn$fmhaSoftmax", "", &causal);
    assert_eq!(cost.flops, forward / 2.0, "what the mask hides is skipped");
    let cost = attention("__cudnn$fmhaSoftmaxBackward", "", config);
    assert_eq!(cost.flops, 2.5 * forward);
    // Transformer Engine packs its operands as it likes, and says all sizes.
    let config = "{attn_heads = 16 : i64, head_dim = 64 : i64, input_batch = 4 : i64, \
        kv_max_seqlen = 512 : i64, mask_type = 2 : i64, q_max_seqlen = 512 : i64}";
    let packed = [array(PrimitiveType::Bf16, &[4, 512, 3, 16, 64])];
    let cost = call("te_fused_attn_forward_ffi", "", config, &packed, &f32(&[1]));
    assert_eq!(cost.flops, forward / 2.0);
}

#[test]
fn attention_by_hand_is_known_by_its_name_and_operands() {
    let forward = 4.0 * 4.0 * 16.0 * 512.0 * 512.0 * 64.0;
    let cost = attention(
        "__gpu$xla.gpu.triton",
        "jit(f)/flash_attention/pallas_call",
        "",
    );
    assert_eq!(cost.flops, forward);
    // On TPU heads stand before positions, and the masks' tables before the queries.
    let (one, table) = (
        array(PrimitiveType::Bf16, &[4, 16, 512, 64]),
        array(PrimitiveType::S32, &[16, 1, 4]),
    );
    let operands = [table, one.clone(), one.clone(), one.clone()];
    let on_tpu = |scope| call("tpu_custom_call", scope, "", &operands, &one);
    let cost = on_tpu("jit(f)/splash_mha_fwd");
    assert_eq!((cost.flops, cost.basis), (forward, CostBasis::Shapes));
    assert_eq!(on_tpu("jit(f)/splash_mha_dkv").flops, 2.0 * forward);
    assert_eq!(on_tpu("jit(f)/splash_mha_dq").flops, 1.5 * forward);
    for unknown in ["jit(f)/ragged_paged_attention", "jit(f)/my_kernel"] {
        assert_eq!(on_tpu(unknown).basis, CostBasis::Unknown, "{unknown}");
    }
}

#[test]
fn products_of_transformer_engine_need_no_layout() {
    let scale = f32(&[1]);
    // 16 x 32 by the transpose of 64 x 32.
    let operands = [
        array(PrimitiveType::F8E4M3Fn, &[16, 32]),
        scale.clone(),
        array(PrimitiveType::F8E4M3Fn, &[64, 32]),
        scale,
    ];
    let result = array(PrimitiveType::Bf16, &[16, 64]);
    let cost = call("te_gemm_ffi", "", "", &operands, &result);
    assert_eq!(cost.flops, 2.0 * 16.0 * 32.0 * 64.0);
}
