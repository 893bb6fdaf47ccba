//! What `buffers` answers: the memory plan of a program.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;

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
    /// Bytes that a layout in whole tiles needs beyond the elements of the value.
    #[ts(type = "number")]
    pub padding_bytes: i64,
    /// Share of the buffer in all bytes held at the selected point of the schedule.
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
    /// Position in the schedule when the buffer is freed: the instruction that was last given
    /// memory.
    pub end_instruction: String,
    /// Bytes from the start of the allocation that contains the buffer. Absent if the buffer is the
    /// allocation itself.
    #[ts(type = "number | null")]
    pub offset_bytes: Option<i64>,
    /// How the value of an argument is divided over devices. Empty for other values and if unknown.
    pub sharding: String,
    /// Whether the memory belongs to an argument that donates it to a result, which then needs no
    /// memory of its own.
    pub is_donated: bool,
    /// Number of the buffer in the compiler's memory plan.
    pub buffer_id: String,
}

/// What is held at the point for one purpose.
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
    /// Share of the category in all bytes held at the selected point of the schedule, 0..1.
    pub ratio: f64,
    /// Number of buffers of the category that are held at the selected point of the schedule.
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
    /// Way to need less memory: one of `rematerialise`, `donate`, `shard`, `precision`, `batch` or
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
    /// Bytes by which the peak would fall. The new peak may lie at another point of the schedule.
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
    /// Share of padding in the bytes that buffers of the shape hold at the peak, 0..1.
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
    /// Bytes of the heap that lie unused between buffers even at the peak.
    #[ts(type = "number")]
    pub fragmentation_bytes: i64,
    /// Number of allocations in the memory space.
    pub allocation_count: usize,
    /// Number of events in the heap trace of the memory space. 0 if there is no trace.
    pub event_count: usize,
}

/// A program that carries a memory plan; sums are over the memory of the device.
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
