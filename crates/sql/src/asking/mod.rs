//! What a query wants of a table: columns, and filters that are applied before rows are made.

mod ask;
mod filter;

pub(crate) use ask::Ask;
pub(crate) use filter::{Filter, external};
