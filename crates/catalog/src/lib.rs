//! Roll-ups of sessions: what all analyses say about a session, computed once and kept, so that a
//! question about ten thousand sessions opens none of them.
//!
//! ```text
//! SessionFiles ── identity ──► key of its paths, sizes and times ──► summaries ──► Summary
//!      │                                                                │
//!      │                                                             address
//!      │                                                                ▼
//!      └── making: open, ask every analysis ──► RollUp, one file, named by what was captured
//! ```
//!
//! A [`Catalog`] is a folder: of the user's cache, or one that was chosen. It holds a file per
//! roll-up ([`roll_up`]) and one file with the summaries of all sessions ([`summaries`]), which
//! lists ten thousand of them without opening anything else. It may also be a bucket (`shared`),
//! which is read through a folder of the user's cache and whose summaries are several lists (`lists`).
//!
//! Constraints: nothing in the folder or the bucket is trusted. Whatever is damaged, truncated, or of another
//! engine counts as missing; [`index`] makes it anew. Files appear whole; several processes may
//! use one folder or bucket at the same time.

mod catalog;
mod digest;
mod elsewhere;
mod engine;
mod error;
mod folder;
mod identity;
mod indexing;
mod lists;
mod locked;
mod making;
mod objects;
mod roll_up;
mod shared;
mod summaries;
mod summary;

pub use catalog::{Catalog, VARIABLE};
pub use elsewhere::Unlisted;
pub use engine::engine;
pub use error::CatalogError;
pub use folder::Kept;
pub use indexing::{Listener, Outcome, Todo, index};
pub use objects::Objects;
pub use roll_up::{Answered, RollUp, StoredTable};
pub use summaries::{Entry, Summaries};
pub use summary::{Facts, Figures, Summary, kind_of};
