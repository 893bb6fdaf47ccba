//! What `buffers` answers: the memory plan of a program.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;

/// The answer of the `buffers` analysis.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BuffersReport {
    /// What is held at `position`, largest first unless sorted otherwise.
    pub rows: Vec<BufferRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Program, as `module(program id)`. Empty if no program has a memory plan.
    pub program: String,
    /// Id of the program.
    pub program_id: String,
    /// Memory space that the figures refer to, such as `HBM`.
    pub memory_space: String,
    /// The compiler's number for that memory space.
    #[ts(type = "number")]
    pub memory_space_color: i64,
    /// Most bytes held at any point of the schedule, padding included.
    #[ts(type = "number")]
    pub peak_bytes: i64,
    /// Bytes held at the same point, without padding.
    #[ts(type = "number")]
    pub peak_unpadded_bytes: i64,
    /// Point of the peak, counted in events of the heap trace.
    pub peak_position: usize,
    /// Number of points in the schedule; 1 if the memory space has no heap trace.
    pub point_count: usize,
    /// Point that `rows` and `categories` describe: the peak, or the requested point.
    pub position: usize,
    /// Position in the schedule at that point: the instruction for which memory was last allocated. Empty
    /// without a heap trace.
    pub position_instruction: String,
    /// Name stack of that instruction.
    pub position_scope: String,
    /// Bytes held at that point.
    #[ts(type = "number")]
    pub position_bytes: i64,
    /// Bytes held at that point, by what the memory is used for.
    pub categories: Vec<BufferCategory>,
    /// Bytes held over the schedule, in order; thinned out to the largest point of each range.
    pub curve: Vec<BufferPoint>,
    /// Bytes of the allocation that the heap trace describes; absent without a trace.
    #[ts(type = "number | null")]
    pub heap_bytes: Option<i64>,
    /// When buffers live and where they are in that allocation, the largest by bytes × time.
    pub lifetimes: Vec<BufferLifetime>,
    /// Number of buffers in the trace, shown or not.
    pub lifetime_count: usize,
    /// What to shrink, largest effect on the peak first.
    pub savings: Vec<BufferSaving>,
    /// Bytes lost to padding at the peak, by shape, largest first.
    pub padding: Vec<BufferPadding>,
    /// The program's memory spaces.
    pub spaces: Vec<BufferSpace>,
    /// All programs that have a memory plan, largest peak first.
    pub programs: Vec<BufferProgram>,
    /// Most VMEM that a single instruction reserves while it runs; absent if none does.
    #[ts(type = "number | null")]
    pub scoped_vmem_bytes: Option<i64>,
    /// Instruction that reserves the most VMEM; empty if none does.
    pub scoped_vmem_instruction: String,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// Memory that is held at one point.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BufferRow {
    /// Instruction whose value the buffer holds, and the position in its tuple. A block that
    /// several values occupy one after another is named after the last one.
    pub name: String,
    /// Name of the instruction alone, as in the `graph` analysis.
    pub instruction: String,
    /// Opcode of the instruction whose value the buffer holds.
    pub opcode: String,
    /// What the memory is used for: the first that applies of `parameter` (argument), `output`
    /// (result), `thread-local`, `constant` and `temporary`.
    pub category: String,
    /// Shape of the value in the buffer, with layout.
    pub shape: String,
    /// Bytes that the buffer holds, padding included.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Bytes that the buffer would hold without padding.
    #[ts(type = "number")]
    pub unpadded_bytes: i64,
    /// Bytes that a layout in whole tiles needs in addition to the elements of the value.
    #[ts(type = "number")]
    pub padding_bytes: i64,
    /// Bytes of the buffer ÷ all bytes held at the selected point of the schedule.
    pub ratio: f64,
    /// Name stack of the instruction. For a parameter, the name of the argument.
    pub scope: String,
    /// Source line of the instruction, as `file:line`. Empty if unknown.
    pub source: String,
    /// First point of the schedule at which the buffer is held. Absent if it is held from start to
    /// end.
    #[ts(type = "number | null")]
    pub start: Option<i64>,
    /// First point of the schedule at which the buffer is no longer held. Absent if it is held to
    /// the end.
    #[ts(type = "number | null")]
    pub end: Option<i64>,
    /// Position in the schedule when the buffer is freed: the instruction for which memory was last
    /// allocated.
    pub end_instruction: String,
    /// Bytes from the start of the allocation that contains the buffer. Absent if the buffer is the
    /// allocation itself.
    #[ts(type = "number | null")]
    pub offset_bytes: Option<i64>,
    /// How the value of an argument is divided over devices. Empty for other values and if unknown.
    pub sharding: String,
    /// Whether the memory belongs to an argument that donates it to a result, which then needs no
    /// additional memory.
    pub is_donated: bool,
    /// Number of the buffer in the compiler's memory plan.
    pub buffer_id: String,
}

/// What is held at the point in one category.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BufferCategory {
    /// What the memory is used for: one of `parameter`, `output`, `thread-local`, `constant` or
    /// `temporary`.
    pub category: String,
    /// Bytes that buffers of the category hold at the selected point of the schedule, padding
    /// included.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Bytes that buffers of the category hold at the selected point of the schedule, without
    /// padding.
    #[ts(type = "number")]
    pub unpadded_bytes: i64,
    /// Bytes of the category ÷ all bytes held at the selected point of the schedule, 0..1.
    pub ratio: f64,
    /// Number of buffers of the category that are held at the selected point of the schedule.
    pub count: usize,
}

/// One point of the schedule.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct BufferPoint {
    /// The point, counted in events of the heap trace.
    pub position: usize,
    /// Bytes held, padding included.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Bytes held, without padding.
    #[ts(type = "number")]
    pub unpadded_bytes: i64,
    /// Position in the schedule: the instruction for which memory was last allocated.
    pub instruction: String,
}

/// When and where one buffer lives.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct BufferLifetime {
    /// Instruction and position in its tuple.
    pub name: String,
    /// Bytes from the start of the allocation.
    #[ts(type = "number")]
    pub offset_bytes: i64,
    /// Size of the buffer in bytes, padding included.
    #[ts(type = "number")]
    pub bytes: i64,
    /// First point at which the buffer is alive.
    pub start: usize,
    /// First point at which the buffer is no longer alive.
    pub end: usize,
    /// `forward`, `backward`, `rematerialized`, or empty if the name stack is unknown.
    pub phase: String,
}

/// One way to reduce memory.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BufferSaving {
    /// Way to reduce memory: one of `rematerialize`, `donate`, `shard`, `precision`, `batch` or
    /// `padding`.
    pub remedy: String,
    /// What the remedy applies to: a name stack with numbers left out, arguments, results, all
    /// temporaries, an opcode or a shape.
    pub group: String,
    /// Source line of the largest buffer in the group, as `file:line`. Empty if unknown.
    pub source: String,
    /// Instruction of the largest buffer in the group.
    pub instruction: String,
    /// Number of buffers at the peak that the remedy applies to.
    pub count: usize,
    /// Bytes that the buffers of the group hold at the peak.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Bytes by which the peak would fall. The new peak may be at another point of the schedule.
    #[ts(type = "number")]
    pub frees_bytes: i64,
    /// Recommended change, in a sentence or two.
    pub advice: String,
}

/// Padding of one shape.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BufferPadding {
    /// Shape of the padded buffers, with layout.
    pub shape: String,
    /// Bytes lost to padding in buffers of the shape at the peak.
    #[ts(type = "number")]
    pub padding_bytes: i64,
    /// Bytes that padded buffers of the shape hold at the peak, padding included.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Padding ÷ bytes of the padded buffers of the shape at the peak, 0..1.
    pub padding_ratio: f64,
    /// Number of padded buffers of the shape that are held at the peak.
    pub count: usize,
    /// Instruction of the first padded buffer of the shape.
    pub instruction: String,
    /// Source line of the first padded buffer of the shape, as `file:line`. Empty if unknown.
    pub source: String,
}

/// Totals of one memory space.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BufferSpace {
    /// Name of the memory space, such as `HBM`.
    pub name: String,
    /// The compiler's number for the memory space.
    #[ts(type = "number")]
    pub color: i64,
    /// Most bytes of the memory space that are held at any point of the schedule.
    #[ts(type = "number")]
    pub peak_bytes: i64,
    /// Bytes of the memory space that are reserved while the program runs.
    #[ts(type = "number")]
    pub allocation_bytes: i64,
    /// Bytes of the memory space that hold arguments.
    #[ts(type = "number")]
    pub parameter_bytes: i64,
    /// Bytes of the memory space that may hold results, including memory that arguments donate.
    #[ts(type = "number")]
    pub live_out_bytes: i64,
    /// Bytes of the memory space that hold intermediate values.
    #[ts(type = "number")]
    pub temporary_bytes: i64,
    /// Bytes of the memory space that hold constants.
    #[ts(type = "number")]
    pub constant_bytes: i64,
    /// Bytes of the memory space that are private to each thread.
    #[ts(type = "number")]
    pub thread_local_bytes: i64,
    /// Bytes that cannot be reused for any other value: thread-local memory and tables of pointers.
    #[ts(type = "number")]
    pub non_reusable_bytes: i64,
    /// Reserved bytes that are unused even at the peak, such as gaps between buffers.
    #[ts(type = "number")]
    pub fragmentation_bytes: i64,
    /// Number of allocations in the memory space.
    pub allocation_count: usize,
    /// Number of events in the heap trace of the memory space. 0 if there is no trace.
    pub event_count: usize,
}

/// A program that has a memory plan; sums are over device memory.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BufferProgram {
    /// Program with a memory plan, as `module(program id)`.
    pub program: String,
    /// Id of the program.
    pub program_id: String,
    /// Most bytes of device memory that the program holds at any point of its schedule.
    #[ts(type = "number")]
    pub peak_bytes: i64,
    /// Bytes of device memory that are reserved while the program runs.
    #[ts(type = "number")]
    pub allocation_bytes: i64,
    /// Bytes of device memory that hold arguments of the program.
    #[ts(type = "number")]
    pub parameter_bytes: i64,
    /// Bytes of device memory that may hold results of the program.
    #[ts(type = "number")]
    pub live_out_bytes: i64,
    /// Bytes of device memory that hold intermediate values of the program.
    #[ts(type = "number")]
    pub temporary_bytes: i64,
    /// Number of instructions in the program.
    pub instruction_count: usize,
    /// Whether the program has a heap trace, which shows what is held at every point of the
    /// schedule.
    pub has_heap_trace: bool,
    /// Number of runs of the program in the capture.
    pub run_count: usize,
}
