//! What names say about CUDA and HIP graphs: calls that launch them, XLA's command buffers, and the
//! library of a kernel within one.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use stepscope_hlo::CollectiveKind;

use super::events::constant_pattern;

/// The opcode used for a command buffer that the program does not list.
pub(crate) const COMMAND_BUFFER: &str = "command_buffer";
/// XLA's suffix for the name of a command buffer whose ops it runs one by one.
const DISABLED: &str = " (disabled for profiling)";

/// A host call that launches a graph: `cuGraphLaunch (CudaGraph:7)`, `hipGraphLaunch`.
pub(crate) fn launches_graph(call: &str) -> bool {
    call.contains("GraphLaunch")
}

/// The name of a command buffer, as in computations, ops, and host slices:
/// `command_buffer_12`, not `command_buffer::execute`.
pub(crate) fn names_command_buffer(name: &str) -> bool {
    let rest = name.strip_prefix(COMMAND_BUFFER);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '.', ' ']))
}

/// The name without the suffix that says that its ops ran one by one.
pub(crate) fn command_buffer_name(name: &str) -> &str {
    name.strip_suffix(DISABLED).unwrap_or(name)
}

/// XLA's name for the kernel of an op: the op's name with everything except letters, digits, and
/// underscores replaced.
pub(crate) fn kernel_name_of(op: &str) -> String {
    op.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// The function of a kernel that may be named after an op; `None` if it cannot be: C++ names have
/// brackets and colons. AMD appends `.kd` to the name of a kernel's descriptor.
pub(crate) fn own_name(kernel: &str) -> Option<Cow<'_, str>> {
    let name = kernel.strip_suffix(".kd").unwrap_or(kernel);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '$');
    if name.is_empty() || !name.chars().all(is_plain) {
        return None;
    }
    if name.contains(['.', '-', '$']) {
        return Some(Cow::Owned(kernel_name_of(name)));
    }
    Some(Cow::Borrowed(name))
}

/// The name without the number that distinguishes it from an equal one, or from further kernels of
/// the same op: `loop_add_fusion_1__2` → `loop_add_fusion_1`.
pub(crate) fn without_suffix(own_name: &str) -> Option<&str> {
    let (stem, number) = own_name.rsplit_once("__")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !stem.is_empty()).then_some(stem)
}

/// The work of a library kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LibraryWork {
    Matmul,
    Convolution,
    Attention,
    Collective(Option<CollectiveKind>),
    Sort,
    /// A copy or memset that the runtime does with a kernel.
    Copy,
    Fill,
    /// A further kernel of the same call, never its first: the sum over parts of a product.
    FollowUp,
    /// Part of the graph itself: it decides whether a loop continues.
    Control,
    Other,
}

/// The work of a library kernel, from its name.
pub(crate) fn library_work(kernel: &str) -> LibraryWork {
    if kernel.contains("copyBuffer") || COPY.is_match(kernel) {
        LibraryWork::Copy
    } else if kernel.contains("fillBuffer") {
        LibraryWork::Fill
    } else if CONTROL.is_match(kernel) {
        LibraryWork::Control
    } else if COLLECTIVE.is_match(kernel) {
        LibraryWork::Collective(collective_kind(kernel))
    } else if FOLLOW_UP.is_match(kernel) {
        LibraryWork::FollowUp
    } else if ATTENTION.is_match(kernel) {
        LibraryWork::Attention
    } else if CONVOLUTION.is_match(kernel) {
        LibraryWork::Convolution
    } else if MATMUL.is_match(kernel) {
        LibraryWork::Matmul
    } else if SORT.is_match(kernel) {
        LibraryWork::Sort
    } else {
        LibraryWork::Other
    }
}

/// The driver's own kernels, with which graphs copy: `memcpy128`, `memcpy32_post`.
static COPY: LazyLock<Regex> = LazyLock::new(|| constant_pattern(r"^memcpy\d+(_\w+)?$"));
static CONTROL: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(r"(?i)set_?(while|case|if|else|for)_?condition|^noop$|no_?op_?kernel")
});
static COLLECTIVE: LazyLock<Regex> =
    LazyLock::new(|| constant_pattern(r"(?i)^(nccl|rccl|mscclpp|nvshmem)|all_?reduce_?kernel"));
static FOLLOW_UP: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(r"(?i)split_?k_?reduc|reduce_?split_?k|PostGSU|BetaOnly|reduce_1Block")
});
static ATTENTION: LazyLock<Regex> =
    LazyLock::new(|| constant_pattern(r"(?i)fmha|flash|sdpa|attention"));
static CONVOLUTION: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(
        r"(?i)conv|fprop|wgrad|dgrad|Im[23]d2Col|Col2Im|winograd|nchwToNhwc|nhwcToNchw",
    )
});
static MATMUL: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(r"(?i)gemm|cutlass|wgmma|hmma|matmul|nvjet|Cijk_|gemv|cublas|dot_kernel|xmma")
});
static SORT: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(r"(?i)radix_?sort|segmented_?sort|DeviceMerge|onesweep|top_?k")
});

fn collective_kind(kernel: &str) -> Option<CollectiveKind> {
    const WORDS: [(&str, CollectiveKind); 7] = [
        ("allreduce", CollectiveKind::AllReduce),
        ("allgather", CollectiveKind::AllGather),
        ("reducescatter", CollectiveKind::ReduceScatter),
        ("alltoall", CollectiveKind::AllToAll),
        ("sendrecv", CollectiveKind::Permute),
        ("broadcast", CollectiveKind::Broadcast),
        ("reduce_", CollectiveKind::AllReduce),
    ];
    let plain = kernel.to_ascii_lowercase();
    let joined = plain.replace('_', "");
    let found = WORDS
        .iter()
        .find(|(word, _)| joined.contains(word) || plain.contains(word));
    found.map(|&(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_named_after_ops() {
        assert_eq!(kernel_name_of("loop_add_fusion.1"), "loop_add_fusion_1");
        assert_eq!(kernel_name_of("all-reduce.3"), "all_reduce_3");
        let own = |name| own_name(name).map(Cow::into_owned);
        assert_eq!(own("fusion_5.kd").as_deref(), Some("fusion_5"));
        assert_eq!(own("loop_add.1").as_deref(), Some("loop_add_1"));
        assert_eq!(own("void cutlass::Kernel<int>(int)"), None);
        assert_eq!(own(""), None);
        assert_eq!(without_suffix("fusion_1__2"), Some("fusion_1"));
        assert_eq!(without_suffix("fusion__x"), None);
        assert_eq!(without_suffix("fusion_1"), None);
    }

    #[test]
    fn libraries_by_name() {
        use LibraryWork as Work;
        for (name, work) in [
            (
                "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128",
                Work::Matmul,
            ),
            ("nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNN", Work::Matmul),
            (
                "void cublasLt::splitKreduce_kernel<32, 16, int>(…)",
                Work::FollowUp,
            ),
            ("sm80_xmma_fprop_implicit_gemm_f16", Work::Convolution),
            ("Im3d2Col", Work::Convolution),
            ("memcpy32_post", Work::Copy),
            ("Cijk_Ailk_Bljk_BBS_BH_MT256x128x64", Work::Matmul),
            (
                "cudnn_generated_fort_native_sdpa_sm90_flash_fprop",
                Work::Attention,
            ),
            ("void cub::DeviceRadixSortOnesweepKernel<…>", Work::Sort),
            (
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                Work::Collective(Some(CollectiveKind::AllReduce)),
            ),
            (
                "ncclDevKernel_SendRecv(…)",
                Work::Collective(Some(CollectiveKind::Permute)),
            ),
            (
                "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(…)",
                Work::Collective(Some(CollectiveKind::ReduceScatter)),
            ),
            ("ncclKernel_Generic", Work::Collective(None)),
            (
                "stream_executor::cuda::SetWhileConditionKernel(…)",
                Work::Control,
            ),
            ("RepeatBufferKernel", Work::Other),
            ("__amd_rocclr_copyBuffer.kd", Work::Copy),
        ] {
            assert_eq!(library_work(name), work, "{name}");
        }
    }

    #[test]
    fn command_buffers_and_their_launches() {
        for name in ["command_buffer", "command_buffer_12", "command_buffer.3"] {
            assert!(names_command_buffer(name), "{name}");
        }
        assert!(names_command_buffer(
            "command_buffer_5 (disabled for profiling)"
        ));
        assert!(!names_command_buffer("command_buffer::execute"));
        assert!(!names_command_buffer("commander"));
        assert_eq!(
            command_buffer_name("command_buffer_5 (disabled for profiling)"),
            "command_buffer_5"
        );
        assert!(launches_graph("cuGraphLaunch (CudaGraph:7)"));
        assert!(launches_graph("hipGraphLaunch"));
        assert!(!launches_graph("cuLaunchKernel"));
    }
}
