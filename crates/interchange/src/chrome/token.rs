//! JSON as far as events need it: texts, numbers and whole values are found, not understood.
//!
//! Everything works on bytes in memory and says when it would need more of them. Nothing recurses:
//! nested values are passed over by counting brackets.

use std::borrow::Cow;

/// Why a value could not be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The bytes end within it.
    More,
    /// These bytes are no JSON.
    Bad,
}

/// A part of the bytes being read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) from: u32,
    pub(super) to: u32,
    /// A text with backslashes in it.
    pub(super) is_escaped: bool,
}

impl Part {
    fn new(from: usize, to: usize, is_escaped: bool) -> Self {
        let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self {
            from: position(from),
            to: position(to),
            is_escaped,
        }
    }

    #[inline]
    pub(super) fn of(self, bytes: &[u8]) -> &[u8] {
        bytes
            .get(self.from as usize..self.to as usize)
            .unwrap_or_default()
    }

    pub(super) fn is_empty(self) -> bool {
        self.from == self.to
    }

    /// The text with its escapes resolved.
    #[inline]
    pub(super) fn text(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        if self.is_escaped {
            Cow::Owned(unescape(self.of(bytes)))
        } else {
            Cow::Borrowed(self.of(bytes))
        }
    }
}

/// A value of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Text(Part),
    Number(Part),
    /// An object or an array, whole.
    Nested(Part),
    Bool(bool),
    Null,
}

/// Reads bytes from a position on.
pub(super) struct Cursor<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next byte that is not white space, left in place.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<u8, Stop> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(&byte) => return Ok(byte),
                None => return Err(Stop::More),
            }
        }
    }

    /// Passes over this byte.
    #[inline]
    pub(super) fn expect(&mut self, wanted: u8) -> Result<(), Stop> {
        if self.peek()? != wanted {
            return Err(Stop::Bad);
        }
        self.at += 1;
        Ok(())
    }

    /// The next member of an object whose brace is behind: its key, and the cursor at its value.
    /// None at the end of the object, which is passed over. Stray commas are.
    #[inline]
    pub(super) fn key(&mut self) -> Result<Option<Part>, Stop> {
        loop {
            match self.peek()? {
                b'"' => break,
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Ok(None);
                }
                _ => return Err(Stop::Bad),
            }
        }
        let key = self.text()?;
        self.expect(b':')?;
        Ok(Some(key))
    }

    /// A text; the cursor stands at its quote.
    #[inline]
    pub(super) fn text(&mut self) -> Result<Part, Stop> {
        let from = self.at + 1;
        let (to, is_escaped) = end_of_text(self.bytes, from).ok_or(Stop::More)?;
        self.at = to + 1;
        Ok(Part::new(from, to, is_escaped))
    }

    /// The next value.
    #[inline]
    pub(super) fn value(&mut self) -> Result<Token, Stop> {
        match self.peek()? {
            b'"' => self.text().map(Token::Text),
            b'-' | b'0'..=b'9' | b'+' | b'.' => self.number(),
            b'{' | b'[' => self.nested(),
            _ => self.word(),
        }
    }

    #[inline]
    fn number(&mut self) -> Result<Token, Stop> {
        let from = self.at;
        let rest = &self.bytes[from..];
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E');
        let length = rest
            .iter()
            .position(|byte| !is_part(byte))
            .ok_or(Stop::More)?;
        self.at = from + length;
        Ok(Token::Number(Part::new(from, self.at, false)))
    }

    /// `true`, `false`, `null`, and what Python writes for numbers that are none.
    #[cold]
    fn word(&mut self) -> Result<Token, Stop> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| !byte.is_ascii_alphabetic());
        let length = length.ok_or(Stop::More)?;
        let token = match &rest[..length] {
            b"true" => Token::Bool(true),
            b"false" => Token::Bool(false),
            b"null" | b"NaN" | b"Infinity" | b"nan" | b"inf" => Token::Null,
            _ => return Err(Stop::Bad),
        };
        self.at += length;
        Ok(token)
    }

    /// An object or array, passed over by counting its brackets.
    fn nested(&mut self) -> Result<Token, Stop> {
        let from = self.at;
        let mut depth = 0_usize;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let step = rest
                .iter()
                .position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'));
            self.at += step.ok_or(Stop::More)?;
            match self.bytes[self.at] {
                b'"' => {
                    self.text()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                _ => depth -= 1,
            }
            self.at += 1;
            if depth == 0 {
                return Ok(Token::Nested(Part::new(from, self.at, false)));
            }
        }
    }
}

/// Where the text that begins here ends, and whether it has escapes. Eight bytes at a time: the
/// classic test for a byte within a word finds quotes and backslashes.
#[inline]
pub(super) fn end_of_text(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    const QUOTES: u64 = ONES * b'"' as u64;
    const BACKSLASHES: u64 = ONES * b'\\' as u64;
    let has_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let mut at = from;
    let mut is_escaped = false;
    loop {
        while let Some(word) = bytes.get(at..at + 8) {
            let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
            let found = has_zero(word ^ QUOTES) | has_zero(word ^ BACKSLASHES);
            if found != 0 {
                at += found.trailing_zeros() as usize / 8;
                break;
            }
            at += 8;
        }
        match bytes.get(at)? {
            b'"' => return Some((at, is_escaped)),
            b'\\' => {
                is_escaped = true;
                at += 2;
            }
            _ => at += 1,
        }
    }
}

/// Resolves the escapes of a text. Halves of surrogate pairs and unknown escapes are replaced.
pub(super) fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
        out.extend_from_slice(&rest[..at]);
        let escape = rest.get(at + 1).copied().unwrap_or(b'\\');
        rest = rest.get(at + 2..).unwrap_or_default();
        match escape {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'u' => {
                let (character, taken) = unicode(rest);
                let mut buffer = [0; 4];
                out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
                rest = &rest[taken..];
            }
            other => out.push(other),
        }
    }
    out.extend_from_slice(rest);
    out
}

/// The character of a `\u` whose digits come next, with the second half of a pair if one follows.
fn unicode(rest: &[u8]) -> (char, usize) {
    let unit = |digits: Option<&[u8]>| {
        let digits = std::str::from_utf8(digits?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(rest.get(..4)) else {
        return (char::REPLACEMENT_CHARACTER, 0);
    };
    let second = rest.get(4..6).filter(|next| *next == b"\\u");
    let second = second.and_then(|_| unit(rest.get(6..10)));
    match (first, second) {
        (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) => {
            let code = 0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00);
            (
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
                10,
            )
        }
        _ => (
            char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER),
            4,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_where_they_end() {
        for padding in 0..20 {
            let padding = "x".repeat(padding);
            for (text, is_escaped) in [("", false), (r#"\""#, true), (r"\\", true), ("é", false)] {
                let json = format!("{padding}{text}\" rest");
                let expected = (padding.len() + text.len(), is_escaped);
                assert_eq!(end_of_text(json.as_bytes(), 0), Some(expected));
                let open = format!("{padding}{text}");
                assert_eq!(end_of_text(open.as_bytes(), 0), None);
            }
        }
    }

    #[test]
    fn escapes_are_resolved_as_serde_does() {
        for json in [
            r#""a\n\t\"\\\/b""#,
            r#""\u00e9\ud83d\ude00 \u0041""#,
            r#""é😀""#,
        ] {
            let expected: String = serde_json::from_str(json).unwrap();
            assert_eq!(
                unescape(&json.as_bytes()[1..json.len() - 1]),
                expected.as_bytes()
            );
        }
        assert_eq!(unescape(br"\ud83dx"), "\u{fffd}x".as_bytes());
        assert_eq!(unescape(br"\uzz"), "\u{fffd}zz".as_bytes());
        assert_eq!(unescape(br"\"), br"\");
    }

    #[test]
    fn values_of_all_kinds() {
        let mut cursor =
            Cursor::new(br#" {"a" : [1, {"b":"]"}] ,, "c":-1.5e3,"d":null,"e":true} "#);
        cursor.expect(b'{').unwrap();
        let mut seen = Vec::new();
        while let Some(key) = cursor.key().unwrap() {
            seen.push((key.of(cursor.bytes), cursor.value().unwrap()));
        }
        assert_eq!(seen.len(), 4);
        let Token::Nested(nested) = seen[0].1 else {
            panic!("an array")
        };
        assert_eq!(nested.of(cursor.bytes), br#"[1, {"b":"]"}]"#);
        assert_eq!(seen[3].1, Token::Bool(true));
        assert_eq!(Cursor::new(br#"{"a":[1"#).value(), Err(Stop::More));
        assert_eq!(Cursor::new(b"nonsense ").value(), Err(Stop::Bad));
    }
}
