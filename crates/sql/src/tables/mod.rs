//! The tables: what each one holds, and how its rows are read from one session.
//!
//! | Tables | From |
//! |---|---|
//! | `sessions`, `devices`, `tracks`, `programs`, `instructions`, `counter_samples` | the session itself: [`model`] |
//! | `slices` | every slice, as columns: [`slices`] |
//! | `slice_ancestors` | every slice with the slices around it: [`ancestors`] |
//! | all others | the analyses, with all rows: [`analysis`] |
//!
//! Every table begins with `session`.

mod analysis;
mod ancestors;
mod model;
mod sending;
mod sessions;
mod slices;
mod table;

pub(crate) use table::{Opened, SESSION};
pub use table::{SqlColumn, SqlTable};

/// All tables, by name.
pub fn tables() -> Vec<SqlTable> {
    let mut all = vec![sessions::table(), slices::table(), ancestors::table()];
    all.extend(model::tables());
    all.extend(analysis::tables());
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}
