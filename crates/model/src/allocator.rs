//! What the allocators of devices and hosts recorded: every allocation and deallocation, with how
//! much was in use after it.
//!
//! The recorder writes them as instants on host threads. Their stats are read again from the bytes
//! of the file when somebody asks, so that sessions without such a question pay nothing.

mod read;

use crate::ids::{DeviceId, HostId, SliceId, StringId};
use crate::session::Session;
use crate::strings::Strings;
use crate::units::Picos;

/// All recorded allocator events of a session.
#[derive(Default)]
pub struct AllocatorLog {
    /// Allocators, by host, devices before host memory, then by number and name.
    pub allocators: Vec<Allocator>,
    /// What allocations were for, each distinct one once; number 0 says nothing.
    pub purposes: Vec<Purpose>,
    /// Texts of allocators and purposes.
    pub strings: Strings,
}

/// One allocator and its events.
pub struct Allocator {
    /// Host whose process it belongs to.
    pub host: HostId,
    /// Device whose memory it hands out; none for memory of the host.
    pub device: Option<DeviceId>,
    /// Name as recorded, such as `GPU_0_bfc`; the device's number where it has no name.
    pub name: String,
    /// Its events, by time.
    pub events: Vec<AllocatorEvent>,
}

/// One allocation or deallocation. Figures that were not recorded are 0, as there are recorders
/// that leave out what is 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AllocatorEvent {
    /// When.
    pub time: Picos,
    /// An allocation, else a deallocation.
    pub is_allocation: bool,
    /// Bytes handed out after it.
    pub in_use: i64,
    /// Bytes set aside for programs (the stack of a TPU) after it; not part of `in_use`.
    pub reserved: i64,
    /// Bytes free after it.
    pub available: i64,
    /// How scattered the free bytes are, 0..1.
    pub fragmentation: f32,
    /// What this request is for, as a position in [`AllocatorLog::purposes`].
    pub purpose: u32,
    /// The largest `in_use` since the process began, as the allocator knows it.
    pub peak: i64,
    /// Bytes asked for.
    pub requested: i64,
    /// Bytes handed out for it.
    pub allocated: i64,
    /// Address of the block.
    pub address: u64,
    /// The slice that shows it.
    pub slice: SliceId,
}

/// What an allocation was for, as recorded.
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
    /// Bytes that nobody else can have: handed out or set aside.
    pub const fn taken(&self) -> i64 {
        self.in_use.saturating_add(self.reserved)
    }

    /// Bytes the allocator has to give, all in all.
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

impl Session {
    /// Some allocator event was recorded. Looks at labels only.
    pub fn has_allocator_events(&self) -> bool {
        !read::actions(self).is_empty()
    }

    /// Reads all allocator events from the bytes of the files.
    pub fn allocator_log(&self) -> AllocatorLog {
        read::log(self)
    }
}
