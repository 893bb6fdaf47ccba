//! Allocator events: their names, their stats, and the meaning of their numbers.

use rustc_hash::FxHashMap;
use stepscope_xplane::Plane;

use crate::session::DeviceKind;

/// What a host thread event says about memory, from its name.
pub(crate) fn allocator_event(name: &str) -> Option<bool> {
    match name {
        "MemoryAllocation" => Some(true),
        "MemoryDeallocation" => Some(false),
        _ => None,
    }
}

/// The meaning of a stat of an allocator event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryStat {
    AllocatorName,
    Index,
    Reserved,
    InUse,
    Available,
    Fragmentation,
    Peak,
    Requested,
    Allocated,
    Address,
    Op,
    Region,
    DataType,
    Shape,
}

fn stat_of(name: &[u8]) -> Option<MemoryStat> {
    Some(match name {
        b"allocator_name" => MemoryStat::AllocatorName,
        b"index_on_host" | b"device_ordinal" => MemoryStat::Index,
        b"bytes_reserved" => MemoryStat::Reserved,
        b"bytes_allocated" => MemoryStat::InUse,
        b"bytes_available" => MemoryStat::Available,
        b"fragmentation" => MemoryStat::Fragmentation,
        b"peak_bytes_in_use" => MemoryStat::Peak,
        b"requested_bytes" => MemoryStat::Requested,
        b"allocation_bytes" => MemoryStat::Allocated,
        b"addr" | b"address" => MemoryStat::Address,
        b"tf_op" => MemoryStat::Op,
        b"region_type" => MemoryStat::Region,
        b"data_type" => MemoryStat::DataType,
        b"shape" | b"tensor_shapes" => MemoryStat::Shape,
        _ => return None,
    })
}

/// The stats of one plane that are about memory, by ID.
pub(crate) fn memory_stats(plane: &Plane<'_>) -> FxHashMap<i64, MemoryStat> {
    let stats = plane.stat_metadata.iter();
    stats
        .filter_map(|metadata| Some((metadata.id, stat_of(metadata.name)?)))
        .collect()
}

/// Recorders without any information write this.
pub(crate) fn is_nothing(text: &str) -> bool {
    text.is_empty() || text == "(null)"
}

/// The name of an element type, by TensorFlow's number for it; 0 is none.
pub(crate) fn data_type(number: i64) -> &'static str {
    const NAMES: [&str; 24] = [
        "", "f32", "f64", "s32", "u8", "s16", "s8", "string", "c64", "s64", "pred", "qint8",
        "quint8", "qint32", "bf16", "qint16", "quint16", "u16", "c128", "f16", "resource",
        "variant", "u32", "u64",
    ];
    let named = usize::try_from(number).ok().and_then(|n| NAMES.get(n));
    match number {
        24 => "f8e5m2",
        25 => "f8e4m3fn",
        29 => "s4",
        30 => "u4",
        _ => named.copied().unwrap_or(""),
    }
}

/// The device whose memory an allocator manages: its kind (any GPU for GPUs) and number. `None` for
/// host memory.
pub(crate) fn allocator_device(name: &str) -> Option<(DeviceKind, i64)> {
    let digits = name.strip_prefix("GPU_").or(name.strip_prefix("gpu_"))?;
    let (number, _) = digits.split_once('_').unwrap_or((digits, ""));
    Some((DeviceKind::OtherGpu, number.parse().ok()?))
}

/// Host memory that devices can access, or that the CPU computes in.
pub(crate) fn is_host_allocator(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("host") || name.contains("cpu") || name.contains("pinned")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocators_by_name() {
        assert_eq!(
            allocator_device("GPU_4_bfc"),
            Some((DeviceKind::OtherGpu, 4))
        );
        assert_eq!(allocator_device("gpu_host_bfc"), None);
        assert!(is_host_allocator("xla_gpu_host_bfc") && is_host_allocator("mklcpu"));
        assert_eq!(
            (data_type(19), data_type(14), data_type(0)),
            ("f16", "bf16", "")
        );
        assert_eq!(data_type(-7), "");
    }
}
