//! Copies and memsets: their direction, size and memory.

use crate::class::Class;

/// A copy or memset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// The direction.
    pub direction: Direction,
    /// Bytes of one occurrence, if recorded.
    pub bytes: Option<u64>,
    /// How the host memory is allocated, if recorded.
    pub host_memory: Option<HostMemory>,
}

impl Transfer {
    /// The class of a transfer that is not part of an op of another class. A memset moves nothing: it
    /// is work of what it prepares memory for.
    pub(crate) fn class(&self) -> Class {
        match self.direction {
            Direction::Memset => Class::Compute,
            _ => Class::Copy,
        }
    }
}

/// How host memory is allocated, which determines how fast devices copy it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostMemory {
    /// Pageable memory: copied through a pinned buffer of the driver.
    Pageable,
    /// Pinned: copied directly.
    Pinned,
    /// Managed by the driver, which migrates pages.
    Managed,
}

impl HostMemory {
    /// The word in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pageable => "pageable",
            Self::Pinned => "pinned",
            Self::Managed => "managed",
        }
    }
}

/// The direction of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Host to device.
    HostToDevice,
    /// Device to host.
    DeviceToHost,
    /// Device to device, peer to peer included.
    DeviceToDevice,
    /// Host to host.
    HostToHost,
    /// Memset.
    Memset,
    /// Unknown: neither the copy nor its launch says it.
    Other,
}

impl Direction {
    /// The word on the wire and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HostToDevice => "host_to_device",
            Self::DeviceToHost => "device_to_host",
            Self::DeviceToDevice => "device_to_device",
            Self::HostToHost => "host_to_host",
            Self::Memset => "memset",
            Self::Other => "unknown",
        }
    }
}
