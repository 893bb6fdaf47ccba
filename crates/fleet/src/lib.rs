//! SQL over sessions on many machines.
//!
//! ```text
//! stepscope sql --fleet ── plan ──► scheduler ── tasks ──► executors ── sessions
//!   finds sessions, plans           divides plans          open sessions themselves,
//!   (Fleet)                         into stages            below what they may open
//! ```
//!
//! [Ballista](https://datafusion.apache.org/ballista/) divides plans, runs tasks and repeats those of
//! an executor that is gone. Ours is what it cannot know: [`SessionScan`], the leaf of a plan as it
//! travels, and its [`Codec`]. A plan names tables, columns, filters and the places of sessions, and
//! never contains credentials. Reading is [`stepscope_sql::Scan`], the same as on one machine.
//!
//! The protocol has no authentication: a fleet belongs on a private network.

mod address;
mod allowed;
mod client;
mod codec;
mod executor;
mod index;
mod job;
mod scan;
mod scheduler;
mod told;
mod work;

pub use address::Address;
pub use allowed::Allowed;
pub use client::Fleet;
pub use codec::Codec;
pub use executor::{ExecutorOptions, execute};
pub use index::index;
pub use scan::{SessionScan, portable};
pub use scheduler::{SchedulerOptions, schedule};
pub use work::{Opener, Work};
