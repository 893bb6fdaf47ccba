//! Memory: what was alive on the devices when a snapshot was taken.
//!
//! ```text
//! Heap ── snapshots, oldest first ── samples: stack, kind, device, allocations, bytes
//!      └─ stacks (outermost frame first) ──► frames ──► texts
//! ```
//!
//! Frames, stacks, and texts are shared by all snapshots of a session, so that two snapshots can be
//! compared by number.

mod read;

use crate::ids::StringId;
use crate::strings::Strings;

pub use read::is_memory_profile;
pub(crate) use read::{Damage, add_snapshot};

/// The memory snapshots of a session.
#[derive(Default)]
pub struct Heap {
    /// Snapshots, oldest first; see [`HeapSnapshot::taken`] for how certain that is.
    pub snapshots: Vec<HeapSnapshot>,
    /// Distinct frames.
    pub frames: Vec<HeapFrame>,
    /// Names and texts.
    pub strings: Strings,
    /// Frames of the stacks, one stack after another.
    stack_frames: Vec<u32>,
    /// The end of each stack in `stack_frames`.
    stack_ends: Vec<u32>,
}

/// What was alive at one moment: one memory profile.
#[derive(Debug, Clone)]
pub struct HeapSnapshot {
    /// Name of its file, without suffix.
    pub name: String,
    /// When it was taken.
    pub taken: Option<Taken>,
    /// What was alive, in file order. Samples with the same stack may be apart, because JAX writes
    /// one for each array size.
    pub samples: Vec<HeapSample>,
}

/// When a snapshot was taken, and how that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// From the profile; nanoseconds since the Unix epoch. JAX writes none.
    Recorded(u64),
    /// When the file was last written; nanoseconds since the Unix epoch.
    Written(u64),
}

impl Taken {
    /// Nanoseconds since the Unix epoch.
    pub const fn epoch_ns(self) -> u64 {
        match self {
            Self::Recorded(epoch_ns) | Self::Written(epoch_ns) => epoch_ns,
        }
    }
}

/// Live allocations with the same stack, kind, and device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapSample {
    /// Where they were allocated.
    pub stack: StackId,
    /// `buffer`, `executable`; empty when not recorded.
    pub kind: StringId,
    /// Such as `cpu:0`; empty when not recorded, as for executables.
    pub device: StringId,
    /// Their number.
    pub allocations: i64,
    /// Their bytes.
    pub bytes: i64,
}

/// A stack of the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackId(pub u32);

/// A frame: a line of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HeapFrame {
    /// Function.
    pub function: StringId,
    /// Source file, as recorded; empty when unknown.
    pub file: StringId,
    /// Line in it; 0 when unknown.
    pub line: i64,
}

impl Heap {
    /// The frames of a stack, as positions in [`Heap::frames`], outermost first.
    pub fn stack(&self, id: StackId) -> &[u32] {
        let index = id.0 as usize;
        let end = self.stack_ends.get(index).copied().unwrap_or(0) as usize;
        let start = match index.checked_sub(1) {
            Some(before) => self.stack_ends.get(before).copied().unwrap_or(0) as usize,
            None => 0,
        };
        self.stack_frames.get(start..end).unwrap_or_default()
    }

    /// Distinct stacks.
    pub fn stack_count(&self) -> usize {
        self.stack_ends.len()
    }

    /// A text.
    pub fn text(&self, id: StringId) -> &str {
        self.strings.get(id)
    }
}
