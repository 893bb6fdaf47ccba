//! SQL over sessions.
//!
//! ```text
//! query ── DataFusion ── Provider ── Scan ──┬── analyses: each table with all rows
//!          plan, join,   filters,   readers ├── slices: columns, filtered before rows are made
//!          group, sort   columns            └── devices, tracks, programs, instructions, samples
//!                                    Library: sessions, opened one by one
//! ```
//!
//! Every table has the column `session`; one query asks all sessions. A table is what its analysis
//! answers, so its figures are those of every other surface. `TABLE('option=value', …)` asks with
//! options, `per=host` or `per=device` asks for each of them.
//!
//! A [`Runner`] runs plans elsewhere: a [`Question`] and the [`Place`]s of sessions are all that
//! another process needs to make the same rows.
//!
//! A program of its own, which `stepscope sql` calls: DataFusion takes longer to build than all the
//! rest, and a query that takes too much ends alone.

mod asking;
mod engine;
mod functions;
mod library;
mod place;
mod program;
mod ranges;
mod scan;
mod tables;
mod views;

pub use engine::{Connect, Engine, Limits, QueryError, Rows, Runner};
pub use functions::{FUNCTIONS, aggregates, scalars};
pub use library::{Library, NOT_OPENED, Source};
pub use place::Place;
pub use program::run;
pub use ranges::knows_too_little;
pub use scan::{Question, Scan};
pub use tables::{SqlColumn, SqlTable, tables};
pub use views::{SqlView, VIEWS};
