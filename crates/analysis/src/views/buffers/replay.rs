//! The heap trace of one memory space, replayed: how much is held at every point of the schedule.
//!
//! ```text
//! events   alloc 1   alloc 2   share 3 with 1   free 1   free 2   free 3
//! point  0         1         2                3        4        5        6
//! held   0         1        1+2              1+2      1+2       1        0
//! ```
//!
//! There is a point before each event and one after the last, so that point *i* is the state after *i*
//! events. Buffers that share memory count once, as long as one of them is alive.

use rustc_hash::FxHashMap;
use stepscope_model::hlo::{HeapEvent, HeapEventKind, HeapTrace};

use super::plan::{BufferIndex, Category, Plan};

/// A memory space over the schedule of the program.
pub(super) struct Replay<'a> {
    pub(super) trace: Option<&'a HeapTrace>,
    /// Position of the allocation that the trace describes.
    pub(super) allocation: Option<usize>,
    /// Bytes held at each point in the whole memory space; a single point without a trace.
    pub(super) bytes: Vec<u64>,
    /// Bytes held at each point, without padding.
    pub(super) unpadded: Vec<u64>,
    /// Blocks of memory that the trace allocates, in order of allocation.
    pub(super) blocks: Vec<Block>,
    /// The lifetime of every buffer of the trace, whether or not it shares memory.
    pub(super) lives: Vec<Life>,
    /// The first point with the largest sum.
    pub(super) peak: usize,
    /// Number of traces of the space other than the replayed one.
    pub(super) other_traces: usize,
    /// Number of events that contradict earlier ones and were skipped.
    pub(super) odd_events: usize,
}

/// Memory that is held from one point to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    /// The buffer it was allocated for.
    pub(super) buffer: BufferIndex,
    /// The last buffer that uses it.
    pub(super) shown: BufferIndex,
    /// First point at which it is held.
    pub(super) start: usize,
    /// First point at which it is no longer held.
    pub(super) end: usize,
}

/// The lifetime of one buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Life {
    pub(super) buffer: BufferIndex,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'a> Replay<'a> {
    /// Replays a memory space of a plan.
    pub(super) fn of(plan: &Plan<'a>, color: i64) -> Self {
        let (chosen, other_traces) = choose(plan, color);
        let mut fixed = [0u64; 2];
        for (index, allocation) in plan.allocations(color) {
            if chosen.is_none_or(|(_, traced)| traced != index) {
                let padding = plan.largest_of(allocation).map_or(0, |buffer| {
                    plan.buffer(buffer)
                        .size
                        .saturating_sub(plan.unpadded(buffer))
                });
                fixed[0] = fixed[0].saturating_add(allocation.size);
                let unpadded = allocation.size.saturating_sub(padding);
                fixed[1] = fixed[1].saturating_add(unpadded);
            }
        }
        let mut state = State::new(plan, fixed);
        if let Some((trace, _)) = chosen {
            for (position, event) in trace.events.iter().enumerate() {
                state.apply(position, event.kind, event.buffer_id, event.shared_with);
            }
        }
        let (bytes, unpadded) = (state.bytes, state.unpadded);
        let peak = first_largest(&bytes);
        Self {
            trace: chosen.map(|(trace, _)| trace),
            allocation: chosen.map(|(_, allocation)| allocation),
            bytes,
            unpadded,
            blocks: state.blocks,
            lives: state.lives,
            peak,
            other_traces,
            odd_events: state.odd_events,
        }
    }

    /// Bytes at the peak.
    pub(super) fn peak_bytes(&self) -> u64 {
        self.bytes.get(self.peak).copied().unwrap_or(0)
    }

    /// Blocks that are held at a point.
    pub(super) fn held_at(&self, point: usize) -> impl Iterator<Item = &Block> {
        let blocks = self.blocks.iter();
        blocks.filter(move |block| block.start <= point && point < block.end)
    }

    /// The position in the schedule at a point: the instruction for which memory was last allocated. Free
    /// events do not help: they name the instruction of the buffer, not the one after which it is freed.
    pub(super) fn instruction_at(&self, point: usize) -> &'a str {
        let Some(trace) = self.trace else { return "" };
        let before = trace.events.get(..point).unwrap_or(&trace.events);
        let is_given = |event: &&HeapEvent| event.kind != HeapEventKind::Free;
        let given = before.iter().rev().find(is_given);
        let given = given.or_else(|| trace.events.first());
        given.map_or("", |event| event.instruction_name.as_str())
    }
}

fn first_largest(values: &[u64]) -> usize {
    let mut best = 0;
    for (point, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = point;
        }
    }
    best
}

/// The trace to replay, with the position of its allocation, and the number of other traces.
///
/// A trace belongs to the allocation that contains most of its buffers: the number that it states is
/// often wrong. Of several traces, the one of the first temporary allocation is used; if there is none,
/// the one with the most events.
fn choose<'a>(plan: &Plan<'a>, color: i64) -> (Option<(&'a HeapTrace, usize)>, usize) {
    let mut candidates: Vec<(&HeapTrace, usize)> = Vec::new();
    for trace in &plan.assignment.heap_traces {
        if let Some(allocation) = allocation_of(plan, trace)
            && plan.assignment.allocations[allocation].color == color
        {
            candidates.push((trace, allocation));
        }
    }
    let others = candidates.len().saturating_sub(1);
    let best = candidates.into_iter().min_by_key(|&(trace, allocation)| {
        let block = &plan.assignment.allocations[allocation];
        let is_temporary = Category::of(block) == Category::Temporary;
        (
            !is_temporary,
            if is_temporary { allocation } else { 0 },
            std::cmp::Reverse(trace.events.len()),
        )
    });
    (best, others)
}

fn allocation_of(plan: &Plan<'_>, trace: &HeapTrace) -> Option<usize> {
    let mut votes: FxHashMap<usize, usize> = FxHashMap::default();
    for event in &trace.events {
        let buffer = plan.buffer_of_id(event.buffer_id);
        if let Some(allocation) = buffer.and_then(|buffer| plan.allocation_of(buffer)) {
            *votes.entry(allocation).or_default() += 1;
        }
    }
    let mut votes: Vec<(usize, usize)> = votes.into_iter().collect();
    votes.sort_unstable();
    let best = votes.into_iter().rev().max_by_key(|&(_, count)| count);
    best.map(|(allocation, _)| allocation)
}

/// State during a replay.
struct State<'p, 'a> {
    plan: &'p Plan<'a>,
    /// Bytes held, with and without padding.
    held: [u64; 2],
    bytes: Vec<u64>,
    unpadded: Vec<u64>,
    blocks: Vec<Block>,
    lives: Vec<Life>,
    /// For each live buffer: its block and its lifetime.
    living: FxHashMap<BufferIndex, (usize, usize)>,
    /// For each buffer that ever had or shared a block: its last block.
    block_of: FxHashMap<BufferIndex, usize>,
    /// For each block: number of live buffers in it.
    users: Vec<usize>,
    odd_events: usize,
}

impl<'p, 'a> State<'p, 'a> {
    fn new(plan: &'p Plan<'a>, fixed: [u64; 2]) -> Self {
        Self {
            plan,
            held: fixed,
            bytes: vec![fixed[0]],
            unpadded: vec![fixed[1]],
            blocks: Vec::new(),
            lives: Vec::new(),
            living: FxHashMap::default(),
            block_of: FxHashMap::default(),
            users: Vec::new(),
            odd_events: 0,
        }
    }

    fn apply(&mut self, position: usize, kind: HeapEventKind, id: i64, shared_with: i64) {
        let is_odd = match self.plan.buffer_of_id(id) {
            None => true,
            Some(buffer) => match kind {
                HeapEventKind::Alloc => self.alloc(buffer, position + 1),
                HeapEventKind::Share => self.share(buffer, shared_with, position + 1),
                HeapEventKind::Free => self.free(buffer, position),
            }
            .is_none(),
        };
        self.odd_events += usize::from(is_odd);
        self.bytes.push(self.held[0]);
        self.unpadded.push(self.held[1]);
    }

    fn alloc(&mut self, buffer: BufferIndex, point: usize) -> Option<()> {
        if self.living.contains_key(&buffer) {
            return None;
        }
        let block = self.open(buffer, buffer, point);
        self.live(buffer, block, point);
        Some(())
    }

    /// Sharing a block that was freed allocates it again, as the compiler's simulation does.
    fn share(&mut self, buffer: BufferIndex, with: i64, point: usize) -> Option<()> {
        if self.living.contains_key(&buffer) {
            return None;
        }
        let other = self.plan.buffer_of_id(with)?;
        let known = self.block_of.get(&other).copied();
        let block = match known {
            Some(block) if self.users[block] > 0 => block,
            Some(block) => self.open(self.blocks[block].buffer, buffer, point),
            None => self.open(other, buffer, point),
        };
        self.blocks[block].shown = buffer;
        self.block_of.insert(other, block);
        self.live(buffer, block, point);
        Some(())
    }

    fn free(&mut self, buffer: BufferIndex, event: usize) -> Option<()> {
        let (block, life) = self.living.remove(&buffer)?;
        let point = event + 1;
        self.lives[life].end = point;
        self.users[block] -= 1;
        if self.users[block] == 0 {
            let root = self.blocks[block].buffer;
            self.held[0] = self.held[0].saturating_sub(self.plan.buffer(root).size);
            self.held[1] = self.held[1].saturating_sub(self.plan.unpadded(root));
            self.blocks[block].end = point;
        }
        Some(())
    }

    fn open(&mut self, root: BufferIndex, shown: BufferIndex, point: usize) -> usize {
        self.held[0] = self.held[0].saturating_add(self.plan.buffer(root).size);
        self.held[1] = self.held[1].saturating_add(self.plan.unpadded(root));
        self.blocks.push(Block {
            buffer: root,
            shown,
            start: point,
            end: usize::MAX,
        });
        self.users.push(0);
        self.blocks.len() - 1
    }

    fn live(&mut self, buffer: BufferIndex, block: usize, point: usize) {
        self.users[block] += 1;
        self.block_of.insert(buffer, block);
        self.living.insert(buffer, (block, self.lives.len()));
        self.lives.push(Life {
            buffer,
            start: point,
            end: usize::MAX,
        });
    }
}
