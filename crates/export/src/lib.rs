//! Reports to share: the results for a session, in formats that others can read without Stepscope.
//!
//! ```text
//! Session ── analysis::ANALYSES ──┬── tables     CSV or Parquet, a file per table
//!                                 ├── markdown   a page for an issue or a pull request
//!                                 └── html       the pages themselves, with their answers, in one file
//! ```
//!
//! [`arrow`] converts tables to Arrow, here and in Python.
//!
//! Constraints: nothing here opens a file. Bytes go where the caller says ([`Folder`]), and the
//! date comes from [`About`]. Redaction happens before: a redacted session is a session like any
//! other.

use stepscope_analysis::Selection;

pub mod about;
pub mod arrow;
mod error;
pub mod html;
pub mod markdown;
pub mod slices;
pub mod tables;
mod units;

pub use about::{About, Redacted};
pub use error::ExportError;
pub use slices::{SliceBatches, SliceQuery, Slices};
pub use tables::{Folder, Format, Manifest, write_tables};
pub use units::TimeUnit;

/// Options as name and value, such as `("steps", "3..8")`.
pub type Pairs = [(String, String)];

/// The selection in options; names that it does not know are handled elsewhere.
pub(crate) fn selection(options: &Pairs) -> Selection {
    let value = |wanted: &str| {
        let found = options.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.clone())
    };
    Selection {
        steps: value("steps"),
        series: value("series"),
        time: value("time"),
        device: value("device"),
        host: value("host"),
        program: value("program"),
        pattern: value("match"),
        sort: None,
        limit: None,
    }
}
