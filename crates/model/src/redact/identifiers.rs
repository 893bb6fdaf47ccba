//! Identifiers that consist of several tokens: addresses, UUIDs, host names, dates, account
//! numbers. Their parts alone may look like numbers or vocabulary.

use super::vocabulary::is_digits;

/// Last parts of host names. With two parts only those of the first list count: `x.io` may be a
/// module.
const TOP_DOMAINS: [&str; 11] = [
    "com",
    "org",
    "net",
    "edu",
    "gov",
    "mil",
    "internal",
    "corp",
    "lan",
    "intranet",
    "localdomain",
];
const MORE_DOMAINS: [&str; 16] = [
    "ai", "app", "au", "ca", "ch", "cloud", "cn", "de", "dev", "fr", "in", "io", "jp", "local",
    "ru", "uk",
];

/// What stands before an address in names.
const ADDRESS_WORDS: [&str; 11] = [
    "addr", "address", "host", "hostname", "inet", "ip", "ipv4", "node", "peer", "vm", "worker",
];

/// What an identifier is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// A name of a machine.
    Host,
    /// Anything else.
    Other,
}

/// The length of the identifier at the start of a text, if there is one. `before` is the character
/// in front of it.
pub(super) fn identifier(text: &str, before: Option<char>) -> Option<(usize, Found)> {
    let other = |length: usize| (length, Found::Other);
    email(text)
        .map(other)
        .or_else(|| colons(text).map(other))
        .or_else(|| hexadecimal(text).map(other))
        .or_else(|| numbers(text, before).map(other))
        .or_else(|| host(text).map(|length| (length, Found::Host)))
        .filter(|&(length, _)| is_end(text, length))
}

fn is_end(text: &str, length: usize) -> bool {
    let next = text.get(length..).and_then(|rest| rest.chars().next());
    !next.is_some_and(char::is_alphanumeric)
}

/// Groups of some characters at the start of a text, joined by one separator, and their length.
fn groups(text: &str, separator: u8, is_member: fn(&u8) -> bool) -> (Vec<&str>, usize) {
    let bytes = text.as_bytes();
    let mut groups = Vec::new();
    let (mut begin, mut end) = (0, 0);
    loop {
        let length = bytes[begin..]
            .iter()
            .take_while(|byte| is_member(byte))
            .count();
        if length == 0 {
            break;
        }
        end = begin + length;
        groups.push(&text[begin..end]);
        if bytes.get(end) != Some(&separator) {
            break;
        }
        begin = end + 1;
    }
    (groups, end)
}

/// UUIDs, MAC addresses, ids in groups of hexadecimal digits.
fn hexadecimal(text: &str) -> Option<usize> {
    b"-:_".iter().find_map(|&separator| {
        let (groups, length) = groups(text, separator, u8::is_ascii_hexdigit);
        let count: usize = groups.iter().map(|group| group.len()).sum();
        let has = |is: fn(&u8) -> bool| {
            groups
                .iter()
                .any(|group| group.bytes().any(|byte| is(&byte)))
        };
        let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
        let is_mac = groups.len() == 6 && groups.iter().all(|group| group.len() == 2);
        let is_id = is_mixed && groups.len() >= 3 && count >= 6;
        // Names of ops are words and numbers with the same sign between them.
        let is_found = if separator == b'_' {
            is_mac && is_mixed
        } else {
            is_mac || is_id
        };
        is_found.then_some(length)
    })
}

/// IPv6 addresses.
fn colons(text: &str) -> Option<usize> {
    let is_member = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b':';
    let length = text.bytes().take_while(|byte| is_member(byte)).count();
    // A colon behind it belongs to the sentence, unless it is a double one.
    let whole = text[..length].strip_suffix(':');
    let address = match whole {
        Some(shorter) if !shorter.ends_with(':') => shorter,
        _ => &text[..length],
    };
    let parts: Vec<&str> = address.split(':').collect();
    let named = parts.iter().filter(|part| !part.is_empty()).count();
    let is_short = address.contains("::") && (2..8).contains(&named);
    let has_digit = address.bytes().any(|byte| byte.is_ascii_digit());
    let is_whole = parts.len() == 8 && named == 8;
    let fits = parts.iter().all(|part| part.len() <= 4);
    // An IPv4 address may end it.
    let tail = text.get(address.len()..).unwrap_or_default();
    let dotted = if tail.starts_with('.') {
        groups(tail.get(1..).unwrap_or_default(), b'.', u8::is_ascii_digit).1 + 1
    } else {
        0
    };
    (fits && has_digit && (is_short || is_whole)).then_some(address.len() + dotted)
}

/// Addresses, dates, account and telephone numbers: several groups of digits.
fn numbers(text: &str, before: Option<char>) -> Option<usize> {
    let count = |groups: &[&str]| groups.iter().map(|group| group.len()).sum::<usize>();
    let (dashed, length) = groups(text, b'-', u8::is_ascii_digit);
    if dashed.len() >= 2 && count(&dashed) >= 7 || dashed.len() >= 3 && count(&dashed) >= 4 {
        return Some(length);
    }
    let (dotted, length) = groups(text, b'.', u8::is_ascii_digit);
    let is_address = dotted.len() >= 4 && dotted[..4].iter().all(|group| group.len() <= 3);
    let is_long = dotted.len() >= 3 && dotted.iter().any(|group| group.len() >= 4);
    if is_address || is_long && before != Some('.') {
        return Some(length);
    }
    let (spaced, length) = groups(text, b' ', u8::is_ascii_digit);
    if spaced.len() == 4 && spaced.iter().all(|group| group.len() == 4) || is_dialed(&spaced) {
        return Some(length);
    }
    let (joined, length) = groups(text, b'_', u8::is_ascii_digit);
    let is_year =
        |group: &str| group.len() == 4 && (group.starts_with("19") || group.starts_with("20"));
    (joined.len() >= 3 && is_year(joined[0])).then_some(length)
}

/// Whether numbers with spaces between them are a telephone number or one of an authority: `078 05
/// 1120`, `1 555 123 4567`. Extents of a shape are multiples of eight.
fn is_dialed(groups: &[&str]) -> bool {
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_form = matches!(lengths[..], [3, 2 | 3, 4] | [1..=3, 3, 3, 4]);
    let is_extent = |group: &&str| {
        let number: u32 = group.parse().unwrap_or(1);
        !group.starts_with('0') && number.is_multiple_of(8)
    };
    is_form && !groups.iter().all(is_extent)
}

/// The length of an address whose parts are joined like those of a name, `ip_10_1_2_3`: with a word
/// before it that says so, because names of ops end in numbers, too.
pub(super) fn underscored_address(head: &str, text: &str) -> Option<usize> {
    let (parts, length) = groups(text, b'_', u8::is_ascii_digit);
    let is_part = |part: &&str| part.len() <= 3 && part.parse::<u8>().is_ok();
    let word = head
        .strip_suffix(['_', '-'])?
        .rsplit(|letter: char| !letter.is_ascii_alphanumeric())
        .next()?
        .to_ascii_lowercase();
    let is_named = ADDRESS_WORDS.contains(&word.as_str());
    let is_address = parts.len() == 4 && parts.iter().all(is_part);
    (is_named && is_address && is_end(text, length)).then_some(length)
}

/// What labels of a host name are made of.
const IS_LABEL: fn(&u8) -> bool = |byte| byte.is_ascii_alphanumeric() || *byte == b'-';

fn host(text: &str) -> Option<usize> {
    let (labels, length) = groups(text, b'.', IS_LABEL);
    let last = labels.last()?.to_ascii_lowercase();
    let is_host = match labels.len() {
        0 | 1 => false,
        2 => TOP_DOMAINS.contains(&last.as_str()),
        _ => TOP_DOMAINS.contains(&last.as_str()) || MORE_DOMAINS.contains(&last.as_str()),
    };
    let is_called = text[length..].starts_with(['(', '_']);
    (is_host && !is_called && !is_digits(labels[0])).then_some(length)
}

fn email(text: &str) -> Option<usize> {
    let is_local = |byte: &u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte);
    let local = text.bytes().take_while(|byte| is_local(byte)).count();
    let domain = text.get(local..)?.strip_prefix('@')?;
    let (labels, length) = groups(domain, b'.', IS_LABEL);
    (local > 0 && labels.len() >= 2).then_some(local + 1 + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_of_several_tokens_are_found_whole() {
        for whole in [
            "550e8400-e29b-41d4-a716-446655440000",
            "00:1a:2b:3c:4d:5e",
            "aa-bb-cc-dd-ee-ff",
            "2001:db8::8a2e:370:7334",
            "2001:4860:4860:0:0:0:0:8888",
            "fe80::1",
            "::1",
            "4711-0815",
            "10-1-2-3",
            "10.1.2.3",
            "2026-11-23",
            "2026_11_23_10_15_00",
            "555.123.4567",
            "4111 1111 1111 1111",
            "gpu-17.rack4.example.org",
            "alice.b@corp.example.com",
            "7f_3a_9b_2c_11_00",
            "078 05 1120",
            "555 123 4567",
            "1 555 123 4567",
        ] {
            let found = identifier(whole, None);
            // An address that begins with colons begins with a sign, not with a token.
            if whole != "::1" {
                assert_eq!(
                    found.map(|(length, _)| length),
                    Some(whole.len()),
                    "{whole}"
                );
            }
        }
        for none in [
            "1.2.3",
            "12:34:56",
            "f32[8,128]",
            "all-reduce-start.4",
            "c10::BFloat16",
            "12.4.131",
            "jax.numpy",
            "0.125",
            "add.1",
            "fade",
            "1-2-3",
            "128 256 1024",
            "3_3_64_128",
            "10_20_30_40_50_60",
            "128 64",
        ] {
            assert_eq!(identifier(none, None), None, "{none}");
        }
    }

    #[test]
    fn addresses_in_names_are_told_from_numbers_of_ops() {
        for (head, text) in [("ip_", "10_1_2_3"), ("on host-", "192_168_0_12 ")] {
            let expected = text.trim_end().len();
            assert_eq!(underscored_address(head, text), Some(expected), "{head}");
        }
        for (head, text) in [
            ("fusion_", "10_1_2"),
            ("fusion_", "10_1_2_3"),
            ("f32_", "64_64"),
            ("ip_", "10_1_2_300"),
            ("ip_", "10_1_2_3x"),
            ("", "10_1_2_3"),
        ] {
            assert_eq!(underscored_address(head, text), None, "{head}{text}");
        }
    }
}
