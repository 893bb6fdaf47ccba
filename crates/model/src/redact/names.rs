//! New names for words: the same for the same word, and not reversible without the key.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};
use stepscope_hlo::ProgramText;

use super::known::KnownNames;

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
#[derive(Debug, Clone)]
pub(super) struct Names {
    key: Key,
    by_word: FxHashMap<String, String>,
    taken: FxHashSet<String>,
    /// What became of texts, by kind; `None` if all of it was kept.
    texts: FxHashMap<(Kind, String), Option<String>>,
    /// Words that were kept, by kind.
    kept: FxHashMap<String, Kind>,
    /// Names that are replaced wherever they occur.
    pub(super) known: KnownNames,
}

impl Names {
    pub(super) fn new(key: &Key) -> Self {
        Self {
            key: key.clone(),
            by_word: FxHashMap::default(),
            taken: FxHashSet::default(),
            texts: FxHashMap::default(),
            kept: FxHashMap::default(),
            known: KnownNames::default(),
        }
    }

    /// The text with its private words replaced.
    pub(super) fn text(&mut self, kind: Kind, text: &str) -> String {
        let entry = (kind, text.to_owned());
        if let Some(known) = self.texts.get(&entry) {
            return known.as_deref().unwrap_or(text).to_owned();
        }
        let out = self.scan(kind, text);
        let changed = (out != text).then(|| out.clone());
        self.texts.insert(entry, changed);
        out
    }

    /// A name that is replaced as a whole.
    pub(super) fn whole(&mut self, kind: Kind, name: &str) -> String {
        if name.is_empty() {
            return String::new();
        }
        let new = self.name_of(name);
        self.texts
            .insert((kind, name.to_owned()), Some(new.clone()));
        new
    }

    /// The number in the place of another, of up to ten digits: equal ones stay equal.
    pub(super) fn number_of(&self, number: u64) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.key.0);
        hash.update(b"number");
        hash.update(number.to_le_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        let wide = digest
            .first_chunk()
            .map_or(0, |bytes| u64::from_le_bytes(*bytes));
        1_000_000_000 + wide % 9_000_000_000
    }

    /// A host name is replaced as a whole: its numbers identify machines and their owner.
    pub(super) fn host(&mut self, name: &str) -> String {
        if name.is_empty() {
            return String::new();
        }
        let new = self.host_name(name);
        self.texts
            .insert((Kind::Host, name.to_owned()), Some(new.clone()));
        new
    }

    /// The new name of a host.
    pub(super) fn host_name(&mut self, name: &str) -> String {
        format!("host-{}", self.name_of(name))
    }

    /// Notes a word that is kept.
    pub(super) fn keep(&mut self, kind: Kind, word: &str) {
        let has_letters = word
            .chars()
            .filter(|letter| letter.is_alphabetic())
            .nth(1)
            .is_some();
        if !has_letters || self.is_new_name(word) {
            return;
        }
        match self.kept.get_mut(word) {
            Some(first) => *first = kind.min(*first),
            None => {
                self.kept.insert(word.to_owned(), kind);
            }
        }
    }

    /// Whether this is a name that was given, rather than one of the capture.
    pub(super) fn is_new_name(&self, word: &str) -> bool {
        self.taken.contains(word)
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
        let is_changed = |kind: Kind| {
            let texts = self.texts.iter();
            texts.filter(move |((of, _), new)| *of == kind && new.is_some())
        };
        let counts = Kind::ALL
            .iter()
            .map(|&kind| (kind.name().to_owned(), is_changed(kind).count()));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// The distinct words that were kept, sorted, each at the first kind of text that has it.
    pub(super) fn kept(&self) -> Vec<(String, Vec<String>)> {
        let mut by_kind: BTreeMap<Kind, BTreeSet<&str>> = BTreeMap::new();
        let kept = self.kept.iter(); // in any order: they are sorted below
        kept.for_each(|(word, kind)| {
            by_kind.entry(*kind).or_default().insert(word);
        });
        let lists = by_kind.into_iter().map(|(kind, words)| {
            let words = words.into_iter().map(str::to_owned).collect();
            (kind.name().to_owned(), words)
        });
        lists.collect()
    }

    /// The new name of a word, capitalized like the word.
    pub(super) fn name_of(&mut self, word: &str) -> String {
        match self.by_word.entry(word.to_owned()) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(place) => {
                let is_capital = word.starts_with(char::is_uppercase);
                let mut attempts = 0u32..;
                let name = attempts
                    .by_ref()
                    .map(|attempt| hashed(&self.key, word, attempt));
                let mut name = name.map(|name| if is_capital { capitalised(&name) } else { name });
                // One in ten billion is taken; an endless iterator has a next one.
                let free = name.find(|name| self.taken.insert(name.clone()));
                place.insert(free.unwrap_or_default()).clone()
            }
        }
    }
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
            path.starts_with("/home/")
                && path.ends_with(".py:41")
                && path.matches('/').count() == 4,
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
        let address = redacted("10.1.2.3:6006");
        assert!(
            address.ends_with(":6006") && !address.contains("10"),
            "{address}"
        );
        assert_eq!(redacted("1.2.3"), "1.2.3");
    }
}
