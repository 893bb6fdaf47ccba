//! The body of a kernel that somebody wrote by hand (Pallas, Triton) and a custom call carries.
//!
//! On TPU it is MLIR bytecode in base64 within the backend's JSON; on GPU the text or bytecode of
//! MLIR within attributes. Bytecode cannot be printed without the compiler, but its table of
//! strings names the ops, functions and attributes of the kernel, and these are read.

use crate::details::Details;

/// Strings of one kernel that are kept.
const MAX_STRINGS: usize = 4096;

/// What a custom call carries of its kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelBody {
    /// Its form: `MLIR text` or `MLIR bytecode`.
    pub form: &'static str,
    /// The text; of bytecode, the names it mentions, one a line.
    pub text: String,
    /// Bytes of the body as carried, decoded.
    pub byte_count: usize,
}

impl Details {
    /// The kernel that this instruction carries, where it carries one.
    pub fn kernel_body(&self) -> Option<KernelBody> {
        let config = &self.backend_config;
        let body = json_string(config, "\"body\"").and_then(|body| base64(&body));
        let body = body.or_else(|| attribute(config, "ir"))?;
        Some(match bytecode_strings(&body) {
            Some(strings) => KernelBody {
                form: "MLIR bytecode",
                text: strings.join("\n"),
                byte_count: body.len(),
            },
            None => KernelBody {
                form: "MLIR text",
                byte_count: body.len(),
                text: String::from_utf8_lossy(&body).into_owned(),
            },
        })
    }
}

/// The text behind `"key":` in JSON, up to its closing quote; escapes cannot occur in base64.
fn json_string(config: &str, key: &str) -> Option<String> {
    let (_, rest) = config.split_once(key)?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let (text, _) = rest.strip_prefix('"')?.split_once('"')?;
    Some(text.to_owned())
}

/// The value of `name = "…"` in a dictionary of MLIR attributes, whose escapes are `\0A`, `\22`.
fn attribute(config: &str, name: &str) -> Option<Vec<u8>> {
    let (_, rest) = config.split_once(&format!("{name} = \""))?;
    let mut bytes = Vec::new();
    let mut rest = rest.as_bytes();
    loop {
        match rest {
            [b'"', ..] => return Some(bytes),
            [b'\\', mark @ (b'"' | b'\\'), tail @ ..] => {
                bytes.push(*mark);
                rest = tail;
            }
            [b'\\', high, low, tail @ ..] => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let value = digit(*high)? * 16 + digit(*low)?;
                bytes.push(u8::try_from(value).ok()?);
                rest = tail;
            }
            [byte, tail @ ..] => {
                bytes.push(*byte);
                rest = tail;
            }
            [] => return None,
        }
    }
}

/// Decodes base64 of either alphabet; none where other letters occur.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut buffer, mut bits) = (0u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        buffer = buffer << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits & 0xff) as u8);
        }
    }
    Some(bytes)
}

/// The table of strings of MLIR bytecode; none where these bytes are something else.
///
/// ```text
/// "ML" ef "R", version, producer \0, sections: id (bit 7: aligned), length, [alignment], data
/// section 0: count, lengths from last to first with their \0, texts
/// ```
fn bytecode_strings(bytes: &[u8]) -> Option<Vec<String>> {
    let mut rest = bytes.strip_prefix(b"ML\xefR")?;
    number(&mut rest)?;
    let producer = rest.iter().position(|&byte| byte == 0)?;
    rest = rest.get(producer + 1..)?;
    while let [id, tail @ ..] = rest {
        rest = tail;
        let length = usize::try_from(number(&mut rest)?).ok()?;
        if id & 0x80 != 0 {
            number(&mut rest)?;
            let padding = rest.iter().take_while(|&&byte| byte == 0xcb).count();
            rest = rest.get(padding..)?;
        }
        let (section, tail) = rest.split_at_checked(length)?;
        if id << 1 == 0 {
            return Some(strings(section).unwrap_or_default());
        }
        rest = tail;
    }
    Some(Vec::new())
}

fn strings(mut section: &[u8]) -> Option<Vec<String>> {
    let count = usize::try_from(number(&mut section)?).ok()?;
    // A string takes at least the byte of its length.
    let count = count.min(section.len());
    let mut lengths = Vec::with_capacity(count);
    for _ in 0..count {
        lengths.push(usize::try_from(number(&mut section)?).ok()?);
    }
    let mut strings = Vec::new();
    for length in lengths.into_iter().rev().take(MAX_STRINGS) {
        let (text, tail) = section.split_at_checked(length)?;
        let text = text.strip_suffix(&[0]).unwrap_or(text);
        strings.push(String::from_utf8_lossy(text).into_owned());
        section = tail;
    }
    Some(strings)
}

/// MLIR's varint: the zeros at the end of the first byte count the bytes that follow.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    let more = first.trailing_zeros().min(8) as usize;
    let (following, rest) = rest.split_at_checked(more)?;
    let mut value = [0u8; 8];
    if more == 8 {
        value.copy_from_slice(following);
        *bytes = rest;
        return Some(u64::from_le_bytes(value));
    }
    value[0] = first;
    value[1..=more].copy_from_slice(following);
    *bytes = rest;
    Some(u64::from_le_bytes(value) >> (more + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(config: &str) -> Option<KernelBody> {
        Details {
            backend_config: config.to_owned(),
            ..Details::default()
        }
        .kernel_body()
    }

    #[test]
    fn text_is_unescaped() {
        let body = of(r#"{grid_x = 1 : i32, ir = "func @k {\0A  \22a\22\0A}", name = "k"}"#);
        let body = body.expect("a body");
        assert_eq!(
            (body.form, body.text.as_str()),
            ("MLIR text", "func @k {\n  \"a\"\n}")
        );
        assert_eq!(of("{}"), None);
        assert_eq!(of(r#"{"custom_call_config":{"body":"not base64!"}}"#), None);
    }

    #[test]
    fn strings_of_bytecode_are_read() {
        // Version 1; producer "x"; section 0 of 11 bytes: two strings, "matmul" and "k".
        let mut bytes = b"ML\xefR\x03x\0".to_vec();
        bytes.extend([0x00, 0x19, 0x05, 0x05, 0x0f]);
        bytes.extend(b"matmul\0k\0");
        let strings = bytecode_strings(&bytes);
        assert_eq!(strings, Some(vec!["matmul".to_owned(), "k".to_owned()]));
        for length in 0..bytes.len() {
            let _ = bytecode_strings(&bytes[..length]);
        }
        assert_eq!(bytecode_strings(b"module {}"), None);
    }

    #[test]
    fn base64_decodes() {
        assert_eq!(base64("TUzvUg==").as_deref(), Some(&b"ML\xefR"[..]));
        assert_eq!(base64("a b"), None);
    }
}
