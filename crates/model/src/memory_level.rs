//! Memories of a chip, nearest to the cores last, and the bytes that an op moves through each.

/// A memory of a chip, and the direction if both directions have separate peaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryLevel {
    /// Device memory, both directions together.
    Hbm,
    /// Reads of a TPU's common memory (v4).
    CmemRead,
    /// Writes of a TPU's common memory (v4).
    CmemWrite,
    /// Reads of a TPU's vector memory.
    VmemRead,
    /// Writes of a TPU's vector memory.
    VmemWrite,
    /// Shared memory and first-level cache of a GPU, both directions together.
    Shared,
}

impl MemoryLevel {
    /// All of them, in this order everywhere.
    pub const ALL: [Self; 6] = [
        Self::Hbm,
        Self::CmemRead,
        Self::CmemWrite,
        Self::VmemRead,
        Self::VmemWrite,
        Self::Shared,
    ];

    /// The word in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hbm => "hbm",
            Self::CmemRead => "cmem_read",
            Self::CmemWrite => "cmem_write",
            Self::VmemRead => "vmem_read",
            Self::VmemWrite => "vmem_write",
            Self::Shared => "shared",
        }
    }

    /// Position in [`Self::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Bytes through each memory.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Traffic([f64; MemoryLevel::ALL.len()]);

impl Traffic {
    /// All bytes through device memory: the assumption if nothing else is known.
    pub fn hbm(bytes: f64) -> Self {
        let mut traffic = Self::default();
        traffic.add(MemoryLevel::Hbm, bytes);
        traffic
    }

    /// Bytes through one memory.
    pub fn get(&self, level: MemoryLevel) -> f64 {
        self.0[level.index()]
    }

    /// Adds bytes through one memory.
    pub fn add(&mut self, level: MemoryLevel, bytes: f64) {
        self.0[level.index()] += bytes;
    }

    /// Adds this many times those of another.
    pub fn add_times(&mut self, other: &Self, times: f64) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own += other * times;
        }
    }

    /// Nothing at all.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&bytes| bytes == 0.0)
    }
}
