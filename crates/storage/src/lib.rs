//! Where sessions are: folders, files, archives. All file I/O of profiles.
//!
//! [`find`] looks at a path of any kind (a log directory, a run directory, one profile, an
//! archive, or a folder of any of these) and names the sessions there, without decoding them.
//! [`open`] then gives the bytes of one host: mapped where the file allows it, decompressed into
//! memory otherwise; [`open_hosts`] opens all hosts of a session for the ingest.
//!
//! ```no_run
//! use stepscope_storage::{NoProgress, find, open};
//!
//! # fn main() -> Result<(), stepscope_storage::StorageError> {
//! let found = find("/tmp/log".as_ref())?;
//! for session in &found.sessions {
//!     for host in &session.hosts {
//!         let profile = open(host, &NoProgress)?;
//!         let _bytes: &[u8] = profile.as_ref();
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A Riegeli file, which JAX writes where one message would not hold a capture, is unfolded like a
//! compressed one: its records are one profile.
//!
//! A trace of a viewer (Chrome's JSON, Perfetto's protobuf) is read into profiles on the way, where no
//! profile lies beside it: [`open_all`] gives one for each host that it tells apart.
//!
//! [`open_bytes`] does the same for a file that is in memory already.
//!
//! Nothing here knows what a profile says. A file is recognised by its name inside a folder, and
//! by its first bytes (compressed, archive) everywhere; judging the rest is the decoder's work.

mod archive;
mod beside;
mod bytes;
mod compression;
mod error;
mod explain;
mod find;
mod held;
mod hosts;
mod join;
mod kind;
mod limits;
mod manifest;
mod memory;
mod note;
mod open;
mod planes;
mod progress;
mod remains;
mod remote;
mod riegeli;
mod scan;
mod session;
mod sniff;
mod traces;
mod walk;
mod wall_clock;

pub use beside::{TextBeside, benchmarks_at, histories_at, history_at};
pub use bytes::ProfileBytes;
pub use error::StorageError;
pub use find::{find, find_within};
pub use held::open_bytes;
pub use hosts::{OpenedHosts, open_hosts};
pub use limits::Limits;
pub use note::{Note, NoteKind};
pub use open::{Opened, open, open_all, open_within};
pub use progress::{NoProgress, Progress};
pub use session::{Found, HostFile, SessionFiles};
pub use sniff::Encoding;
pub use stepscope_remote::{RemoteError, RemoteErrorKind, is_url as is_remote};
