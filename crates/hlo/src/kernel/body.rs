//! The body of a kernel that a custom call contains, as text.
//!
//! On TPU it is MLIR bytecode in base64 within the backend's JSON; on GPU the text or bytecode of
//! MLIR within attributes. Bytecode cannot be printed without the compiler, but its table of
//! strings names the ops, functions and attributes of the kernel, and these are read.

use crate::backend_config::mlir_bytes;
use crate::details::Details;
use crate::mlir;

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
        let body = body.or_else(|| mlir_bytes(config, "ir"))?;
        Some(match mlir::strings(&body) {
            Ok(strings) => KernelBody {
                form: "MLIR bytecode",
                text: listed(&strings),
                byte_count: body.len(),
            },
            Err(_) => KernelBody {
                form: "MLIR text",
                byte_count: body.len(),
                text: String::from_utf8_lossy(&body).into_owned(),
            },
        })
    }
}

/// The text behind `"key":` in JSON, up to its closing quote; escapes cannot occur in base64.
pub(super) fn json_string(config: &str, key: &str) -> Option<String> {
    let (_, rest) = config.split_once(key)?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let (text, _) = rest.strip_prefix('"')?.split_once('"')?;
    Some(text.to_owned())
}

/// The first names, one a line.
fn listed(strings: &[String]) -> String {
    strings[..strings.len().min(MAX_STRINGS)].join("\n")
}

/// Decodes base64 of either alphabet; none where other letters occur.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
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
    fn base64_decodes() {
        assert_eq!(base64("TUzvUg==").as_deref(), Some(&b"ML\xefR"[..]));
        assert_eq!(base64("a b"), None);
    }
}
