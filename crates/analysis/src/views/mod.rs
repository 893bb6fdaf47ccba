//! Analyses that describe one session, one folder each.

pub mod buffers;
pub mod collectives;
pub mod compile;
pub mod counters;
pub mod critical_path;
pub(crate) mod glance;
pub mod graph;
pub mod heap;
pub mod hosts;
pub mod idle;
pub mod input;
pub mod kernels;
pub mod memory;
pub mod op_tree;
pub mod ops;
pub mod overview;
pub mod regions;
pub mod replay;
pub mod requests;
pub mod roofline;
pub mod scopes;
pub mod steps;
pub mod timeline;
pub mod what_if;
