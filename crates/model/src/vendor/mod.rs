//! Vendor knowledge: names of planes, lines, stats and events, and what they mean. It lives here and
//! nowhere else.

pub(crate) mod chips;
pub(crate) mod details;
pub(crate) mod events;
pub(crate) mod hosts;
pub(crate) mod planes;
pub(crate) mod stats;
