//! What `kernels` answers: GPU kernels with their launch geometry.

use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;

/// The answer of the `kernels` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct KernelsReport {
    /// One row per kernel and launch geometry, largest total first unless sorted otherwise.
    pub rows: Vec<KernelRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Σ kernel durations over all selected rows before the limit.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Copies and memsets, by direction.
    pub transfers: Vec<TransferRow>,
    /// Share of kernel time that carries an HLO op, 0..1; absent without kernels.
    pub attributed_ratio: Option<f64>,
    /// What the figures do not cover; says so when the profile has no GPU.
    pub notes: Vec<Note>,
}

/// One kernel with one launch geometry.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct KernelRow {
    /// Kernel function.
    pub name: String,
    /// Launches.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ duration.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Mean duration.
    pub mean_ps: f64,
    /// Shortest.
    #[ts(type = "number")]
    pub min_ps: i64,
    /// Longest.
    #[ts(type = "number")]
    pub max_ps: i64,
    /// Registers per thread; absent if not recorded.
    #[ts(type = "number | null")]
    pub registers: Option<i64>,
    /// Static and dynamic shared memory per block.
    #[ts(type = "number | null")]
    pub shared_bytes: Option<i64>,
    /// `x,y,z`.
    pub grid: String,
    /// `x,y,z`.
    pub block: String,
    /// Theoretical occupancy, 0..1; absent if not recorded.
    pub occupancy: Option<f64>,
    /// HLO op or framework op it ran for; empty if unknown.
    pub op: String,
    /// `module(program id)`; empty if unknown.
    pub program: String,
    /// Streams it ran on, comma separated.
    pub stream: String,
    /// Device names, comma separated.
    pub device: String,
}

/// Copies of one direction.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct TransferRow {
    /// `host_to_device`, `device_to_host`, `device_to_device`, `host_to_host`, `memset`, `other`.
    pub direction: String,
    /// How many.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ bytes; absent if not recorded.
    #[ts(type = "number | null")]
    pub bytes: Option<i64>,
    /// Σ duration.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// bytes ÷ duration, per second.
    pub bandwidth: Option<f64>,
}
