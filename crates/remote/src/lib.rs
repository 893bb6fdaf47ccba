//! Files that are far away: in buckets, on web servers, on machines reached over ssh. They are
//! listed, fetched in parallel ranges, and kept in a cache of the user. A [`BucketFolder`] is a folder
//! of a bucket that is written, too.
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
//!
//! Without the feature `clients`, buckets and web servers answer with an error that says how to get
//! them; machines reached over ssh need no client and stay.

#![cfg_attr(
    not(feature = "clients"),
    expect(
        dead_code,
        reason = "what only buckets and web servers use is left out with them"
    )
)]

mod address;
mod bucket_folder;
mod cache;
mod credentials;
mod error;
mod fetch;
mod list;
mod object;
mod parts;
mod percent;
mod private;
mod ranges;
mod settings;
pub mod ssh;
mod stored;
mod tar_entries;

#[cfg(not(feature = "clients"))]
#[path = "left_out.rs"]
mod network;
#[cfg(feature = "clients")]
mod network;

#[cfg(feature = "clients")]
mod amazon;
#[cfg(feature = "clients")]
mod aws_keys;
#[cfg(feature = "clients")]
mod aws_profile;
#[cfg(feature = "clients")]
mod azure;
#[cfg(feature = "clients")]
mod bucket;
#[cfg(feature = "clients")]
mod bucket_objects;
#[cfg(feature = "clients")]
mod download;
#[cfg(feature = "clients")]
mod google;
#[cfg(feature = "clients")]
mod http;
#[cfg(feature = "clients")]
mod metadata;
#[cfg(feature = "clients")]
mod pace;
#[cfg(feature = "clients")]
mod part;
#[cfg(feature = "clients")]
mod program;
#[cfg(feature = "clients")]
mod runtime;
#[cfg(feature = "clients")]
mod source;
#[cfg(feature = "clients")]
mod status;
#[cfg(feature = "clients")]
mod web;

pub use address::{Address, Scheme, is_url};
pub use bucket_folder::BucketFolder;
pub use credentials::hide_credentials;
pub use error::{RemoteError, RemoteErrorKind};
pub use fetch::{beginnings, fetch};
pub use list::list;
pub use object::{Interest, Listing, Object, Offline};
pub use parts::Parts;
pub use private::make_private;
pub use settings::{Settings, cache_folder, choose, parse_size};
pub use stored::{Stored, Whole};
pub use tar_entries::{Bounded, TarEntry, each_tar_entry, each_tar_entry_of_file};
