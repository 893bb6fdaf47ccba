//! Options of `ops`.

use crate::asking::selection::Selection;
use clap::{Args, ValueEnum};

/// Options of [`Ops`].
#[derive(Debug, Clone, Default, Args)]
pub struct OpsOptions {
    /// Which part of the session.
    #[command(flatten)]
    pub selection: Selection,
    /// One row per op over all devices, or one per op and device
    #[arg(long, value_name = "KEY", value_enum, default_value_t = GroupBy::Op)]
    pub by: GroupBy,
}

/// What makes a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum GroupBy {
    /// An op, merged over devices.
    #[default]
    Op,
    /// An op on a device.
    Device,
}
