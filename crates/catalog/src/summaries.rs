//! The summaries of all sessions of a catalog, in one file.
//!
//! ```text
//! stepscope summaries 1 ENGINE
//! KEY {"name":…,"location":…,"address":…,"bytes":…,"summary":{…}}     one line per session, by key
//! …
//! end DIGEST                                                        of everything before
//! ```
//!
//! A line is decoded when its session is asked for.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use stepscope_storage::SessionFiles;

use crate::digest::digest;
use crate::engine::engine;
use crate::identity::key;
use crate::summary::Summary;

/// Letters of a key.
const KEY_LETTERS: usize = 32;
const END: &str = "end ";

/// What is known of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name when it was indexed.
    pub name: String,
    /// Where it was, for people.
    pub location: String,
    /// What was captured, as a name of its roll-up.
    pub address: String,
    /// Size of the roll-up.
    pub bytes: u64,
    /// The version that a bucket gave it when it was written; empty in a folder.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// The row of lists.
    pub summary: Summary,
}

/// All of a catalog, by session.
#[derive(Debug, Default)]
pub struct Summaries {
    text: String,
    lines: HashMap<[u8; KEY_LETTERS], Range<usize>>,
}

impl Summaries {
    /// What is in a file; nothing if it is damaged or another engine wrote it.
    pub(crate) fn parse(text: String) -> Self {
        Self::parsed(text).unwrap_or_default()
    }

    /// The same; `None` instead of nothing.
    pub(crate) fn parsed(text: String) -> Option<Self> {
        let body = text.strip_suffix('\n')?;
        let (_, last) = body.rsplit_once('\n')?;
        let body_bytes = body.len() - last.len();
        let body = &text[..body_bytes];
        if last.strip_prefix(END)? != digest(body.as_bytes()) {
            return None;
        }
        let first = body.lines().next()?;
        if first != head() {
            return None;
        }
        let mut lines = HashMap::new();
        let mut at = first.len() + 1;
        for line in body[at..].split_inclusive('\n') {
            let key = line.as_bytes().first_chunk::<KEY_LETTERS>()?;
            if line.as_bytes().get(KEY_LETTERS) != Some(&b' ') {
                return None;
            }
            lines.insert(*key, at + KEY_LETTERS + 1..at + line.len() - 1);
            at += line.len();
        }
        Some(Self { text, lines })
    }

    /// The same from several files, oldest first: what is newer replaces what is older.
    pub(crate) fn joined(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut joined = Self::default();
        for part in parts {
            let start = joined.text.len();
            joined.text.push_str(&part.text);
            let lines = part.lines.into_iter();
            let moved = lines.map(|(key, line)| (key, start + line.start..start + line.end));
            joined.lines.extend(moved);
        }
        joined
    }

    /// What is known of a session; `None` if it is not indexed, or changed since.
    pub fn entry(&self, files: &SessionFiles) -> Option<Entry> {
        let range = self.lines.get(key(files).as_bytes())?;
        serde_json::from_str(&self.text[range.clone()]).ok()
    }

    /// How many sessions it knows.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Everything that is known, in no order that means anything.
    pub fn all(&self) -> Vec<Entry> {
        let newest = self.newest().into_iter();
        newest.map(|(_, entry)| entry).collect()
    }

    /// Every entry with its key, by key.
    pub(crate) fn entries(&self) -> Vec<(String, Entry)> {
        let mut entries: Vec<(String, Entry)> = self
            .lines
            .iter()
            .filter_map(|(key, range)| {
                let entry = serde_json::from_str(&self.text[range.clone()]).ok()?;
                Some((String::from_utf8_lossy(key).into_owned(), entry))
            })
            .collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries
    }

    /// The same, and of entries with one name and place only the newest.
    pub(crate) fn newest(&self) -> Vec<(String, Entry)> {
        let position = |key: &str| {
            let key = key.as_bytes().first_chunk()?;
            Some(self.lines.get(key)?.start)
        };
        let mut entries = self.entries();
        entries.sort_by_key(|(key, _)| position(key));
        let by_place = entries.into_iter().map(|(key, entry)| {
            let place = (entry.location.clone(), entry.name.clone());
            (place, (key, entry))
        });
        let by_place: HashMap<_, _> = by_place.collect();
        let mut newest: Vec<(String, Entry)> = by_place.into_values().collect();
        newest.sort_by(|a, b| a.0.cmp(&b.0));
        newest
    }

    /// The file with these entries.
    pub(crate) fn written(entries: &[(String, Entry)]) -> Result<String, serde_json::Error> {
        let mut text = head();
        text.push('\n');
        for (key, entry) in entries {
            // Writing to a text never fails; JSON has no line breaks.
            let _ = writeln!(text, "{key} {}", serde_json::to_string(entry)?);
        }
        let digest = digest(text.as_bytes());
        let _ = writeln!(text, "{END}{digest}");
        Ok(text)
    }
}

fn head() -> String {
    format!("stepscope summaries 1 {}", engine())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str) -> (String, Entry) {
        let entry = Entry {
            name: name.to_owned(),
            location: format!("/logs/{name}"),
            address: digest(name.as_bytes()),
            bytes: 7,
            version: String::new(),
            summary: Summary::default(),
        };
        (digest(name.as_bytes()), entry)
    }

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let mut entries = vec![entry("a"), entry("line\nbreak"), entry("größe")];
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let text = Summaries::written(&entries).expect("a text");
        assert_eq!(Summaries::parse(text.clone()).entries(), entries);
        assert!(Summaries::parse(String::new()).is_empty());
        // Cut anywhere, it is nothing.
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            assert!(Summaries::parse(text[..end].to_owned()).is_empty(), "{end}");
        }
        // So it is with any letter changed.
        for (at, letter) in text.char_indices().filter(|(_, letter)| letter.is_ascii()) {
            let mut other = text.clone();
            let with = if letter == 'x' { "y" } else { "x" };
            other.replace_range(at..=at, with);
            assert!(Summaries::parse(other).is_empty(), "{at}");
        }
        let of_other = text.replacen(engine(), "0.0.0", 1);
        assert!(Summaries::parse(of_other).is_empty());
    }
}
