//! Buffer assignment: what the compiler placed where in memory, and for how long.
//!
//! ```text
//! allocation 7, HBM, 48 MiB          one block of memory, reserved while the program runs
//! ├─ buffer 12 at 0,     32 MiB      the value of an instruction
//! ├─ buffer 19 at 32 MiB, 16 MiB
//! └─ buffer 44 at 0,      8 MiB      after buffer 12 is dead
//! heap trace: alloc 12, alloc 19, free 12, alloc 44, …     in the order of the schedule
//! ```

use prost::Message;

use crate::outline::Outline;
use crate::wire::text;

/// The compiler's memory plan of one program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BufferAssignment {
    /// Values, in the order of the file.
    pub buffers: Vec<LogicalBuffer>,
    /// Blocks of memory that buffers were placed in, in the order of the file.
    pub allocations: Vec<Allocation>,
    /// What the compiler's simulation of the heap did, one trace per heap it laid out.
    pub heap_traces: Vec<HeapTrace>,
}

/// The value of an instruction, or of one leaf of its tuple.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogicalBuffer {
    /// Number, by which allocations and traces refer to it.
    pub id: i64,
    /// Bytes, padding included.
    pub size: u64,
    /// Memory space: 0 is the device's own memory.
    pub color: i64,
    /// Id of the instruction that defines it.
    pub instruction_id: i64,
    /// Name of that instruction, where the file is old enough to have it.
    pub instruction_name: String,
    /// Which leaf of the instruction's tuple; empty for the value itself.
    pub shape_index: Vec<i64>,
}

/// A block of memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of the compiler's own record, and they combine freely"
)]
pub struct Allocation {
    /// Number.
    pub index: i64,
    /// Bytes.
    pub size: u64,
    /// Memory space, as of [`LogicalBuffer::color`].
    pub color: i64,
    /// Each thread of execution has its own.
    pub is_thread_local: bool,
    /// It holds an argument of the program; which one says `parameter_number`.
    pub is_parameter: bool,
    /// Number of that argument.
    pub parameter_number: i64,
    /// Which leaf of that argument.
    pub parameter_shape_index: Vec<i64>,
    /// It may hold a result when the program ends.
    pub is_maybe_live_out: bool,
    /// It holds a table of pointers.
    pub is_tuple: bool,
    /// It holds a constant of the program.
    pub is_constant: bool,
    /// What was placed in it.
    pub assigned: Vec<Placement>,
}

/// Where in an allocation a buffer lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Placement {
    /// Which buffer.
    pub buffer_id: i64,
    /// Bytes from the beginning of the allocation.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// What a simulation of one heap did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeapTrace {
    /// Steps, in the order of the schedule.
    pub events: Vec<HeapEvent>,
    /// The heap is that of the whole program rather than of one computation.
    pub is_whole_module: bool,
}

/// One step of a simulation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeapEvent {
    /// What was done.
    pub kind: HeapEventKind,
    /// To which buffer.
    pub buffer_id: i64,
    /// Instruction at which it was done.
    pub instruction_name: String,
    /// With [`HeapEventKind::Share`]: the buffer whose memory it takes over.
    pub shared_with: i64,
}

/// What a step of the simulation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeapEventKind {
    /// A buffer begins to live.
    #[default]
    Alloc,
    /// A buffer ends.
    Free,
    /// A buffer begins to live in the memory of another.
    Share,
}

impl Allocation {
    /// It is in use from the beginning of the program to its end.
    pub fn is_indefinite(&self) -> bool {
        self.is_thread_local || self.is_parameter || self.is_constant || self.is_maybe_live_out
    }
}

impl BufferAssignment {
    /// The memory plan in the bytes of a serialized program; none where it has none or where it
    /// cannot be read.
    pub fn decode(program: &[u8]) -> Option<Self> {
        let bytes = Outline::of(program).buffer_assignment?;
        let proto = proto::BufferAssignment::decode(bytes).ok()?;
        let decoded = Self {
            buffers: proto.logical_buffers.into_iter().map(buffer).collect(),
            allocations: proto.allocations.into_iter().map(allocation).collect(),
            heap_traces: proto.heap_traces.into_iter().map(heap_trace).collect(),
        };
        (!decoded.allocations.is_empty()).then_some(decoded)
    }
}

fn buffer(proto: proto::LogicalBuffer) -> LogicalBuffer {
    let location = proto.defined_at.unwrap_or_default();
    LogicalBuffer {
        id: proto.id,
        size: unsigned(proto.size),
        color: proto.color,
        instruction_id: location.instruction_id,
        instruction_name: text(location.instruction_name),
        shape_index: location.shape_index,
    }
}

fn allocation(proto: proto::Allocation) -> Allocation {
    let placements = proto.assigned.into_iter();
    Allocation {
        index: proto.index,
        size: unsigned(proto.size),
        color: proto.color,
        is_thread_local: proto.is_thread_local,
        is_parameter: proto.is_entry_computation_parameter,
        parameter_number: proto.parameter_number,
        parameter_shape_index: proto.parameter_shape_index,
        is_maybe_live_out: proto.maybe_live_out,
        is_tuple: proto.is_tuple,
        is_constant: proto.is_constant,
        assigned: placements
            .map(|placement| Placement {
                buffer_id: placement.logical_buffer_id,
                offset: unsigned(placement.offset),
                size: unsigned(placement.size),
            })
            .collect(),
    }
}

fn heap_trace(proto: proto::HeapTrace) -> HeapTrace {
    let events = proto.events.into_iter();
    HeapTrace {
        is_whole_module: proto.whole_module_simulation,
        events: events
            .map(|event| HeapEvent {
                kind: match event.kind {
                    1 => HeapEventKind::Free,
                    2 => HeapEventKind::Share,
                    _ => HeapEventKind::Alloc,
                },
                buffer_id: event.buffer_id,
                instruction_name: text(event.instruction_name),
                shared_with: event.share_with_canonical_id,
            })
            .collect(),
    }
}

/// Sizes are not negative; where a damaged file says so they are none.
fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The messages, cut down to what is used. A trace names the allocation it belongs to as well, but
/// the number is often wrong, so it is not read.
mod proto {
    use prost::Message;

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct BufferAssignment {
        #[prost(message, repeated, tag = "1")]
        pub(super) logical_buffers: Vec<LogicalBuffer>,
        #[prost(message, repeated, tag = "3")]
        pub(super) allocations: Vec<Allocation>,
        #[prost(message, repeated, tag = "4")]
        pub(super) heap_traces: Vec<HeapTrace>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct LogicalBuffer {
        #[prost(int64, tag = "1")]
        pub(super) id: i64,
        #[prost(int64, tag = "2")]
        pub(super) size: i64,
        #[prost(message, optional, tag = "3")]
        pub(super) defined_at: Option<Location>,
        #[prost(int64, tag = "4")]
        pub(super) color: i64,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Location {
        #[prost(bytes = "vec", tag = "2")]
        pub(super) instruction_name: Vec<u8>,
        #[prost(int64, repeated, tag = "3")]
        pub(super) shape_index: Vec<i64>,
        #[prost(int64, tag = "4")]
        pub(super) instruction_id: i64,
    }

    #[derive(Clone, PartialEq, Message)]
    #[expect(
        clippy::struct_excessive_bools,
        reason = "they are fields of the message"
    )]
    pub(super) struct Allocation {
        #[prost(int64, tag = "1")]
        pub(super) index: i64,
        #[prost(int64, tag = "2")]
        pub(super) size: i64,
        #[prost(bool, tag = "3")]
        pub(super) is_thread_local: bool,
        #[prost(bool, tag = "5")]
        pub(super) is_entry_computation_parameter: bool,
        #[prost(int64, tag = "6")]
        pub(super) parameter_number: i64,
        #[prost(bool, tag = "7")]
        pub(super) maybe_live_out: bool,
        #[prost(int64, tag = "8")]
        pub(super) color: i64,
        #[prost(message, repeated, tag = "9")]
        pub(super) assigned: Vec<Assigned>,
        #[prost(int64, repeated, tag = "10")]
        pub(super) parameter_shape_index: Vec<i64>,
        #[prost(bool, tag = "11")]
        pub(super) is_tuple: bool,
        #[prost(bool, tag = "12")]
        pub(super) is_constant: bool,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Assigned {
        #[prost(int64, tag = "1")]
        pub(super) logical_buffer_id: i64,
        #[prost(int64, tag = "2")]
        pub(super) offset: i64,
        #[prost(int64, tag = "3")]
        pub(super) size: i64,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct HeapTrace {
        #[prost(message, repeated, tag = "1")]
        pub(super) events: Vec<Event>,
        #[prost(bool, tag = "2")]
        pub(super) whole_module_simulation: bool,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Event {
        #[prost(int32, tag = "1")]
        pub(super) kind: i32,
        #[prost(int64, tag = "2")]
        pub(super) buffer_id: i64,
        #[prost(bytes = "vec", tag = "4")]
        pub(super) instruction_name: Vec<u8>,
        #[prost(int64, tag = "5")]
        pub(super) share_with_canonical_id: i64,
    }
}
