//! From a table and a query's filters to rows: which sessions are opened, which parts of them are read,
//! and by how many readers.

mod ahead;
mod elsewhere;
mod kept;
mod plan;
mod provider;
mod question;

pub(crate) use elsewhere::Readers;
pub use plan::Scan;
pub(crate) use provider::{Provider, TableOptions};
pub use question::Question;
