//! Common parts of answers: long strings, such as the HLO text of an op, and whole objects, such as
//! an op in several graphs. Each is stored once in the file, and answers refer to it.

use std::collections::{HashMap, HashSet, hash_map::DefaultHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// Precedes the number of a value in a JSON string: a character that no report uses.
const MARK: &str = "\\u0001";
/// Shorter strings are no longer than their number.
const LEAST_STRING_BYTES: usize = 24;
/// The same for objects.
const LEAST_OBJECT_BYTES: usize = 40;

/// Values by number, as JSON; a value only refers to values before it.
#[derive(Clone, Default)]
pub(super) struct Shared {
    values: Vec<String>,
    numbers: HashMap<String, usize>,
    bytes: u64,
    seen: HashSet<u64>,
    /// Objects that were seen more than once.
    repeated: HashSet<u64>,
}

impl Shared {
    /// Finds objects that occur several times; call this before [`Shared::shorten`].
    pub(super) fn look(&mut self, json: &str) {
        for object in elements(json) {
            let hash = hash(&json[object]);
            if !self.seen.insert(hash) {
                self.repeated.insert(hash);
            }
        }
    }

    /// The JSON with numbers instead of its long strings (except keys) and repeated objects.
    pub(super) fn shorten(&mut self, json: &str) -> String {
        let mut objects = elements(json);
        objects.retain(|object| self.repeated.contains(&hash(&json[object.clone()])));
        // Of those that start at one position, the outermost first.
        objects.sort_by_key(|object| (object.start, std::cmp::Reverse(object.end)));
        self.shorten_within(json, 0..json.len(), &objects)
    }

    fn shorten_within(
        &mut self,
        json: &str,
        within: Range<usize>,
        mut objects: &[Range<usize>],
    ) -> String {
        let bytes = json.as_bytes();
        let mut short = String::with_capacity(within.len() / 2);
        let (mut copied, mut at) = (within.start, within.start);
        while at < within.end {
            while objects.first().is_some_and(|object| object.start < at) {
                objects = &objects[1..];
            }
            let object = objects.first().filter(|object| object.start == at);
            let (end, value) = if let Some(object) = object.cloned() {
                objects = &objects[1..];
                let number = self.object(json, object.clone(), objects);
                (object.end, Some(number))
            } else if bytes.get(at) == Some(&b'"') {
                let end = end_of_string(bytes, at).min(within.end);
                let is_key = bytes.get(end) == Some(&b':');
                let is_long = end - at >= LEAST_STRING_BYTES + 2;
                let text = json.get(at..end).filter(|_| is_long && !is_key);
                (end, text.map(|text| self.number(text, || text.to_owned())))
            } else {
                (at + 1, None)
            };
            if let Some(number) = value {
                short.push_str(&json[copied..at]);
                short.push('"');
                short.push_str(MARK);
                short.push_str(&number.to_string());
                short.push('"');
                copied = end;
            }
            at = end;
        }
        short.push_str(&json[copied..within.end]);
        short
    }

    /// The number of an object, whose own shared values are replaced.
    fn object(&mut self, json: &str, object: Range<usize>, inner: &[Range<usize>]) -> usize {
        let text = &json[object.clone()];
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        // Nested shared values have the lower number.
        let short = self.shorten_within(json, object, inner);
        self.number(text, || short)
    }

    /// Sum of the lengths of the values.
    pub(super) const fn len_bytes(&self) -> u64 {
        self.bytes
    }

    /// All values as a JSON list.
    pub(super) fn json(&self) -> String {
        format!("[{}]", self.values.join(","))
    }

    fn number(&mut self, text: &str, short: impl FnOnce() -> String) -> usize {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let number = self.values.len();
        let value = short();
        self.bytes += value.len() as u64;
        self.values.push(value);
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// Two objects with the same hash, which is rare, both count as repeated: that costs a few bytes.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The objects that are elements of lists and long enough to share.
fn elements(json: &str) -> Vec<Range<usize>> {
    let bytes = json.as_bytes();
    // The start of each open list or object.
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let next = match byte {
            b'"' => end_of_string(bytes, at),
            _ => at + 1,
        };
        match byte {
            b'{' | b'[' => open.push(at),
            b'}' | b']' => {
                let start = open.pop().unwrap_or(at);
                let is_element = open.last().is_some_and(|&outer| bytes[outer] == b'[');
                if byte == b'}' && is_element && next - start >= LEAST_OBJECT_BYTES {
                    found.push(start..next);
                }
            }
            _ => {}
        }
        at = next;
    }
    found
}

/// The position after the closing quote of the string that starts here.
fn end_of_string(json: &[u8], quote: usize) -> usize {
    let mut at = quote + 1;
    while let Some(&byte) = json.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_strings_stand_once_and_keys_stay() {
        let long = r#""a \"long\" text, with \\ and so on""#;
        let key = "a_key_that_is_longer_than_most_keys";
        let mut shared = Shared::default();
        let one = shared.shorten(&format!(r#"{{"{key}":{long},"b":"short"}}"#));
        assert_eq!(one, format!(r#"{{"{key}":"\u00010","b":"short"}}"#));
        let both = shared.shorten(&format!("[{long},{long}]"));
        assert_eq!(both, r#"["\u00010","\u00010"]"#);
        assert_eq!(shared.json(), format!("[{long}]"));
        assert_eq!(shared.shorten("\"broken"), "\"broken");
    }

    #[test]
    fn objects_of_several_lists_stand_once_and_name_what_they_share() {
        let text = r#""add.1 = f32[8,8] add(dot.1, dot.2)""#;
        let inner = format!(r#"{{"name":"a stat","value":{text}}}"#);
        let outer = format!(r#"{{"name":"add.1","time_ps":120,"stats":[{inner}]}}"#);
        let lone = r#"{"name":"dot.1","time_ps":130,"stats":[],"x":1}"#;
        let (one, other) = (
            format!(r#"{{"rows":[{outer},{lone}]}}"#),
            format!("[{outer},{inner}]"),
        );
        let mut shared = Shared::default();
        shared.look(&one);
        shared.look(&other);
        assert_eq!(
            shared.shorten(&one),
            format!(r#"{{"rows":["\u00012",{lone}]}}"#)
        );
        assert_eq!(shared.shorten(&other), r#"["\u00012","\u00011"]"#);
        let values = [
            text.to_owned(),
            r#"{"name":"a stat","value":"\u00010"}"#.to_owned(),
            r#"{"name":"add.1","time_ps":120,"stats":["\u00011"]}"#.to_owned(),
        ];
        assert_eq!(shared.json(), format!("[{}]", values.join(",")));
    }
}
