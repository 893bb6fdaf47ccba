//! Files that are far away: in buckets, on web servers, on machines reached over ssh. They are
//! listed, fetched in parallel ranges, and kept in a cache of the user.
//!
//! ```text
//! URL ── address ──┬── bucket    S3, Google, Azure (object_store)  ┐
//!                  ├── web       files and index pages             ┴ listing, ranges ── fetch ── cache
//!                  └── ssh       find, stat, tar                   ─ listing, one stream ────────┘
//! ```
//!
//! ```no_run
//! use stepscope_remote::{Interest, fetch, list};
//!
//! # fn main() -> Result<(), stepscope_remote::RemoteError> {
//! let interest = Interest {
//!     file: |name| name.ends_with(".xplane.pb"),
//!     folder: |name| !name.starts_with('.'),
//!     max_entries: 200_000,
//!     max_depth: 24,
//! };
//! let listing = list("gs://lab/runs/today", &interest)?;
//! let paths = fetch(&listing.objects, &|_file, _bytes| {});
//! # Ok(())
//! # }
//! ```
//!
//! Everything here blocks: the runtime that the HTTP clients need is made on first use and seen by
//! nobody else. Nothing here knows what the files say.

mod address;
mod amazon;
mod aws_keys;
mod aws_profile;
mod azure;
mod bucket;
mod cache;
mod credentials;
mod download;
mod error;
mod fetch;
mod google;
mod http;
mod list;
mod metadata;
mod object;
mod pace;
mod part;
mod parts;
mod percent;
mod private;
mod program;
mod ranges;
mod runtime;
mod settings;
mod source;
pub mod ssh;
mod status;
mod web;

pub use address::{Address, Scheme, is_url};
pub use credentials::hide_credentials;
pub use error::{RemoteError, RemoteErrorKind};
pub use fetch::{beginnings, fetch};
pub use list::list;
pub use object::{Interest, Listing, Object, Offline};
pub use parts::Parts;
pub use private::make_private;
pub use settings::{Settings, cache_folder, choose, parse_size};
