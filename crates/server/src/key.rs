//! Keys of sessions in routes and links: derived from the location of a session below the root, so
//! that a link still leads to the same session when others appear or the server restarts.

use stepscope_storage::SessionFiles;

/// Separates the parts of a location; a slash in a route does not survive every proxy.
const SEPARATOR: char = '~';

/// The key of the session in these files: the parts of its location, without the `plugins/profile`
/// that every log directory has.
pub(crate) fn key_of(files: &SessionFiles) -> String {
    if files.location == "." {
        return key_of_name(&files.name);
    }
    let mut parts: Vec<&str> = files.location.split('/').collect();
    if let Some(at) = parts
        .windows(2)
        .position(|pair| pair == ["plugins", "profile"])
    {
        parts.drain(at..at + 2);
    }
    key_of_name(&parts.join("/"))
}

/// The key of a session derived from its name alone.
pub(crate) fn key_of_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let key: String = name
        .chars()
        .map(|c| match c {
            '/' => SEPARATOR,
            c if plain(c) => c,
            _ => '_',
        })
        .collect();
    let is_lossy = name.chars().any(|c| c != '/' && !plain(c));
    // Names that differ only in replaced characters get different keys.
    let key = if is_lossy {
        format!("{key}{SEPARATOR}{:08x}", hash(name))
    } else {
        key
    };
    // A number alone would be an index into the list, which changes.
    if key.chars().all(|c| c.is_ascii_digit()) {
        return format!("{SEPARATOR}{key}");
    }
    key
}

/// FNV-1a, 32 bits: the same in every version and on every machine.
fn hash(text: &str) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    text.bytes().fold(0x811c_9dc5, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_can_stand_in_a_route_and_are_no_numbers() {
        for (name, key) in [
            ("2026_11_22_09_00_00", "2026_11_22_09_00_00"),
            ("train/run-1", "train~run-1"),
            ("17", "~17"),
            ("", "~"),
        ] {
            assert_eq!(key_of_name(name), key);
        }
        let keys = ["a b", "a+b", "a_b", "größe"].map(key_of_name);
        for key in &keys {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-~".contains(c);
            assert!(key.chars().all(is_plain), "{key}");
        }
        assert_ne!(keys[0], keys[1]);
        assert_eq!(keys[2], "a_b");
    }
}
