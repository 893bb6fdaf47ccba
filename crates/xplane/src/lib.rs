//! Lazy typed views over the bytes of an XSpace profile.
//!
//! ```text
//! bytes ── Space::scan ──► planes ──► lines ──► events ──► stats
//!          jumps over      metadata   on demand, straight from the bytes
//!          the events      tables
//! ```
//!
//! [`Space::scan`] looks at plane and line headers and jumps over the events, so it takes
//! microseconds whatever the size; events are decoded when a line is walked.
//!
//! Constraints:
//! - The only code that knows XPlane field numbers. No I/O: bytes in, views out.
//! - Nothing is trusted. Lengths are checked against what is there, nothing is allocated from a
//!   length in the file, there is no recursion. What cannot be decoded becomes a [`Problem`] with
//!   its byte offset; its neighbors are still read.
//! - Field numbers and decoding rules come from the public `xplane.proto` of the OpenXLA profiler.

mod event;
mod metadata;
mod piece;
mod plane;
mod rewrite;
mod select;
mod space;
mod stat;

pub use event::{Event, Events, Head, Tail};
pub use metadata::{EventMetadata, MetadataMap, StatMetadata};
pub use piece::{Piece, stat_names_at_end};
pub use plane::{Line, Plane, Unread};
pub use rewrite::{Rewriter, TextPlace, numbers_alone, numbers_within, rewrite};
pub use select::{Part, select};
pub use space::{Problem, ProblemKind, Space, is_whole};
pub use stat::{Stat, StatValue, Stats};
pub use stepscope_wire::{lossy, message_fields, number_fields};
