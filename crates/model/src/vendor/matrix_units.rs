//! Which kernels use the matrix units (Tensor Cores, MFMA), according to their names.
//!
//! A kernel's name is all that a profile says about its instructions. Libraries put the matrix
//! instruction or its shape into it; a kernel that XLA makes for a fusion is named after the
//! fusion, which says nothing unless the fusion is a matrix product compiled by Triton.

use std::sync::LazyLock;

use regex::Regex;

/// What a kernel's name says about its use of matrix units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixUse {
    /// It uses them; with the rule that says so.
    Uses(&'static str),
    /// Its library names matrix instructions, but this kernel names none, or plain ones.
    DoesNot,
    /// Unknown from the name.
    Unknown,
}

/// Plain arithmetic, whatever else the name says.
const PLAIN: &str = r"simt|(^|[_.])(s|d|c|z)gemm_|sgemm_largek|gemv|gemmk1|sgemm[_0-9]";

/// Rules in order: what they recognize, and the pattern, for lowercase names.
const RULES: &[(&str, &str)] = &[
    // m8n8k4, and FP64 in the same shape on Ampere.
    ("Volta HMMA", r"[hsd]884|hmma"),
    // m16n8k8, m16n8k16, m16n8k32, m8n8k16 of Turing and Ampere.
    (
        "Turing or Ampere MMA",
        r"(^|[^0-9])(16816|16832|16864)|[a-z]1688([^0-9]|$)|[a-z]88(16|32)([^0-9]|$)|tensor\d+x\d+x\d+",
    ),
    (
        "Hopper WGMMA",
        r"gmma|(^|[^a-z0-9])sm90_.*(gemm|fprop|dgrad|wgrad|conv)|sm90.*tensorop",
    ),
    (
        "Blackwell UMMA",
        r"(^|_|sm\d+)umma|tcgen05|(^|[^a-z0-9])sm1[02][0-9]a?_.*(gemm|fprop|conv)",
    ),
    ("cuBLAS nvjet", r"^nvjet_"),
    (
        "CUTLASS tensor op",
        r"cutlass.*(tensorop|optensor|warpgroup|wmma)",
    ),
    (
        "cuDNN XMMA",
        r"xmma_(gemm|implicit_gemm|sparse_conv|sparse_gemm|warp_specialized|fprop|dgrad|wgrad)",
    ),
    (
        "fused attention",
        r"flash_?(fwd|bwd|attn)|flashattn|fmha|sdpa",
    ),
    (
        "cuDNN convolution by name",
        r"conv1x1|conv2d_c1_k1|dgrad_1x1_stride_2x2|direct_group|first_layer_wgrad_kernel",
    ),
    (
        "Triton matrix product",
        r"^(triton_)?(nested_)?gemm_fusion|^triton_gemm|^(triton_)?block_scaled_dot",
    ),
    // Tensile names the instruction MI<m>x<n>x<k>, MIOpen says xdlops or gtcx, CK says xdl.
    (
        "AMD MFMA",
        r"mfma|^cijk_.*_mi\d+x\d+x\d+|xdlops|(^|[^a-z])xdl|igemm_.*gtcx",
    ),
];

/// Libraries that name the matrix instruction if they use one.
const TELLING: &str = r"^cijk_|^(ampere|volta|turing|maxwell|pascal)_|^sm\d+_|cutlass|^cublas|gemm|implicit_convolve|^im2d2col|^im3d2col|^im2col|winograd|sp3asmconv|naive_conv";

/// 16-bit types in names of matrix products: spelled out, or as the letters of an instruction (`h884`,
/// `h16816`), of cuBLAS (`nvjet_hsh`, `nvjet_tst`) and of Tensile (`HHS`, `BBS`).
const NARROW: &str = r"fp?16|half|bfloat|hmma|hgemm|h(884|1688|16816)|^nvjet_(sm\d+_)?[ht][sht][sht]|^cijk_.*_(hhs|hss|hh|bbs|bss|bb)_";

/// Names of matrix products that say nothing about matrix units.
const PRODUCT: &str = r"gemm|matmul|cutlass|nvjet|^cijk_|conv|fprop|dgrad|wgrad|(^|_)dot";

struct Patterns {
    narrow: Regex,
    product: Regex,
    plain: Regex,
    rules: Vec<(&'static str, Regex)>,
    telling: Regex,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    plain: constant(PLAIN),
    rules: RULES
        .iter()
        .map(|&(name, pattern)| (name, constant(pattern)))
        .collect(),
    telling: constant(TELLING),
    narrow: constant(NARROW),
    product: constant(PRODUCT),
});

#[expect(
    clippy::expect_used,
    reason = "constant patterns, compiled in every test run"
)]
fn constant(pattern: &str) -> Regex {
    Regex::new(pattern).expect("constant pattern")
}

/// What a kernel's name says.
pub fn matrix_use(kernel: &str) -> MatrixUse {
    let lower = kernel.to_ascii_lowercase();
    let is_plain = PATTERNS.plain.is_match(&lower);
    let mut rules = PATTERNS.rules.iter();
    match rules.find(|(_, pattern)| !is_plain && pattern.is_match(&lower)) {
        Some((rule, _)) => MatrixUse::Uses(rule),
        None if is_plain || PATTERNS.telling.is_match(&lower) => MatrixUse::DoesNot,
        None => MatrixUse::Unknown,
    }
}

/// Whether the name is that of a matrix product of 16-bit types.
pub fn is_16_bit_product(kernel: &str) -> bool {
    let lower = kernel.to_ascii_lowercase();
    let is_product =
        PATTERNS.product.is_match(&lower) || matches!(matrix_use(kernel), MatrixUse::Uses(_));
    is_product && PATTERNS.narrow.is_match(&lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_16_bit_types() {
        for name in [
            "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
            "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn",
            "ampere_h16816gemm_128x128_ldg8_stages_32x5_tn",
            "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT",
            "Cijk_Ailk_Bljk_BBS_BH_MT128x128x32_MI32x32x8x1",
            "turing_fp16_s1688gemm_fp16_256x128_ldg8_f2f_tn",
        ] {
            assert!(is_16_bit_product(name), "{name}");
        }
        for name in [
            "ampere_sgemm_128x64_nn",
            "elementwise_kernel_bf16",
            "Cijk_Ailk_Bljk_SB_MT64x64x16_MI16x16x4x1",
            "loop_multiply_fusion",
        ] {
            assert!(!is_16_bit_product(name), "{name}");
        }
    }

    #[test]
    fn names_that_libraries_use() {
        let cases = [
            ("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "Volta HMMA"),
            (
                "volta_h884cudnn_256x64_ldg8_relu_exp_small_nhwc_tn_v1",
                "Volta HMMA",
            ),
            (
                "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn",
                "Turing or Ampere MMA",
            ),
            (
                "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn",
                "Turing or Ampere MMA",
            ),
            (
                "turing_int8_i8816gemm_int8_128x128_ldg16_stages_64x1_nt",
                "Turing or Ampere MMA",
            ),
            (
                "cutlass_80_tensorop_s16816gemm_f16_256x128_32x3_nn_align8",
                "Turing or Ampere MMA",
            ),
            (
                "sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize96x64x32_stage4_warpsize2x2x1_tensor16x8x16_kernel",
                "Turing or Ampere MMA",
            ),
            (
                "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
                "Hopper WGMMA",
            ),
            (
                "cutlass3x_sm90_tensorop_s64x256x16gemm_bf16_bf16_f32",
                "Hopper WGMMA",
            ),
            (
                "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<MainloopSm90TmaGmmaWarpSpecialized>>",
                "Hopper WGMMA",
            ),
            ("wgmma_kernel_64x128", "Hopper WGMMA"),
            (
                "cutlass3x_sm100_tensorop_s256x128x16gemm_f16",
                "Blackwell UMMA",
            ),
            ("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", "cuBLAS nvjet"),
            ("xmma_implicit_gemm_fprop_f16", "cuDNN XMMA"),
            ("pytorch_flash::flash_fwd_kernel", "fused attention"),
            (
                "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16",
                "Hopper WGMMA",
            ),
            ("gemm_fusion_dot_5", "Triton matrix product"),
            ("triton_gemm_dot_12", "Triton matrix product"),
            (
                "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN_1LDSB0.kd",
                "AMD MFMA",
            ),
            (
                "igemm_fwd_gtcx3_nhwc_fp16_bx0_ex0_bt128x128x32.kd",
                "AMD MFMA",
            ),
            ("ck::kernel_gemm_xdl_cshuffle_v3", "AMD MFMA"),
        ];
        for (name, rule) in cases {
            assert_eq!(matrix_use(name), MatrixUse::Uses(rule), "{name}");
        }
    }

    #[test]
    fn names_that_say_no_or_nothing() {
        for name in [
            "volta_sgemm_128x64_nn",
            "ampere_sgemm_32x128_tn",
            "cutlass_80_simt_sgemm_128x256_8x4_nn_align1",
            "void gemv2T_kernel_val<int, int, float>",
            "Cijk_Ailk_Bljk_SB_MT64x64x16_SE_K1.kd",
            "Im2d2Col.kd",
            "im2col_kernel",
            "gemmk1_kernel",
        ] {
            assert_eq!(matrix_use(name), MatrixUse::DoesNot, "{name}");
        }
        for name in [
            "loop_add_multiply_fusion",
            "input_reduce_fusion",
            "fusion_1688",
            "wrapped_broadcast.kd",
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
        ] {
            assert_eq!(matrix_use(name), MatrixUse::Unknown, "{name}");
        }
    }
}
