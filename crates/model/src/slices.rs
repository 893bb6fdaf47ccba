//! Memory of slices: the columns of all lanes of a track in one block.
//!
//! ```text
//! starts ░░░░░░░░ durations ░░░░░░░░ labels ░░░░ events ░░░░      8, 8, 4 and 4 bytes a slice
//!        └lane 0┘└lane 1┘                                         a lane is a range of each column
//! ```
//!
//! A large block is mapped so that the system can use huge pages: clearing memory page by page took
//! up to a fifth of the time to open a profile. A block may also be left empty until it is first
//! used.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytemuck::TransparentWrapper as _;
use memmap2::MmapMut;

use crate::ids::LabelId;

/// Bytes of one slice in all columns.
const SLICE_BYTES: usize = 24;
/// A huge page. Blocks of at least half a huge page are mapped, in whole ones: the system aligns no
/// others.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// The columns of all lanes of a track.
pub(crate) struct SliceBlock {
    memory: OnceLock<Memory>,
    count: usize,
    /// Fills the columns on first use.
    fill: Option<Arc<Fill>>,
}

/// Fills columns. It must not wait for other threads, which may be waiting for the columns.
type Fill = dyn Fn(ColumnsMut<'_>) + Send + Sync;

enum Memory {
    Words(Vec<u64>),
    Mapped(MmapMut),
}

/// The columns, to be filled.
#[derive(Default)]
pub(crate) struct ColumnsMut<'a> {
    pub(crate) starts: &'a mut [i64],
    pub(crate) durations: &'a mut [i64],
    pub(crate) labels: &'a mut [u32],
    pub(crate) events: &'a mut [u32],
}

impl SliceBlock {
    /// Room for this many slices, all zero.
    pub(crate) fn zeroed(count: usize) -> Self {
        Self {
            memory: OnceLock::from(Memory::zeroed(count * SLICE_BYTES)),
            count,
            fill: None,
        }
    }

    /// Room for this many slices, which `fill` writes on first use.
    pub(crate) fn deferred(
        count: usize,
        fill: impl Fn(ColumnsMut<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self {
            memory: OnceLock::new(),
            count,
            fill: Some(Arc::new(fill)),
        }
    }

    /// Whether its slices are in memory.
    pub(crate) fn is_filled(&self) -> bool {
        self.memory.get().is_some()
    }

    /// Whether its slices may be forgotten.
    pub(crate) const fn can_be_filled_again(&self) -> bool {
        self.fill.is_some()
    }

    /// A block without slices in memory that is filled as this one would be, or was; `None` if this
    /// one can be filled only once.
    pub(crate) fn unfilled_copy(&self) -> Option<Self> {
        Some(Self {
            memory: OnceLock::new(),
            count: self.count,
            fill: Some(self.fill.clone()?),
        })
    }

    fn memory(&self) -> &Memory {
        self.memory.get_or_init(|| {
            let mut memory = Memory::zeroed(self.count * SLICE_BYTES);
            if let Some(fill) = &self.fill {
                fill(memory.columns_mut(self.count));
            }
            memory
        })
    }

    fn bytes(&self) -> &[u8] {
        let bytes: &[u8] = match self.memory() {
            Memory::Words(words) => bytemuck::cast_slice(words),
            Memory::Mapped(map) => map,
        };
        &bytes[..self.count * SLICE_BYTES]
    }

    pub(crate) fn starts(&self, range: Range<usize>) -> &[i64] {
        bytemuck::cast_slice(&self.bytes()[range.start * 8..range.end * 8])
    }

    pub(crate) fn durations(&self, range: Range<usize>) -> &[i64] {
        let column = self.count * 8;
        bytemuck::cast_slice(&self.bytes()[column + range.start * 8..column + range.end * 8])
    }

    pub(crate) fn labels(&self, range: Range<usize>) -> &[LabelId] {
        let column = self.count * 16;
        let numbers = &self.bytes()[column + range.start * 4..column + range.end * 4];
        LabelId::wrap_slice(bytemuck::cast_slice(numbers))
    }

    pub(crate) fn events(&self, range: Range<usize>) -> &[u32] {
        let column = self.count * 20;
        bytemuck::cast_slice(&self.bytes()[column + range.start * 4..column + range.end * 4])
    }

    pub(crate) fn columns_mut(&mut self) -> ColumnsMut<'_> {
        self.memory();
        let count = self.count;
        match self.memory.get_mut() {
            Some(memory) => memory.columns_mut(count),
            None => ColumnsMut::default(),
        }
    }
}

impl fmt::Debug for SliceBlock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SliceBlock({} slices)", self.count)
    }
}

impl Memory {
    fn zeroed(bytes: usize) -> Self {
        if bytes >= HUGE_PAGE_BYTES / 2
            && let Ok(map) = MmapMut::map_anon(bytes.next_multiple_of(HUGE_PAGE_BYTES))
        {
            // The advice may be refused: then the pages are small, and nothing else changes.
            #[cfg(target_os = "linux")]
            map.advise(memmap2::Advice::HugePage).unwrap_or_default();
            return Self::Mapped(map);
        }
        Self::Words(vec![0; bytes.div_ceil(8)])
    }

    fn columns_mut(&mut self, count: usize) -> ColumnsMut<'_> {
        let bytes: &mut [u8] = match self {
            Self::Words(words) => bytemuck::cast_slice_mut(words),
            Self::Mapped(map) => map,
        };
        let (starts, rest) = bytes.split_at_mut(count * 8);
        let (durations, rest) = rest.split_at_mut(count * 8);
        let (labels, rest) = rest.split_at_mut(count * 4);
        ColumnsMut {
            starts: bytemuck::cast_slice_mut(starts),
            durations: bytemuck::cast_slice_mut(durations),
            labels: bytemuck::cast_slice_mut(labels),
            events: bytemuck::cast_slice_mut(&mut rest[..count * 4]),
        }
    }
}
