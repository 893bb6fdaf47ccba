//! Reports to share: what a session says, in forms that others read without Stepscope.
//!
//! ```text
//! Session ── analysis::ANALYSES ──┬── tables     CSV or Parquet, a file per table
//!                                 ├── markdown   a page for an issue or a pull request
//!                                 └── html       the pages themselves, with their answers, in one file
//! ```
//!
//! [`arrow`] is how a table looks as Arrow, here and in Python.
//!
//! Constraints: nothing here opens a file. Bytes go where the caller says ([`Folder`]), and what day
//! it is stands in [`About`]. What names may be told is decided before: a session whose names were
//! replaced is a session like any other.

pub mod about;
pub mod arrow;
mod error;
pub mod html;
pub mod markdown;
pub mod tables;

pub use about::{About, Redacted};
pub use error::ExportError;
pub use tables::{Folder, Format, Manifest, write_tables};

/// Options as name and value, such as `("steps", "3..8")`.
pub type Pairs = [(String, String)];
