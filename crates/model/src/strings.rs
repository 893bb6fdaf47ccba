//! Interned strings: each distinct text once, in one buffer.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::ids::StringId;

/// Distinct strings in one buffer. The empty string is always number 0.
pub struct Strings {
    buffer: String,
    ends: Vec<u32>,
    table: HashTable<u32>,
}

impl Default for Strings {
    fn default() -> Self {
        let mut strings = Self {
            buffer: String::new(),
            ends: Vec::new(),
            table: HashTable::new(),
        };
        strings.intern("");
        strings
    }
}

impl Strings {
    /// The empty string.
    pub const EMPTY: StringId = StringId(0);

    /// The string with this ID; empty for an ID of another table.
    pub fn get(&self, id: StringId) -> &str {
        let index = id.index();
        let Some(&end) = self.ends.get(index) else {
            return "";
        };
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.buffer[start as usize..end as usize]
    }

    /// The ID of a string, which is added if new. Texts past 4 GiB in total become the empty
    /// string.
    pub fn intern(&mut self, text: &str) -> StringId {
        let hash = hash_of(text);
        let Self {
            buffer,
            ends,
            table,
        } = self;
        let at = |index: u32| slice_of(buffer, ends, index);
        if let Some(&found) = table.find(hash, |&index| at(index) == text) {
            return StringId(found);
        }
        let Ok(end) = u32::try_from(buffer.len() + text.len()) else {
            return Self::EMPTY;
        };
        let Ok(index) = u32::try_from(ends.len()) else {
            return Self::EMPTY;
        };
        buffer.push_str(text);
        ends.push(end);
        table.insert_unique(hash, index, |&index| hash_of(slice_of(buffer, ends, index)));
        StringId(index)
    }

    /// Number of distinct strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never true: the empty string is always there.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn slice_of<'a>(buffer: &'a str, ends: &[u32], index: u32) -> &'a str {
    let index = index as usize;
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &buffer[start as usize..ends[index] as usize]
}

fn hash_of(text: &str) -> u64 {
    FxBuildHasher.hash_one(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_an_id() {
        let mut strings = Strings::default();
        let first = strings.intern("dot.1");
        assert_eq!(strings.intern("add"), StringId(2));
        assert_eq!(strings.intern("dot.1"), first);
        assert_eq!(strings.get(first), "dot.1");
        assert_eq!(strings.intern(""), Strings::EMPTY);
        assert_eq!(strings.get(StringId(99)), "");
    }
}
