//! Questions about several sessions.

pub mod check;
pub mod compare;
pub mod history;
pub mod scaling;
