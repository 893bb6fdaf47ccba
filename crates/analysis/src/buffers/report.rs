//! What `buffers` answers: the memory plan of a program.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;

/// The answer of the `buffers` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct BuffersReport {
    /// What is held at `position`, largest first unless sorted otherwise.
    pub rows: Vec<BufferRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Program, as `module(program id)` of the program; empty where none carries a memory plan.
    pub program: String,
    /// Its id.
    pub program_id: String,
    /// The memory space that the figures are of, such as `HBM`.
    pub memory_space: String,
    /// The compiler's number of that memory space.
    #[ts(type = "number")]
    pub memory_space_color: i64,
    /// Most bytes held at any point of the schedule, padding included.
    #[ts(type = "number")]
    pub peak_bytes: i64,
    /// The same point without padding.
    #[ts(type = "number")]
    pub peak_unpadded_bytes: i64,
    /// Point of the peak, counted in events of the heap trace.
    pub peak_position: usize,
    /// Points of the schedule; 1 where the space has no heap trace.
    pub point_count: usize,
    /// Point that `rows` and `categories` are of: the peak unless another was asked for.
    pub position: usize,
    /// Where the schedule is then: the instruction that was last given memory; empty without a heap
    /// trace.
    pub position_instruction: String,
    /// Its name stack.
    pub position_scope: String,
    /// Bytes held at that point.
    #[ts(type = "number")]
    pub position_bytes: i64,
    /// The same by what the memory is for.
    pub categories: Vec<BufferCategory>,
    /// Bytes held over the schedule, oldest first; thinned out, each point the largest of its stretch.
    pub curve: Vec<BufferPoint>,
    /// Bytes of the allocation that the heap trace lays out; absent without a trace.
    #[ts(type = "number | null")]
    pub heap_bytes: Option<i64>,
    /// When and where in that allocation buffers live, the largest by bytes × time.
    pub lifetimes: Vec<BufferLifetime>,
    /// Buffers of the trace, shown or not.
    pub lifetime_count: usize,
    /// What to shrink to fit, the largest effect on the peak first.
    pub savings: Vec<BufferSaving>,
    /// Bytes lost to padding at the peak, by shape, largest first.
    pub padding: Vec<BufferPadding>,
    /// The program's memory spaces.
    pub spaces: Vec<BufferSpace>,
    /// All programs that carry a memory plan, largest peak first.
    pub programs: Vec<BufferProgram>,
    /// Most VMEM that one instruction reserves for its own use while it runs; absent if none does.
    #[ts(type = "number | null")]
    pub scoped_vmem_bytes: Option<i64>,
    /// The instruction that does; empty if none.
    pub scoped_vmem_instruction: String,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// Memory that is held at one point.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BufferRow {
    /// The instruction whose value it holds, and the position in its tuple. A block that several
    /// values take over one after another is called by the last.
    pub name: String,
    /// Instruction alone, as the graph knows it.
    pub instruction: String,
    /// Opcode of the instruction.
    pub opcode: String,
    /// What the memory is for: the first that applies of argument, result, thread-local, constant,
    /// temporary.
    pub category: String,
    /// Shape with layout.
    pub shape: String,
    /// Bytes held, padding included.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Bytes without padding.
    #[ts(type = "number")]
    pub unpadded_bytes: i64,
    /// Bytes that a layout in whole tiles takes beyond its elements.
    #[ts(type = "number")]
    pub padding_bytes: i64,
    /// Share of what is held at the point.
    pub ratio: f64,
    /// Name stack; of a parameter, the argument's name.
    pub scope: String,
    /// Source line, as `file:line`; empty if unknown.
    pub source: String,
    /// First point at which it is held; absent where it is held from beginning to end.
    #[ts(type = "number | null")]
    pub start: Option<i64>,
    /// First point at which it is held no more; absent where it is held to the end.
    #[ts(type = "number | null")]
    pub end: Option<i64>,
    /// Where the schedule is when it is freed: the instruction that was last given memory.
    pub end_instruction: String,
    /// Bytes from the beginning of its allocation. Absent where it is the allocation.
    #[ts(type = "number | null")]
    pub offset_bytes: Option<i64>,
    /// How the value is divided over devices; empty if unknown.
    pub sharding: String,
    /// Memory that an argument hands over to a result, which then takes none of its own.
    pub is_donated: bool,
    /// Number of the buffer in the compiler's plan.
    pub buffer_id: String,
}

/// What is held at the point for one purpose.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BufferCategory {
    /// One of `parameter`, `output`, `thread-local`, `constant` or `temporary`.
    pub category: String,
    /// Bytes held.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Bytes without padding.
    #[ts(type = "number")]
    pub unpadded_bytes: i64,
    /// Share of what is held at the point, 0..1.
    pub ratio: f64,
    /// Buffers.
    pub count: usize,
}

/// One point of the schedule.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct BufferPoint {
    /// Which point, counted in events of the heap trace.
    pub position: usize,
    /// Bytes held.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Bytes without padding.
    #[ts(type = "number")]
    pub unpadded_bytes: i64,
    /// Where the schedule is then: the instruction that was last given memory.
    pub instruction: String,
}

/// When and where one buffer lives.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct BufferLifetime {
    /// Instruction and position in its tuple.
    pub name: String,
    /// Bytes from the beginning of the allocation.
    #[ts(type = "number")]
    pub offset_bytes: i64,
    /// Bytes.
    #[ts(type = "number")]
    pub bytes: i64,
    /// First point.
    pub start: usize,
    /// First point at which it lives no more.
    pub end: usize,
    /// `forward`, `backward`, `rematerialised`, or empty where the name stack is unknown.
    pub phase: String,
}

/// One way to need less memory.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BufferSaving {
    /// One of `rematerialise`, `donate`, `shard`, `precision`, `batch` or `padding`.
    pub remedy: String,
    /// What it is about: a name stack with numbers left out, arguments, or all temporaries.
    pub group: String,
    /// Source line, as `file:line`, that most of it comes from; empty if unknown.
    pub source: String,
    /// Largest instruction of the group.
    pub instruction: String,
    /// Buffers at the peak that it is about.
    pub count: usize,
    /// Bytes that they hold at the peak.
    #[ts(type = "number")]
    pub bytes: i64,
    /// By how much the peak falls, the point of the new peak being elsewhere perhaps.
    #[ts(type = "number")]
    pub frees_bytes: i64,
    /// What to do, in a sentence or two.
    pub advice: String,
}

/// Padding of one shape.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BufferPadding {
    /// Shape with layout.
    pub shape: String,
    /// Bytes lost at the peak.
    #[ts(type = "number")]
    pub padding_bytes: i64,
    /// Bytes held at the peak, padding included.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Share of them that is padding, 0..1.
    pub padding_ratio: f64,
    /// Buffers of this shape.
    pub count: usize,
    /// The first of them.
    pub instruction: String,
    /// Its `file:line`; empty if unknown.
    pub source: String,
}

/// Totals of one memory space.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BufferSpace {
    /// Name, such as `HBM`.
    pub name: String,
    /// The compiler's number of it.
    #[ts(type = "number")]
    pub color: i64,
    /// Most bytes held at any point.
    #[ts(type = "number")]
    pub peak_bytes: i64,
    /// Bytes that are reserved while the program runs.
    #[ts(type = "number")]
    pub allocation_bytes: i64,
    /// Bytes of arguments.
    #[ts(type = "number")]
    pub parameter_bytes: i64,
    /// Bytes that may hold results, those taken over from arguments included.
    #[ts(type = "number")]
    pub live_out_bytes: i64,
    /// Bytes of intermediate values.
    #[ts(type = "number")]
    pub temporary_bytes: i64,
    /// Bytes of constants.
    #[ts(type = "number")]
    pub constant_bytes: i64,
    /// Bytes that each thread has of its own.
    #[ts(type = "number")]
    pub thread_local_bytes: i64,
    /// Bytes that no other value can be placed in: thread-local ones and tables of pointers.
    #[ts(type = "number")]
    pub non_reusable_bytes: i64,
    /// Bytes of the heap that lie unused between buffers even at the peak.
    #[ts(type = "number")]
    pub fragmentation_bytes: i64,
    /// Allocations.
    pub allocation_count: usize,
    /// Events of the heap trace; 0 where there is none.
    pub event_count: usize,
}

/// A program that carries a memory plan; sums are over the memory of the device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BufferProgram {
    /// Program, as `module(program id)`.
    pub program: String,
    /// Its id.
    pub program_id: String,
    /// Most bytes held at any point.
    #[ts(type = "number")]
    pub peak_bytes: i64,
    /// Bytes that are reserved while it runs.
    #[ts(type = "number")]
    pub allocation_bytes: i64,
    /// Bytes of arguments.
    #[ts(type = "number")]
    pub parameter_bytes: i64,
    /// Bytes that may hold results.
    #[ts(type = "number")]
    pub live_out_bytes: i64,
    /// Bytes of intermediate values.
    #[ts(type = "number")]
    pub temporary_bytes: i64,
    /// Instructions.
    pub instruction_count: usize,
    /// It has a heap trace, so that what is held is known at every point.
    pub has_heap_trace: bool,
    /// Runs in the capture.
    pub run_count: usize,
}
