//! The meaning of device events, derived from their names once per label.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use crate::label::{Class, Direction};

/// Without Unicode's classes, which cost milliseconds to compile. The pattern is ours and constant; an empty one, which matches everything, cannot come of it.
pub(super) fn constant_pattern(pattern: &str) -> Regex {
    #[expect(
        clippy::expect_used,
        reason = "a constant pattern, compiled in every test run"
    )]
    RegexBuilder::new(pattern)
        .unicode(false)
        .build()
        .expect("constant pattern")
}

/// A kernel's class from its function name, if the op is unknown.
pub(crate) fn kernel_class(name: &str) -> Class {
    if KERNEL_COLLECTIVE.is_match(name) {
        Class::Collective
    } else if KERNEL_ATTENTION.is_match(name) {
        Class::Attention
    } else if KERNEL_MATMUL.is_match(name) {
        Class::Matmul
    } else {
        Class::Compute
    }
}

static KERNEL_COLLECTIVE: LazyLock<Regex> =
    // At the start of a word, in either spelling: `small_gather` is none.
    LazyLock::new(|| {
        constant_pattern(
            r"(?i:^nccl|^rccl|nvshmem|(^|[ -@\[-`{-~])all_?(reduce|gather))|[a-z]All_?(Reduce|Gather)",
        )
    });
static KERNEL_ATTENTION: LazyLock<Regex> =
    LazyLock::new(|| constant_pattern(r"(?i)fmha|flash_?(attn|fwd|bwd)|flashattention|sdpa"));
static KERNEL_MATMUL: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(
        r"(?i)gemm|cutlass|wgmma|hmma|matmul|nvjet|Cijk_|conv2d|conv3d|wgrad|dgrad|xmma|igemm|Im3d2Col|Im2d2Col",
    )
});

/// What tells that a name is that of a copy.
const WAYS: [&str; 11] = [
    "hosttodevice",
    "devicetohost",
    "devicetodevice",
    "hosttohost",
    "peertopeer",
    "htod",
    "dtoh",
    "dtod",
    "h2d",
    "d2h",
    "d2d",
];

/// A copy or memset on a GPU stream, from the name of the event.
pub(crate) fn gpu_transfer(name: &str) -> Option<Direction> {
    let lower = name.to_ascii_lowercase();
    // AMD's runtime uses its own kernels to copy and fill.
    let lower = lower.strip_prefix("__amd_rocclr_").unwrap_or(&lower);
    if lower.starts_with("memset") || lower.starts_with("fillbuffer") {
        return Some(Direction::Memset);
    }
    let is_copy = lower.starts_with("memcpy")
        || lower.starts_with("copybuffer")
        || lower.starts_with("copyimage")
        || (lower.starts_with("copy") && WAYS.iter().any(|way| lower.contains(way)));
    if !is_copy {
        return None;
    }
    Some(
        if lower.contains("h2d") || lower.contains("htod") || lower.contains("hosttodevice") {
            Direction::HostToDevice
        } else if lower.contains("d2h") || lower.contains("dtoh") || lower.contains("devicetohost")
        {
            Direction::DeviceToHost
        } else if ["d2d", "dtod", "p2p", "ptop", "devicetodevice", "peertopeer"]
            .iter()
            .any(|word| lower.contains(word))
        {
            Direction::DeviceToDevice
        } else if lower.contains("h2h") || lower.contains("htoh") {
            Direction::HostToHost
        } else {
            Direction::Other
        },
    )
}

/// The direction that a call of the driver names, such as `hipMemcpyHtoDAsync` or `cuMemcpyDtoH_v2`.
pub(crate) fn call_direction(name: &str) -> Option<Direction> {
    let prefixes = ["hip", "cuda", "cu"];
    let call = prefixes.iter().find_map(|one| name.strip_prefix(one))?;
    gpu_transfer(call)
        .filter(|direction| !matches!(direction, Direction::Other | Direction::Memset))
}

/// Class of an op from its HLO category, if the HLO itself is not in the profile.
pub(crate) fn category_class(category: &str) -> Class {
    const COLLECTIVES: [&str; 9] = [
        "all-reduce",
        "all-gather",
        "reduce-scatter",
        "all-to-all",
        "collective",
        "send",
        "recv",
        "megascale",
        "ragged-all-to-all",
    ];
    if COLLECTIVES.iter().any(|word| category.contains(word)) {
        Class::Collective
    } else if category.contains("convolution") || category == "dot" || category == "output fusion" {
        Class::Matmul
    } else if category.starts_with("copy")
        || category.contains("infeed")
        || category.contains("outfeed")
    {
        Class::Copy
    } else {
        Class::Compute
    }
}

/// Class of an op from its name, if the profile has neither its HLO nor its category. XLA names an
/// op after its opcode, unless XLA created it: `all-reduce.19`, but `copy_bitcast_fusion.4`.
pub(crate) fn name_class(name: &str) -> Class {
    let opcode = name.split('.').next().unwrap_or(name);
    if opcode.contains('_') {
        Class::Compute
    } else {
        category_class(opcode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ops_without_hlo_are_told_by_the_opcode_in_their_names() {
        for (name, class) in [
            ("all-reduce.19", Class::Collective),
            ("all-gather-start", Class::Collective),
            ("collective-permute-done.2", Class::Collective),
            ("dot.3", Class::Matmul),
            ("convolution.1", Class::Matmul),
            ("copy.4", Class::Copy),
            ("copy_bitcast_fusion.4", Class::Compute),
            ("add.1", Class::Compute),
        ] {
            assert_eq!(name_class(name), class, "{name}");
        }
    }

    #[test]
    fn words_within_the_names_of_kernels_are_not_taken_for_others() {
        for (name, class) in [
            ("ncclDevKernel_AllGather_RING_LL", Class::Collective),
            ("cross_device_all_reduce_1stage", Class::Collective),
            ("oneShotAllReduceKernel", Class::Collective),
            ("small_gather_kernel", Class::Compute),
            ("fall_reduce", Class::Compute),
        ] {
            assert_eq!(kernel_class(name), class, "{name}");
        }
        assert_eq!(gpu_transfer("copy_tokens_kernel"), None);
    }

    #[test]
    fn transfers_by_name() {
        assert_eq!(gpu_transfer("MemcpyH2D"), Some(Direction::HostToDevice));
        assert_eq!(
            gpu_transfer("CopyDeviceToDevice"),
            Some(Direction::DeviceToDevice)
        );
        assert_eq!(gpu_transfer("MEMCPYDtoH"), Some(Direction::DeviceToHost));
        assert_eq!(gpu_transfer("Memset 0"), Some(Direction::Memset));
        let by_amd = |name| gpu_transfer(&format!("__amd_rocclr_{name}.kd"));
        assert_eq!(by_amd("copyBuffer"), Some(Direction::Other));
        assert_eq!(by_amd("copyBufferRectAligned"), Some(Direction::Other));
        assert_eq!(by_amd("fillBufferAligned"), Some(Direction::Memset));
        assert_eq!(by_amd("initHeap"), None);
        assert_eq!(gpu_transfer("loop_copy_fusion"), None);
        assert_eq!(gpu_transfer("copy_fusion"), None);
        let call = call_direction;
        assert_eq!(call("hipMemcpyHtoDAsync"), Some(Direction::HostToDevice));
        assert_eq!(call("cuMemcpyDtoHAsync_v2"), Some(Direction::DeviceToHost));
        assert_eq!(call("hipMemcpyDtoD"), Some(Direction::DeviceToDevice));
        assert_eq!(call("cuMemcpyPeerAsync"), None);
        assert_eq!(call("cudaMemcpyAsync"), None);
        assert_eq!(call("hipMemsetD8Async"), None);
        assert_eq!(call("MemcpyH2D"), None);
    }
}
