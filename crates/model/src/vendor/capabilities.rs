//! What a device plane records of its chip.

use crate::memory_level::MemoryLevel;

/// Capabilities a device plane recorded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Capabilities {
    pub(crate) model: Option<String>,
    pub(crate) vendor: Option<String>,
    pub(crate) peak_teraflops: Option<f64>,
    pub(crate) hbm_gigabytes_per_second: Option<f64>,
    pub(crate) clock_khz: Option<f64>,
    pub(crate) core_count: Option<f64>,
    pub(crate) memory_bandwidth: Option<f64>,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) capability: Option<(i64, i64)>,
    /// Gigabytes per second of on-chip memories.
    pub(crate) on_chip: Vec<(MemoryLevel, f64)>,
}
