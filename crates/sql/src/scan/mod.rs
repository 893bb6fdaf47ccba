//! From a table and a query's filters to rows: which sessions are opened, which parts of them are read,
//! and by how many readers.

mod ahead;
mod plan;
mod provider;
mod question;

pub use plan::Scan;
pub(crate) use provider::{MostReaders, Provider, TableOptions};
pub use question::Question;
