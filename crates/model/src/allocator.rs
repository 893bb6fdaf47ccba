//! What the allocators of devices and hosts recorded: every allocation and deallocation, with how
//! much was in use after it.
//!
//! The recorder writes them as instants on host threads. Their stats are read again from the file's
//! bytes on demand, so that sessions without such a question pay nothing.

mod read;

use crate::ids::{DeviceId, HostId, SliceId, StringId};
use crate::strings::Strings;
use crate::units::Picos;

/// All recorded allocator events of a session.
#[derive(Default)]
pub struct AllocatorLog {
    /// Allocators, by host, devices before host memory, then by number and name.
    pub allocators: Vec<Allocator>,
    /// Purposes of allocations, each distinct one once; number 0 is unknown.
    pub purposes: Vec<Purpose>,
    /// Texts of allocators and purposes.
    pub strings: Strings,
}

/// One allocator and its events.
pub struct Allocator {
    /// Host whose process it belongs to.
    pub host: HostId,
    /// Device whose memory it manages; none for host memory.
    pub device: Option<DeviceId>,
    /// Name as recorded, such as `GPU_0_bfc`; the device's number if it has no name.
    pub name: String,
    /// Its events, by time.
    pub events: Vec<AllocatorEvent>,
}

/// One allocation or deallocation. Figures that were not recorded are 0, because some recorders
/// omit zeros.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AllocatorEvent {
    /// When.
    pub time: Picos,
    /// An allocation, else a deallocation.
    pub is_allocation: bool,
    /// Bytes allocated after it.
    pub in_use: i64,
    /// Bytes reserved for programs (the stack of a TPU) after it; not part of `in_use`.
    pub reserved: i64,
    /// Bytes free after it.
    pub available: i64,
    /// Fragmentation of the free bytes, 0..1.
    pub fragmentation: f32,
    /// Purpose of this request, as a position in [`AllocatorLog::purposes`].
    pub purpose: u32,
    /// The maximum `in_use` since the process started, according to the allocator.
    pub peak: i64,
    /// Bytes requested.
    pub requested: i64,
    /// Bytes allocated for it.
    pub allocated: i64,
    /// Address of the block.
    pub address: u64,
    /// The slice that shows it.
    pub slice: SliceId,
}

/// The purpose of an allocation, as recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Purpose {
    /// Framework op.
    pub op: StringId,
    /// `dynamic`, `persist`, `output` and the like.
    pub region: StringId,
    /// Element type in HLO's words.
    pub data_type: &'static str,
    /// Shape.
    pub shape: StringId,
}

impl Default for Purpose {
    fn default() -> Self {
        Self {
            op: Strings::EMPTY,
            region: Strings::EMPTY,
            data_type: "",
            shape: Strings::EMPTY,
        }
    }
}

impl AllocatorEvent {
    /// Bytes that are unavailable to others: allocated or reserved.
    pub const fn taken(&self) -> i64 {
        self.in_use.saturating_add(self.reserved)
    }

    /// Total bytes that the allocator manages.
    pub const fn capacity(&self) -> i64 {
        self.taken().saturating_add(self.available)
    }
}

impl AllocatorLog {
    /// A text.
    pub fn text(&self, id: StringId) -> &str {
        self.strings.get(id)
    }
}
