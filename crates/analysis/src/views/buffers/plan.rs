//! The memory plan of a program: which instruction a buffer belongs to, and where it is placed.

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_model::Program;
use stepscope_model::hlo::{
    self, Allocation, BufferAssignment, Instruction, InstructionIndex, LogicalBuffer, Placement,
    Shape,
};

/// Position of a buffer in [`BufferAssignment::buffers`].
pub(super) type BufferIndex = usize;

/// A program with its memory plan.
pub(super) struct Plan<'a> {
    pub(super) program: &'a Program,
    pub(super) hlo: &'a hlo::Program,
    pub(super) assignment: &'a BufferAssignment,
    index_of: FxHashMap<i64, BufferIndex>,
    /// For each buffer: position of its allocation, and its placement in it.
    placed: Vec<Option<(usize, Placement)>>,
    /// Instructions whose values the program returns.
    results: FxHashSet<InstructionIndex>,
}

impl<'a> Plan<'a> {
    /// The memory plan of a program, if it has one.
    pub(super) fn of(program: &'a Program) -> Option<Self> {
        let hlo = program.hlo.as_ref()?;
        let assignment = program.buffer_assignment()?;
        let buffers = assignment.buffers.iter().enumerate();
        let index_of: FxHashMap<i64, BufferIndex> =
            buffers.map(|(index, buffer)| (buffer.id, index)).collect();
        let mut placed = vec![None; assignment.buffers.len()];
        for (allocation, block) in assignment.allocations.iter().enumerate() {
            for placement in &block.assigned {
                if let Some(&buffer) = index_of.get(&placement.buffer_id) {
                    placed[buffer] = Some((allocation, *placement));
                }
            }
        }
        Some(Self {
            program,
            hlo,
            assignment,
            index_of,
            placed,
            results: results(hlo),
        })
    }

    /// The buffer with this id.
    pub(super) fn buffer_of_id(&self, id: i64) -> Option<BufferIndex> {
        self.index_of.get(&id).copied()
    }

    pub(super) fn buffer(&self, index: BufferIndex) -> &'a LogicalBuffer {
        &self.assignment.buffers[index]
    }

    /// Position of the allocation that contains a buffer.
    pub(super) fn allocation_of(&self, index: BufferIndex) -> Option<usize> {
        self.placed[index].map(|(allocation, _)| allocation)
    }

    /// Bytes from the start of the allocation.
    pub(super) fn offset(&self, index: BufferIndex) -> Option<u64> {
        self.placed[index].map(|(_, placement)| placement.offset)
    }

    /// The instruction that defines a buffer; found by name if the id is unknown, as in old files.
    pub(super) fn instruction(&self, index: BufferIndex) -> Option<&'a Instruction> {
        let buffer = self.buffer(index);
        let by_id = self.hlo.instruction_by_id(buffer.instruction_id);
        by_id
            .filter(|found| {
                buffer.instruction_name.is_empty() || found.name == buffer.instruction_name
            })
            .or_else(|| self.hlo.instruction(&buffer.instruction_name))
            .or(by_id)
    }

    /// The shape of the leaf that a buffer holds, however deep it is nested.
    pub(super) fn shape(&self, index: BufferIndex) -> Option<&'a Shape> {
        let mut shape = &self.instruction(index)?.shape;
        for &leaf in &self.buffer(index).shape_index {
            shape = shape.tuple_shapes.get(usize::try_from(leaf).ok()?)?;
        }
        Some(shape)
    }

    /// Bytes of a buffer without padding. A tuple is a table of pointers, which has no padding.
    pub(super) fn unpadded(&self, index: BufferIndex) -> u64 {
        let size = self.buffer(index).size;
        match self.shape(index) {
            Some(shape) if !shape.is_tuple() && shape.byte_size() > 0 => {
                shape.byte_size().min(size)
            }
            _ => size,
        }
    }

    /// The buffer that represents an allocation: its argument or result, if it has one (other values may
    /// use the memory before or after); else the largest buffer, and the first of equally large ones.
    pub(super) fn largest_of(&self, allocation: &Allocation) -> Option<BufferIndex> {
        let buffers = allocation.assigned.iter();
        buffers
            .filter_map(|placement| self.buffer_of_id(placement.buffer_id))
            .min_by_key(|&index| {
                let is_wanted = self.instruction(index).is_some_and(|found| {
                    if allocation.is_parameter {
                        found.opcode == "parameter"
                    } else {
                        allocation.is_maybe_live_out && self.results.contains(&found.index)
                    }
                });
                let size = self.buffer(index).size;
                (!is_wanted, std::cmp::Reverse(size), index)
            })
    }

    /// The memory spaces that the plan uses, ascending.
    pub(super) fn colors(&self) -> Vec<i64> {
        let allocations = self.assignment.allocations.iter();
        let mut colors: Vec<i64> = allocations.map(|allocation| allocation.color).collect();
        colors.sort_unstable();
        colors.dedup();
        colors
    }

    /// Allocations of one memory space, with their positions.
    pub(super) fn allocations(&self, color: i64) -> impl Iterator<Item = (usize, &'a Allocation)> {
        let all = self.assignment.allocations.iter().enumerate();
        all.filter(move |(_, allocation)| allocation.color == color)
    }
}

/// What the entry computation returns: its root, or the operands of its root, followed through
/// instructions that only name parts of values and need no memory.
fn results(hlo: &hlo::Program) -> FxHashSet<InstructionIndex> {
    let Some(root) = hlo.entry().and_then(|entry| hlo.root(entry)) else {
        return FxHashSet::default();
    };
    let mut found = FxHashSet::default();
    for value in std::iter::once(root).chain(hlo.operands(root)) {
        let mut current = Some(value);
        // Such chains are short; in a damaged file, they may be cyclic.
        for _ in 0..16 {
            let Some(value) = current else { break };
            found.insert(value.index);
            let is_name = matches!(value.opcode.as_str(), "bitcast" | "get-tuple-element");
            current = hlo.operand(value, 0).filter(|_| is_name);
        }
    }
    found
}

/// What an allocation is used for; the first that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Category {
    Parameter,
    Output,
    ThreadLocal,
    Constant,
    Temporary,
}

impl Category {
    pub(super) const ALL: [Self; 5] = [
        Self::Parameter,
        Self::Output,
        Self::ThreadLocal,
        Self::Constant,
        Self::Temporary,
    ];

    pub(super) fn of(allocation: &Allocation) -> Self {
        if allocation.is_parameter {
            Self::Parameter
        } else if allocation.is_maybe_live_out {
            Self::Output
        } else if allocation.is_thread_local {
            Self::ThreadLocal
        } else if allocation.is_constant {
            Self::Constant
        } else {
            Self::Temporary
        }
    }

    /// The word on the wire and in tables.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Parameter => "parameter",
            Self::Output => "output",
            Self::ThreadLocal => "thread-local",
            Self::Constant => "constant",
            Self::Temporary => "temporary",
        }
    }
}
