//! A redacted session: every text of its files passes, word by word, through a keyed hash, and the
//! result is opened like any other file. So no surface ever receives what was removed.
//!
//! ```text
//! transformer/layer_12/attention   →   Kbqzmwtr/nhxdpfkc_12/attention
//! $train.py:41 load_batch          →   $xzjqwdnm.py:41 load_batch
//! %fusion.3 = bf16[8,128] fusion   →   the same
//! ```
//!
//! Numbers and the words of compilers, runtimes, and drivers stay (`words.txt`): categories,
//! classes, and joins depend on them, so that every figure stays the same. Equal words get equal
//! names, for one key.

mod names;

use std::sync::Arc;

use stepscope_xplane::{Rewriter, TextPlace, numbers_alone};

use crate::ingest::{HostInput, IngestError, ProgramInput, ingest_all};
use crate::session::Session;
pub use names::Key;
use names::{Kind, Names};

/// What was done to a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redaction {
    /// The number of different texts of each kind that were renamed, such as `("scopes", 40)`.
    pub replaced: Vec<(String, usize)>,
    /// What was removed, a phrase each.
    pub removed: Vec<String>,
}

/// Why a session cannot be redacted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedactError {
    /// Memory profiles consist of stacks of the user's functions and little else.
    #[error("a memory profile consists of names only, so redaction would leave nothing")]
    MemoryOnly,
    /// The result cannot be opened: the files are too damaged.
    #[error("{0}")]
    Ingest(#[from] IngestError),
}

/// The redacted session, and what was done.
///
/// # Errors
///
/// See [`RedactError`].
pub fn redact(session: &Session, key: &Key) -> Result<(Session, Redaction), RedactError> {
    if session.is_memory_only() {
        return Err(RedactError::MemoryOnly);
    }
    let mut names = Names::new(key);
    let mut removed = Removed::default();
    let mut hosts = Vec::with_capacity(session.hosts.len());
    for host in &session.hosts {
        let mut rewriter = Profile {
            names: &mut names,
            removed: &mut removed,
        };
        let bytes = stepscope_xplane::rewrite((*host.bytes).as_ref(), &mut rewriter);
        hosts.push(HostInput {
            host: names.host(&host.name),
            bytes: Arc::new(bytes),
            problem: None,
        });
        removed.manifests |= host.manifest.is_some();
    }
    let programs = if hosts.is_empty() {
        programs(session, &mut names)
    } else {
        Vec::new()
    };
    removed.constants |= !session.programs.is_empty();
    removed.heap = !session.heap.snapshots.is_empty();
    let name = names.text(Kind::Session, &session.name);
    let redacted = ingest_all(&name, hosts, Vec::new(), programs)?;
    let redaction = Redaction {
        replaced: names.counts(),
        removed: removed.phrases(),
    };
    Ok((redacted, redaction))
}

/// Programs in separate files.
fn programs(session: &Session, names: &mut Names) -> Vec<ProgramInput> {
    let programs = session.programs.iter();
    programs
        .map(|program| ProgramInput {
            name: names.text(Kind::Program, &program.name),
            bytes: Arc::new(names.program(program.hlo_bytes())),
            problem: None,
        })
        .collect()
}

/// What was removed.
#[derive(Default)]
struct Removed {
    manifests: bool,
    constants: bool,
    heap: bool,
    /// Stats of bytes with unknown meaning.
    opaque: usize,
}

impl Removed {
    fn phrases(&self) -> Vec<String> {
        let mut phrases = Vec::new();
        let mut say = |is_so: bool, phrase: &str| {
            if is_so {
                phrases.push(phrase.to_owned());
            }
        };
        say(self.manifests, "manifests (arguments, environment, commit)");
        say(self.constants, "constants of programs");
        say(self.heap, "memory snapshots");
        say(self.opaque > 0, "opaque bytes of events");
        phrases
    }
}

/// The texts of one profile.
struct Profile<'a, 'k> {
    names: &'a mut Names<'k>,
    removed: &'a mut Removed,
}

impl Rewriter for Profile<'_, '_> {
    fn text(&mut self, place: TextPlace, text: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(text);
        let kind = match place {
            TextPlace::Host => return self.names.host(&text).into_bytes(),
            TextPlace::Plane | TextPlace::Line => Kind::Track,
            TextPlace::Event => Kind::Event,
            // Repeated values are stored among the names of stats.
            TextPlace::StatName | TextPlace::StatValue => Kind::Value,
            TextPlace::Message => Kind::Message,
        };
        self.names.text(kind, &text).into_bytes()
    }

    fn bytes(&mut self, stat: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
        match stat {
            b"Hlo Proto" | b"HLO Proto" => Some(self.names.program(bytes)),
            // Messages of numbers.
            b"memory_access_breakdown" | b"dcn_collective_info" => Some(bytes.to_vec()),
            b"profile_options" => Some(numbers_alone(bytes)),
            _ => {
                self.removed.opaque += usize::from(!is_text(bytes));
                None
            }
        }
    }
}

/// Text stats are first read as bytes.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !text.contains(char::is_control))
}
