//! The few facts that only a backend's configuration of an instruction holds.
//!
//! The configuration is JSON whose schema belongs to each backend and changes freely, so the
//! wanted keys are picked out of the text and everything else is left alone.

use crate::attributes::DotDimensions;

/// What was found; empty where nothing was.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BackendConfig {
    pub(crate) dot: Option<DotDimensions>,
    pub(crate) known_trip_count: Option<u64>,
    pub(crate) kind: String,
}

pub(crate) fn read(opcode: &str, config: &[u8]) -> BackendConfig {
    let mut found = BackendConfig::default();
    if config.is_empty() || !matches!(opcode, "custom-call" | "while" | "fusion") {
        return found;
    }
    let Ok(config) = std::str::from_utf8(config) else {
        return found;
    };
    match opcode {
        "custom-call" => found.dot = dot_dimensions(config),
        "while" => found.known_trip_count = known_trip_count(config),
        _ => fusion_kind(config)
            .unwrap_or_default()
            .clone_into(&mut found.kind),
    }
    found
}

/// `"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],…}` of a GPU matmul.
fn dot_dimensions(config: &str) -> Option<DotDimensions> {
    let numbers = after_key(config, "dot_dimension_numbers")?;
    Some(DotDimensions {
        lhs_contracting: integers(numbers, "lhs_contracting_dimensions")?,
        rhs_contracting: integers(numbers, "rhs_contracting_dimensions").unwrap_or_default(),
        lhs_batch: integers(numbers, "lhs_batch_dimensions").unwrap_or_default(),
        rhs_batch: integers(numbers, "rhs_batch_dimensions").unwrap_or_default(),
    })
}

/// `"known_trip_count":{"n":"48"}` of a loop.
fn known_trip_count(config: &str) -> Option<u64> {
    let count = after_key(after_key(config, "known_trip_count")?, "n")?.trim_start();
    let digits = count.trim_start_matches('"');
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

/// `"kind":"__ynn_fusion"` of a fusion handled by a library.
fn fusion_kind(config: &str) -> Option<&str> {
    let value = after_key(config, "kind")?.trim_start().strip_prefix('"')?;
    value.split_once('"').map(|(kind, _)| kind)
}

/// The text behind `"key":`.
fn after_key<'a>(config: &'a str, key: &str) -> Option<&'a str> {
    let mut rest = config;
    loop {
        let (before, after) = rest.split_once(key)?;
        rest = after;
        if before.ends_with('"')
            && let Some(value) = after.strip_prefix('"')
            && let Some(value) = value.trim_start().strip_prefix(':')
        {
            return Some(value);
        }
    }
}

/// The array of integers behind a key; each may be quoted, as 64-bit integers are in JSON.
fn integers(config: &str, key: &str) -> Option<Vec<i64>> {
    let (inside, _) = after_key(config, key)?
        .trim_start()
        .strip_prefix('[')?
        .split_once(']')?;
    let numbers = inside
        .split(',')
        .map(|number| number.trim().trim_matches('"'));
    numbers
        .filter(|number| !number.is_empty())
        .map(|number| number.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_keys_are_found_and_lookalikes_are_not() {
        let config = br#"{"name":"n","known_trip_count":{ "n" : "48"},"n":"7"}"#;
        assert_eq!(read("while", config).known_trip_count, Some(48));
        assert_eq!(
            read("while", br#"{"known_trip_count":{"step":"1"}}"#).known_trip_count,
            None
        );
        let config = br#"{"x":"kind","fusion_config":{"kind":"__ynn_fusion"}}"#;
        assert_eq!(read("fusion", config).kind, "__ynn_fusion");
        assert_eq!(read("add", config), BackendConfig::default());
    }

    #[test]
    fn dot_dimensions_may_be_quoted_or_missing() {
        let config = br#"{"dot_dimension_numbers":{"lhs_contracting_dimensions":["2", 3],
            "rhs_contracting_dimensions":[1],"lhs_batch_dimensions":[]}}"#;
        let expected = DotDimensions {
            lhs_contracting: vec![2, 3],
            rhs_contracting: vec![1],
            ..DotDimensions::default()
        };
        assert_eq!(read("custom-call", config).dot, Some(expected));
        let broken = br#"{"dot_dimension_numbers":{"lhs_contracting_dimensions":["x"]}}"#;
        assert_eq!(read("custom-call", broken).dot, None);
    }
}
