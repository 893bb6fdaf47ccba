//! Where sessions are stored: folders, files, archives. All file I/O of profiles.
//!
//! [`find`] searches any path (a log directory, a run directory, one profile, an archive, or a
//! folder of any of these) and lists the sessions there, without decoding them. [`open`] then
//! returns the bytes of one host: mapped if the file allows it, otherwise decompressed into memory;
//! [`open_hosts`] opens all hosts of a session for ingest, and [`open_session`] makes the session.
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
//! A Riegeli file, which JAX writes if a capture does not fit into one message, is decoded like a
//! compressed file: its records form one profile.
//!
//! A viewer trace (Chrome's JSON, Perfetto's protobuf) is converted to profiles if there is no
//! profile next to it: [`open_all`] returns one for each host in it.
//!
//! [`open_bytes`] does the same for a file that is already in memory.
//!
//! Nothing here interprets the contents of a profile. A file in a folder is recognized by its name,
//! and everywhere by its first bytes (compressed, archive); the rest is the decoder's work.

mod archive;
mod beside;
mod budget;
mod bytes;
mod compression;
mod copied;
mod encoding;
mod error;
mod explain;
mod fault;
mod fetch;
mod file_at;
mod find;
mod finish;
mod folder;
mod held;
mod host_file;
mod hosts;
mod index;
mod join;
mod kind;
mod limits;
mod listed;
mod manifest;
mod memory;
mod note;
mod open;
mod open_entry;
mod open_range;
mod open_session;
mod packed;
mod paths;
mod planes;
mod progress;
mod regular;
mod remains;
mod remote;
mod riegeli;
mod run_time;
mod scan;
mod session;
mod sniff;
mod stamp;
mod title;
mod traces;
mod walk;
mod wall_clock;

pub use beside::{TextBeside, benchmarks_at, histories_at, history_at};
pub use budget::{Reserved, Short, memory_budget, set_memory_budget};
pub use bytes::ProfileBytes;
pub use encoding::Encoding;
pub use error::StorageError;
pub use find::{find, find_within};
pub use held::open_bytes;
pub use host_file::HostFile;
pub use hosts::{OpenedHosts, open_hosts};
pub use limits::Limits;
pub use note::{Note, NoteKind};
pub use open::{Opened, open, open_all, open_within};
pub use open_range::{open_range, survey_hosts};
pub use open_session::{
    OpenSessionError, OpenedSession, open_session, open_session_of_hosts, session_of,
};
pub use paths::shown;
pub use progress::{NoProgress, Progress};
pub use regular::{open_lock, open_regular, read_bytes, read_text};
pub use session::{Found, SessionFiles};
pub use stamp::FileStamps;
pub use stepscope_remote::{
    RemoteError, RemoteErrorKind, cache_folder, hide_credentials, is_url as is_remote,
    make_private, parse_size,
};
