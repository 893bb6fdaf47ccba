//! The session model: what a profile *says*, in one vocabulary for every vendor.
//!
//! ```text
//! bytes of each host ── ingest ──► Session { hosts, devices, tracks → lanes of slices,
//!                                            labels, ops, programs, runs, steps, flows, warnings }
//! ```
//!
//! Constraints: no files and no clocks; nothing above this crate sees a protobuf; columns instead
//! of structs for slices, because sessions contain tens of millions of them; a damaged profile
//! gives a session and warnings, and an error only if nothing at all is usable.

pub mod activity;
pub mod allocator;
pub mod attribution;
pub mod callers;
pub mod details;
pub mod flow;
pub mod frame;
pub mod framework;
pub mod functions;
pub mod graphs;
pub mod heap;
pub mod ids;
pub mod ingest;
pub mod label;
pub mod manifest;
pub mod memo;
pub mod memory_level;
pub mod operand_type;
pub mod product_peak;
pub mod program;
pub mod reads;
pub mod redact;
pub mod remains;
pub mod session;
pub mod step;
pub mod strings;
pub mod track;
pub mod units;
pub mod walk;
pub mod warning;

/// What names of host events say beyond their activity.
pub mod host_names {
    pub use crate::vendor::hosts::{
        compiled_function, dispatched_function, is_batch, is_batch_formation, is_cache_clear,
        is_cache_read, is_evaluation, is_request, module_function, plain_function,
    };
    pub use crate::vendor::library_files::is_nnx_split;
    pub use crate::vendor::regions::{Region, RegionKind, region};
    pub use crate::vendor::stats::{BATCH_SIZE, PADDING, REQUEST_IDS};
    pub use crate::vendor::waits::{
        is_buffer_wait, is_completion_wait, is_file_sync, is_method_get, is_next, is_pool_worker,
        is_queue_get, is_queue_put, is_waiting_put,
    };
}

mod captured;
mod class;
mod own_code;
mod profile_data;
mod reader;
mod recent;
mod relabeled;
mod slices;
mod transfer;
mod vendor;

pub use activity::{Activity, CompilePhase, InputStage};
pub use allocator::{Allocator, AllocatorEvent, AllocatorLog, Purpose};
pub use attribution::Attribution;
pub use callers::Caller;

pub use flow::{Flow, FlowKind, Flows, HostFlows};
pub use frame::{
    Frame, Frames, Known, RangeError, RangeFacts, RangeSteps, framed, framed_by_starts,
};
pub use framework::Framework;
pub use functions::Functions;
pub use graphs::{Graph, GraphDetail, OpenReason};
pub use heap::{Heap, HeapFrame, HeapSample, HeapSnapshot, StackId, Taken};
pub use ids::{DeviceId, HostId, LabelId, LaunchId, OpId, ProgramId, SliceId, StringId, TrackId};
pub use label::{Class, Direction, HostMemory, Label, Launch, SliceKind, Transfer};
pub use manifest::{CaptureCost, Manifest, ManifestInput, WallClock};
pub use memo::Memo;
pub use memory_level::{MemoryLevel, Traffic};
pub use operand_type::OperandType;
pub use product_peak::{ProductPeak, product_name};
pub use program::Program;
pub use reader::TrackReader;
pub use reads::{FilePiece, LeftOut, Reads};
pub use session::{
    Aggregate, CategorySource, Chip, CostSource, Device, DeviceKind, Host, Multiprocessor, Op,
    OpCost, Peak, ProfileData, ProgramRun, Session,
};
pub use step::{Step, StepOrigin, StepSpan};
/// Instructions, shapes, and memory plans of compiled programs, as in [`Program::hlo`].
pub use stepscope_hlo as hlo;
pub use stepscope_hlo::{
    Collective, CollectiveKind, Needed, ProductType, Products, ReplicaGroups, Shape,
};
pub use strings::Strings;
pub use track::{CounterFacts, Lane, LineOrigin, Origin, Samples, Track, TrackRole};
pub use units::{Picos, SaturatingSum, Span};
pub use vendor::collectives::{CollectiveKernel, collective_kernel};
pub use vendor::counters::counter_unit;
pub use vendor::matrix_units::{MatrixUse, is_16_bit_product, matrix_use};
pub use vendor::registers::{Utilization, register_utilization};
pub use warning::{Alike, Warning, WarningKind, alike, shortened};
