//! A redacted session: every text of its files passes, word by word, through a keyed hash, and the
//! result is opened like any other file. So no surface ever receives what was removed.
//!
//! ```text
//! transformer/layer_12/attention   →   Kbqzmwtr/nhxdpfkc_12/attention
//! $train.py:41 load_batch          →   $xzjqwdnm.py:41 load_batch
//! %fusion.3 = bf16[8,128] fusion   →   the same
//! ```
//!
//! What stays is a list: numbers, and the vocabulary of compilers, runtimes, drivers and chips
//! (`words.txt`, `tokens.txt`), because categories, classes, and joins depend on it, so that every
//! figure stays the same. Tokens of letters and digits, addresses, ids and folders are replaced as a
//! whole; the names of hosts, of the run, and of people and buckets in its paths, wherever they
//! occur. Equal words get equal names, for one key.

mod identifiers;
mod known;
mod names;
mod paths;
mod scan;
mod vocabulary;

use std::any::Any;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use stepscope_xplane::{Rewriter, TextPlace, numbers_alone, numbers_within};

use crate::ingest::{HostInput, IngestError, ProgramInput, ingest_all};
use crate::profile_data::ProfileData;
use crate::session::Session;
use known::Known;
pub use names::Key;
use names::{Kind, Names};
use scan::is_identity;
use vocabulary::is_digits;

/// What was done to a session.
#[derive(Debug, Clone)]
pub struct Redaction {
    /// The number of different texts of each kind that were renamed, such as `("scopes", 40)`.
    pub replaced: Vec<(String, usize)>,
    /// What was removed, a phrase each.
    pub removed: Vec<String>,
    /// The distinct words that were kept, by the kind of text, such as `("scopes", ["add",
    /// "while"])`. A word of several kinds is listed once.
    pub kept: Vec<(String, Vec<String>)>,
    /// The new names.
    pub renames: Renames,
}

/// The new names of a redacted session, to translate what people ask about it.
#[derive(Debug, Clone)]
pub struct Renames {
    names: Names,
    hosts: Vec<String>,
}

impl Renames {
    /// A pattern or a name as it reads in the redacted session. New names stay.
    pub fn text(&mut self, text: &str) -> String {
        self.names.scan(Kind::Value, text)
    }

    /// Options that select a part of a session, for the redacted one.
    pub fn options(&mut self, options: &[(String, String)]) -> Vec<(String, String)> {
        let translated = options.iter().map(|(name, value)| {
            let value = match name.as_str() {
                "host" => self.hosts(value),
                "program" | "match" | "series" => self.text(value),
                _ => value.clone(),
            };
            (name.clone(), value)
        });
        translated.collect()
    }

    /// The value of an option that selects hosts: their names, or their numbers.
    pub fn hosts(&mut self, text: &str) -> String {
        let parts = text.split(',').map(|part| {
            let is_host = self.hosts.iter().any(|host| host == part.trim());
            if is_host {
                self.names.host_name(part.trim())
            } else {
                self.names.scan(Kind::Value, part)
            }
        });
        parts.collect::<Vec<_>>().join(",")
    }
}

/// Why a session cannot be redacted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedactError {
    /// Memory profiles consist of stacks of the user's functions and little else.
    #[error("a memory profile consists of names only, so redaction would leave nothing")]
    MemoryOnly,
    /// There is no memory for the rewritten files.
    #[error("the redacted files need {needed} bytes of memory: {reason}")]
    Memory {
        /// As many as the files have.
        needed: u64,
        /// What the caller said.
        reason: String,
    },
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
    redact_within(session, key, &mut |_| Ok(Arc::new(())))
}

/// Memory that is reserved as long as this is held.
pub type Memory = Arc<dyn Any + Send + Sync>;

/// [`redact`], where `reserve` is asked for as many bytes as the files of all hosts have before any
/// of them is written again. The session holds what it gives.
///
/// # Errors
///
/// See [`RedactError`]; [`RedactError::Memory`] where it gives none, with its reason.
pub fn redact_within(
    session: &Session,
    key: &Key,
    reserve: &mut dyn FnMut(u64) -> Result<Memory, String>,
) -> Result<(Session, Redaction), RedactError> {
    if session.is_memory_only() {
        return Err(RedactError::MemoryOnly);
    }
    let sizes = session.hosts.iter();
    let needed = sizes.map(|host| (*host.bytes).as_ref().len() as u64).sum();
    let memory = reserve(needed).map_err(|reason| RedactError::Memory { needed, reason })?;
    let mut names = Names::new(key);
    know(session, &mut names);
    let mut removed = Removed::default();
    let mut hosts = Vec::with_capacity(session.hosts.len());
    for host in &session.hosts {
        let mut rewriter = Profile {
            names: &mut names,
            removed: &mut removed,
            public_stats: FxHashMap::default(),
        };
        let bytes = stepscope_xplane::rewrite((*host.bytes).as_ref(), &mut rewriter);
        hosts.push(HostInput {
            host: names.host(&host.name),
            bytes: Arc::new(Rewritten {
                bytes,
                _memory: Arc::clone(&memory),
            }),
            problem: None,
        });
        removed.manifests += usize::from(host.manifest.is_some());
    }
    let programs = if hosts.is_empty() {
        programs(session, &mut names)
    } else {
        Vec::new()
    };
    removed.constants |= !session.programs.is_empty();
    removed.heap = !session.heap.snapshots.is_empty();
    let name = names.whole(Kind::Session, &session.name);
    let redacted = ingest_all(&name, hosts, Vec::new(), programs)?;
    let redaction = Redaction {
        replaced: names.counts(),
        removed: removed.phrases(),
        kept: names.kept(),
        renames: Renames {
            hosts: session.hosts.iter().map(|host| host.name.clone()).collect(),
            names,
        },
    };
    Ok((redacted, redaction))
}

/// The bytes of a host, and the memory that was reserved for all of them.
struct Rewritten {
    bytes: Vec<u8>,
    _memory: Memory,
}

impl AsRef<[u8]> for Rewritten {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl ProfileData for Rewritten {}

/// Collects the names that are replaced wherever they occur.
fn know(session: &Session, names: &mut Names) {
    names.known.add(&session.name, Known::Other);
    for host in &session.hosts {
        names.known.add_host(&host.name);
        names.known.add_from((*host.bytes).as_ref());
    }
    for program in &session.programs {
        names.known.add_from(program.hlo_bytes());
    }
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
    /// Number of manifests.
    manifests: usize,
    constants: bool,
    heap: bool,
    /// Stats of bytes with unknown meaning.
    opaque: usize,
    /// Numbers under names that are replaced.
    numbers: bool,
}

impl Removed {
    fn phrases(&self) -> Vec<String> {
        let mut phrases = Vec::new();
        let mut say = |is_so: bool, phrase: &str| {
            if is_so {
                phrases.push(phrase.to_owned());
            }
        };
        say(
            self.manifests > 0,
            "manifests (arguments, environment, commit)",
        );
        say(self.constants, "constants of programs");
        say(self.heap, "memory snapshots");
        say(self.opaque > 0, "opaque bytes of events");
        say(self.numbers, "numbers under names of the program");
        phrases
    }
}

/// The texts of one profile.
struct Profile<'a> {
    names: &'a mut Names,
    removed: &'a mut Removed,
    /// Whether the names of stats are vocabulary.
    public_stats: FxHashMap<Vec<u8>, bool>,
}

impl Profile<'_> {
    fn is_public_stat(&mut self, stat: &[u8]) -> bool {
        if let Some(&is_public) = self.public_stats.get(stat) {
            return is_public;
        }
        let name = String::from_utf8_lossy(stat);
        let is_public = self.names.scan(Kind::Value, &name) == name;
        self.public_stats.insert(stat.to_vec(), is_public);
        is_public
    }
}

impl Profile<'_> {
    /// An id that stands in a stat as text: a number stays one.
    fn identity_text(&mut self, bytes: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(bytes);
        match text.parse() {
            Ok(number) => self.names.number_of(number).to_string().into_bytes(),
            Err(_) => self.names.whole(Kind::Value, &text).into_bytes(),
        }
    }
}

impl Rewriter for Profile<'_> {
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
            _ if is_identity(stat) => Some(self.identity_text(bytes)),
            b"Hlo Proto" | b"HLO Proto" => Some(self.names.program(bytes)),
            _ if is_text(bytes) && !is_number(bytes) => None,
            // Messages of messages of numbers.
            b"memory_access_breakdown" => Some(numbers_within(bytes, 3, &[1])),
            b"dcn_collective_info" => Some(numbers_within(bytes, 3, &[2, 3])),
            b"profile_options" => Some(numbers_alone(bytes, 4)),
            // The program's id, and the like.
            _ if is_of_number(stat) && is_number(bytes) && self.is_public_stat(stat) => {
                Some(bytes.to_vec())
            }
            _ => {
                self.removed.opaque += 1;
                None
            }
        }
    }

    fn identity(&mut self, stat: &[u8], number: u64) -> Option<u64> {
        is_identity(stat).then(|| self.names.number_of(number))
    }

    fn keeps_numbers(&mut self, stat: &[u8]) -> bool {
        // They are replaced.
        if is_identity(stat) {
            return true;
        }
        let is_public = self.is_public_stat(stat);
        self.removed.numbers |= !is_public;
        is_public
    }
}

/// Whether the name of a stat says that it is an id or an amount.
fn is_of_number(stat: &[u8]) -> bool {
    let ends: [&[u8]; 5] = [b"id", b"bytes", b"size", b"flops", b"count"];
    ends.iter().any(|end| stat.ends_with(end))
}

fn is_number(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(is_digits)
}

/// Text stats are first read as bytes.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !text.contains(char::is_control))
}
