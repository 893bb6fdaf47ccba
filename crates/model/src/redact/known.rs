//! Names that a session is known to have: of its hosts, of the run, of people and buckets in its
//! paths. They are replaced wherever they occur, even if they consist of vocabulary.

use rustc_hash::{FxHashMap, FxHashSet};

use super::vocabulary::{is_digits, is_public_in_parts, is_public_token};

/// What precedes the name of a person or a bucket.
const BEFORE: [&[u8]; 9] = [
    b"/home/",
    b"/Users/",
    b"\\Users\\",
    b"\\users\\",
    b"gs://",
    b"s3://",
    b"az://",
    b"/gcs/",
    b"hf://",
];

/// What a known name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Host,
    Other,
}

/// Known names.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownNames {
    /// By the first token, in lower case: longest names first.
    by_token: FxHashMap<String, Vec<(String, Known)>>,
    seen: FxHashSet<String>,
}

impl KnownNames {
    /// Adds the name of a host, as a whole and without its domain.
    pub(super) fn add_host(&mut self, name: &str) {
        self.add(name, Known::Host);
        let plain = name.strip_suffix(".xplane.pb").unwrap_or(name);
        self.add(plain, Known::Host);
        if let Some((label, _)) = plain.split_once('.') {
            self.add(label, Known::Host);
        }
    }

    /// Adds a name. A single word of the vocabulary is not a name elsewhere: a user named `max`
    /// must not rename the op.
    pub(super) fn add(&mut self, name: &str, what: Known) {
        let name = name.trim();
        let token = first_token(name);
        let is_word = token.len() == name.len();
        let is_vocabulary = is_digits(token)
            || is_public_in_parts(token)
            || token.bytes().any(|byte| byte.is_ascii_digit()) && is_public_token(token);
        if token.is_empty() || name.len() < 3 || is_word && is_vocabulary {
            return;
        }
        if !self.seen.insert(name.to_lowercase()) {
            return;
        }
        let names = self.by_token.entry(token.to_lowercase()).or_default();
        names.push((name.to_owned(), what));
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    }

    /// Adds the people and buckets in the paths of a file.
    pub(super) fn add_from(&mut self, bytes: &[u8]) {
        for (at, byte) in bytes.iter().enumerate() {
            if !matches!(byte, b'/' | b'\\') {
                continue;
            }
            let head = &bytes[..=at];
            if BEFORE.iter().any(|before| head.ends_with(before)) {
                let rest = &bytes[at + 1..];
                let is_member = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
                let length = rest.iter().take(100).take_while(is_member).count();
                if let Ok(name) = std::str::from_utf8(&rest[..length]) {
                    self.add(name, Known::Other);
                }
            }
        }
    }

    /// The known name at the start of a text whose first token is `token`.
    pub(super) fn find(&self, text: &str, token: &str) -> Option<(&str, Known)> {
        if self.by_token.is_empty() {
            return None;
        }
        let names = self.by_token.get(&token.to_lowercase())?;
        let fits = |name: &str| {
            let head = text.get(..name.len());
            let next = text.get(name.len()..).and_then(|rest| rest.chars().next());
            head.is_some_and(|head| head.eq_ignore_ascii_case(name))
                && !next.is_some_and(char::is_alphanumeric)
        };
        let found = names.iter().find(|(name, _)| fits(name));
        found.map(|(name, what)| (name.as_str(), *what))
    }
}

/// The run of letters and digits at the start of a text.
pub(super) fn first_token(text: &str) -> &str {
    let end = text.find(|letter: char| !is_of_token(letter));
    &text[..end.unwrap_or(text.len())]
}

/// Letters and digits, and any sign that is not ASCII: those may be letters somewhere.
pub(super) const fn is_of_token(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || !letter.is_ascii() && !is_plain_sign(letter)
}

/// Signs that sentences of tools use.
const fn is_plain_sign(letter: char) -> bool {
    matches!(
        letter,
        '·' | '×' | '→' | '…' | '–' | '—' | '“' | '”' | '’' | '‘' | '\u{a0}' | '±'
    )
}
