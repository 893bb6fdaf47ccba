//! New names for words: the same for the same word, and not reversible without the key.

use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};
use stepscope_hlo::ProgramText;

/// Words that are kept: of opcodes, runtimes, drivers, compilers, Python's and JAX's own modules,
/// units.
static WORDS: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| include_str!("words.txt").split_whitespace().collect());

/// Parts of longer words that say what something does, and that determine classes.
const MARKS: [&str; 40] = [
    "allgather",
    "allreduce",
    "autotun",
    "checkpoint",
    "cutlass",
    "dataload",
    "datawait",
    "dgrad",
    "fetchbatch",
    "flashattention",
    "flashattn",
    "fmha",
    "gemm",
    "getbatch",
    "hmma",
    "iteratorgetnext",
    "infeed",
    "inputpipeline",
    "llvm",
    "LLVM",
    "loadbatch",
    "loaddata",
    "makebatch",
    "matmul",
    "nextbatch",
    "nvjet",
    "nvshmem",
    "outfeed",
    "prefetch",
    "preparebatch",
    "readbatch",
    "sdpa",
    "splash",
    "tfrecord",
    "wgmma",
    "wgrad",
    "xmma",
    "nccl",
    "rccl",
    "Callback",
];

/// Letters of new names. Without vowels, no name accidentally contains a word that determines a
/// class; and without digits, analyses don't mistake names for those of identical layers.
const LETTERS: &[u8] = b"bcdfghjkmnpqrstvwxz";
/// Letters of a name: 19^8 is 1.7e10.
const LENGTH: usize = 8;

/// The key for new names.
#[derive(Clone)]
pub struct Key([u8; 32]);

impl Key {
    /// The key derived from a text. Anyone with the text can test whether the names of given words
    /// occur.
    pub fn from_text(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key")
    }
}

/// The kind of a text, to count those that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    Session,
    Host,
    Track,
    Event,
    Program,
    Scope,
    Source,
    Value,
    Message,
}

impl Kind {
    const ALL: [Self; 9] = [
        Self::Session,
        Self::Host,
        Self::Track,
        Self::Event,
        Self::Program,
        Self::Scope,
        Self::Source,
        Self::Value,
        Self::Message,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Session => "sessions",
            Self::Host => "hosts",
            Self::Track => "threads and devices",
            Self::Event => "names of events",
            Self::Program => "names within programs",
            Self::Scope => "scopes",
            Self::Source => "source files and functions",
            Self::Value => "values of events",
            Self::Message => "messages of the profiler",
        }
    }
}

/// Assigned names.
pub(super) struct Names<'k> {
    key: &'k Key,
    by_word: FxHashMap<String, String>,
    taken: FxHashSet<String>,
    /// Changed texts, by kind.
    changed: FxHashSet<(Kind, String)>,
}

impl<'k> Names<'k> {
    pub(super) fn new(key: &'k Key) -> Self {
        Self {
            key,
            by_word: FxHashMap::default(),
            taken: FxHashSet::default(),
            changed: FxHashSet::default(),
        }
    }

    /// The text with its private words replaced.
    pub(super) fn text(&mut self, kind: Kind, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let letters = rest
                .find(|c: char| !c.is_alphabetic())
                .unwrap_or(rest.len());
            let (word, behind) = rest.split_at(letters);
            self.push_word(&mut out, word);
            let others = behind.find(char::is_alphabetic).unwrap_or(behind.len());
            let (between, behind) = behind.split_at(others);
            push_between(&mut out, between);
            rest = behind;
        }
        if out != text {
            self.changed.insert((kind, text.to_owned()));
        }
        out
    }

    /// A host name is replaced as a whole: its numbers identify machines and their owner.
    pub(super) fn host(&mut self, name: &str) -> String {
        if name.is_empty() {
            return String::new();
        }
        self.changed.insert((Kind::Host, name.to_owned()));
        format!("host-{}", self.name_of(name))
    }

    /// A serialized program with new names.
    pub(super) fn program(&mut self, bytes: &[u8]) -> Vec<u8> {
        stepscope_hlo::rewrite(bytes, &mut |what, text| {
            let kind = match what {
                ProgramText::Name => Kind::Program,
                ProgramText::Scope => Kind::Scope,
                ProgramText::Source => Kind::Source,
                ProgramText::Configuration => Kind::Value,
            };
            self.text(kind, &String::from_utf8_lossy(text)).into_bytes()
        })
    }

    /// How many texts of each kind changed, in the order of [`Kind::ALL`].
    pub(super) fn counts(&self) -> Vec<(String, usize)> {
        let count = |kind: Kind| self.changed.iter().filter(|(of, _)| *of == kind).count();
        let counts = Kind::ALL
            .iter()
            .map(|&kind| (kind.name().to_owned(), count(kind)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// A run of letters: as a whole, or by its parts if capitals divide it.
    fn push_word(&mut self, out: &mut String, word: &str) {
        if is_public(word) {
            return out.push_str(word);
        }
        let parts = parts(word);
        if parts.iter().all(|part| is_public(part)) {
            return out.push_str(word);
        }
        // What a mark decides, it decides for the whole word.
        if parts.len() == 1 || mark(word).is_some() {
            return self.push_private(out, word);
        }
        for part in parts {
            if is_public(part) {
                out.push_str(part);
            } else {
                self.push_private(out, part);
            }
        }
    }

    fn push_private(&mut self, out: &mut String, word: &str) {
        let name = self.name_of(word);
        match mark(word) {
            Some((0, mark)) => {
                out.push_str(mark);
                out.push_str(&name);
            }
            Some((_, mark)) => {
                out.push_str(&name);
                out.push_str(mark);
            }
            None => out.push_str(&name),
        }
    }

    /// The new name of a word, capitalized like the word.
    fn name_of(&mut self, word: &str) -> String {
        match self.by_word.entry(word.to_owned()) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(place) => {
                let is_capital = word.starts_with(char::is_uppercase);
                let mut attempts = 0u32..;
                let name = attempts
                    .by_ref()
                    .map(|attempt| hashed(self.key, word, attempt));
                let mut name = name.map(|name| if is_capital { capitalised(&name) } else { name });
                // One in ten billion is taken; an endless iterator has a next one.
                let free = name.find(|name| self.taken.insert(name.clone()));
                place.insert(free.unwrap_or_default()).clone()
            }
        }
    }
}

/// Digits and signs stay, except in machine addresses.
fn push_between(out: &mut String, between: &str) {
    let dots = between.matches('.').count();
    let is_address = dots >= 3
        && between
            .split(|c: char| !c.is_ascii_digit() && c != '.')
            .any(|run| run.split('.').filter(|part| !part.is_empty()).count() == 4);
    if is_address {
        let masked = between
            .chars()
            .map(|c| if c.is_ascii_digit() { '0' } else { c });
        out.extend(masked);
    } else {
        out.push_str(between);
    }
}

fn is_public(word: &str) -> bool {
    let mut letters = word.chars();
    let is_letter = letters.next().is_some() && letters.next().is_none();
    is_letter || word.is_empty() || WORDS.contains(word.to_ascii_lowercase().as_str())
}

/// `PjRtClient` is `Pj`, `Rt`, `Client`, and `HLOModule` is `HLO`, `Module`.
fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let letters: Vec<(usize, char)> = word.char_indices().collect();
    let mut begin = 0;
    for at in 1..letters.len() {
        let (place, letter) = letters[at];
        let is_after_small = !letters[at - 1].1.is_uppercase();
        let is_before_small = letters
            .get(at + 1)
            .is_some_and(|next| next.1.is_lowercase());
        if letter.is_uppercase() && (is_after_small || is_before_small) {
            parts.push(&word[begin..place]);
            begin = place;
        }
    }
    parts.push(&word[begin..]);
    parts
}

/// A mark within a word, as written there, and its position.
fn mark(word: &str) -> Option<(usize, &str)> {
    let lower = word.to_ascii_lowercase();
    MARKS.iter().find_map(|mark| {
        let place = if mark.starts_with(char::is_uppercase) {
            word.find(mark)
        } else {
            lower.find(mark)
        }?;
        Some((place, word.get(place..place + mark.len())?))
    })
}

fn hashed(key: &Key, word: &str, attempt: u32) -> String {
    let mut hash = Sha256::new();
    hash.update(key.0);
    hash.update(attempt.to_le_bytes());
    hash.update(word.as_bytes());
    let digest = hash.finalize();
    let letters = digest.iter().take(LENGTH);
    letters
        .map(|&byte| char::from(LETTERS[usize::from(byte) % LETTERS.len()]))
        .collect()
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(text: &str) -> String {
        Names::new(&Key::from_text("key")).text(Kind::Event, text)
    }

    #[test]
    fn words_of_everybody_stay() {
        for text in [
            "PjRtStreamExecutorLoadedExecutable::Execute",
            "%fusion.12 = bf16[8,128]{1,0} fusion(%dot.3), kind=kLoop",
            "all-reduce-start.4",
            "Iterator::Prefetch::ParallelMapV2",
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            "$pjit.py:120 cache_miss",
            "jit(step)/transpose(jvp())/while/body",
            "data_loading",
            "/device:TPU:0 SparseCore 1",
            "Wait: pending_threads=1/2",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn others_get_the_same_name_wherever_they_stand() {
        let key = Key::from_text("key");
        let mut names = Names::new(&key);
        let path = names.text(Kind::Source, "/home/alice/zebra_models/quokka.py:41");
        assert!(!path.contains("alice") && !path.contains("zebra") && !path.contains("quokka"));
        assert!(
            path.starts_with("/home/") && path.ends_with(".py:41"),
            "{path}"
        );
        let scope = names.text(Kind::Scope, "jit(quokka)/zebra_7");
        let quokka = path
            .rsplit('/')
            .next()
            .and_then(|file| file.split('.').next());
        assert!(
            scope.starts_with(&format!("jit({})/", quokka.unwrap())),
            "{scope}"
        );
        assert!(scope.ends_with("_7"));
        assert_eq!(
            names.counts(),
            [
                ("scopes".to_owned(), 1),
                ("source files and functions".to_owned(), 1)
            ]
        );
    }

    #[test]
    fn keys_decide() {
        let with = |key: &str| Names::new(&Key::from_text(key)).text(Kind::Event, "quokka");
        assert_eq!(with("a"), with("a"));
        assert_ne!(with("a"), with("b"));
    }

    #[test]
    fn what_a_word_does_can_still_be_told() {
        assert!(redacted("zebradataloader").contains("dataload"));
        assert!(redacted("gemmzebra").starts_with("gemm"));
        assert!(redacted("ZebraBlockKernel").ends_with("BlockKernel"));
        assert!(!redacted("ZebraBlockKernel").contains("Zebra"));
    }

    #[test]
    fn machines_are_not_told_by_their_numbers() {
        let key = Key::from_text("key");
        let mut names = Names::new(&key);
        let host = names.host("gpu-17.rack4.example.org");
        assert!(!host.contains("17") && host.starts_with("host-"), "{host}");
        assert_eq!(redacted("10.1.2.3:6006"), "00.0.0.0:0000");
        assert_eq!(redacted("1.2.3"), "1.2.3");
    }
}
