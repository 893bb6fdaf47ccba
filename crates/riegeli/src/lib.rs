//! Reads Riegeli/records files, in which JAX writes captures that are too large for one message.
//!
//! ```text
//! file    │h│ chunk │ chunk  ┊h┊  chunk │ padding │h│ …     a block header every 64 KiB,
//!          ▲                  ▲                              also in the middle of a chunk
//! chunk   │ header, hash of header and of data │ data │      data: records, compressed
//! ```
//!
//! [`join`] gives all records one after the other, which for messages of protobuf is one message.
//! Chunks that are damaged are left out, counted and told; block headers say where to go on.
//!
//! ```
//! use stepscope_riegeli::{SIGNATURE, is_riegeli, join};
//!
//! let file = SIGNATURE.to_vec();
//! assert!(is_riegeli(&file));
//! let joined = join(&file, 1 << 30, &|_| {})?;
//! assert!(joined.bytes.is_empty() && joined.lost.is_empty());
//! # Ok::<(), stepscope_riegeli::JoinError>(())
//! ```
//!
//! Constraints:
//! - No I/O. The file's bytes are one slice, mapped or held by the caller.
//! - Nothing is trusted. Memory follows what is really unfolded: at most the caller's limit, and as
//!   much again while the largest chunk is decoded. Time is linear in the file and in that limit.
//! - Borders between records are not kept, and neither is metadata: a capture needs neither.
//! - After the public description of the format at github.com/google/riegeli; of transposed chunks,
//!   which it leaves out, after what its writers do. Tests read what an independent writer wrote.

mod chunk;
mod codec;
mod join;
mod layout;
mod lost;
mod machine;
mod simple;
mod transposed;
mod varint;

pub use join::{JoinError, Joined, join, join_within};
pub use layout::{SIGNATURE, is_riegeli};
pub use lost::{Cause, Losses, Lost};
