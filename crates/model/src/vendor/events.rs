//! What events mean, decided from their names once per label.

use std::sync::LazyLock;

use regex::Regex;

use crate::label::{Class, Direction, SliceKind};

/// Kind and class of a slice on a host thread.
pub(crate) fn host_event(name: &str) -> (SliceKind, Class) {
    if let Some(frame) = name.strip_prefix('$') {
        return (SliceKind::Python, python_class(frame));
    }
    if name.starts_with("end: ") || name.starts_with("ThreadpoolListener::") {
        return (SliceKind::Marker, Class::Marker);
    }
    (SliceKind::Host, host_class(name))
}

/// Frames of Python that only wait for the device.
fn python_class(frame: &str) -> Class {
    if frame.contains("block_until_ready") || frame.ends_with(" effects_barrier") {
        Class::Wait
    } else if COMPILE.is_match(frame) {
        Class::Compile
    } else if INPUT.is_match(frame) {
        Class::Input
    } else {
        Class::Python
    }
}

fn host_class(name: &str) -> Class {
    if WAIT.is_match(name) {
        Class::Wait
    } else if INPUT.is_match(name) {
        Class::Input
    } else if COMPILE.is_match(name) {
        Class::Compile
    } else if TRANSFER.is_match(name) {
        Class::Copy
    } else {
        Class::Host
    }
}

/// The pattern is ours and constant; an empty one, which matches everything, cannot come of it.
fn constant_pattern(pattern: &str) -> Regex {
    #[expect(
        clippy::expect_used,
        reason = "a constant pattern, compiled in every test run"
    )]
    Regex::new(pattern).expect("constant pattern")
}

/// The host waits for the device, a lock or other participants.
static WAIT: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(concat!(
        r"^Wait\b|::Await\b|\(wait for completion\)|^Rendezvous\b|^InvokeRendezvous|WaitUntil|",
        r"BlockHostUntil|block_until_ready|BlockUntilReady|Wait for |AwaitDone|",
        r"(?i:(cu|cuda|hip)(Stream|Event|Device|Ctx)Synchronize)|dependency-wait",
    ))
});

/// The host waits for or prepares input: tf.data, grain, and what people call their loaders.
static INPUT: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(concat!(
        r"^Iterator::|IteratorGetNext|(?i)data[ _]?load|load[ _]?(data|batch)|",
        r"(next|get|fetch|make|prepare|read)[ _]?batch|infeed|input[ _]?pipeline|prefetch|",
        r"\bgrain\b|data[ _]?wait|dataset\.py",
    ))
});

/// Compilation.
static COMPILE: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(concat!(
        r"XlaCompile|backend_compile|::Compile\b|::Compile\(|CompileAndLoad|RunBackend|RunHloPasses|",
        r"HloPassPipeline|^HloPass|LLVM|llvm::|BuildExecutable|compile_or_get_cached|",
        r"CompileTo|lower_jaxpr_to_module|^Compile",
    ))
});

/// Transfers as the host sees them.
static TRANSFER: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(concat!(
        r"TransferToDevice|TransferFromDevice|TransferH2D|TransferD2H|BufferFromHostBuffer|",
        r"ToLiteral|CopyToDevice|(?i)^(cu|hip|cuda)memcpy",
    ))
});

/// A kernel's class from its function name, where no op tells.
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
    LazyLock::new(|| constant_pattern(r"(?i)^nccl|^rccl|nvshmem|all_?reduce|all_?gather"));
static KERNEL_ATTENTION: LazyLock<Regex> =
    LazyLock::new(|| constant_pattern(r"(?i)fmha|flash_?(attn|fwd|bwd)|flashattention|sdpa"));
static KERNEL_MATMUL: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(
        r"(?i)gemm|cutlass|wgmma|hmma|matmul|nvjet|Cijk_|conv2d|conv3d|wgrad|dgrad|xmma|igemm|Im3d2Col|Im2d2Col",
    )
});

/// A copy or memset on a GPU stream, from the name of the event.
pub(crate) fn gpu_transfer(name: &str) -> Option<Direction> {
    let lower = name.to_ascii_lowercase();
    if lower.starts_with("memset") || lower.starts_with("fillbuffer") {
        return Some(Direction::Memset);
    }
    let is_copy =
        lower.starts_with("memcpy") || (lower.starts_with("copy") && lower.contains("to"));
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

/// Class of an op from its HLO category, where the HLO itself is not in the profile.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_events_by_name() {
        let class = |name| host_event(name).1;
        assert_eq!(class("Wait: pending_threads=1/2"), Class::Wait);
        assert_eq!(
            class("ThunkExecutor::Execute (wait for completion)"),
            Class::Wait
        );
        assert_eq!(class("CommonPjRtBuffer::Await"), Class::Wait);
        assert_eq!(class("data_loading"), Class::Input);
        assert_eq!(class("Iterator::Prefetch::Map"), Class::Input);
        assert_eq!(class("PjitFunction(step)"), Class::Host);
        assert_eq!(class("$array.py:631 block_until_ready"), Class::Wait);
        assert_eq!(
            class("$compiler.py:300 backend_compile_and_load"),
            Class::Compile
        );
        assert_eq!(host_event("end: dot.1").0, SliceKind::Marker);
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
        assert_eq!(gpu_transfer("loop_copy_fusion"), None);
        assert_eq!(gpu_transfer("copy_fusion"), None);
    }
}
