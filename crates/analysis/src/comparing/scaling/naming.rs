//! Methods: what distinguishes the names of sessions besides device count and timestamp.
//!
//! ```text
//! tensorboard_logs/2gpu_20261121_215201/lcam_trace/2026_11_21_21_52_04
//!                  ~~~~~~~~~~~~~~~~~~~~            ~~~~~~~~~~~~~~~~~~~  counts and timestamps are removed
//! ~~~~~~~~~~~~~~~~                                                      parts shared by all are removed
//!                                       lcam_trace                      the method
//! ```

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::asking::AnalysisError;

/// A device count as people write it in names, with the separators around it.
static COUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix) (^|[_.-]) (?: (?:gpus?|tpus?|cpus?|devices?|devs?|chips?|cores?|n|x)[_-]?(\d+)
          | (\d+)[_-]?(?:gpus?|tpus?|cpus?|devices?|devs?|chips?|cores?|way|x) ) ($|[_.-])",
    )
});

/// A date, with or without a time: `20261121_215201`, `2026_11_21_21_52_04_601`, `2026-11-21T21-52`.
static STAMP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?x) (19|20)\d\d [_-]? [01]\d [_-]? [0-3]\d ( [T_-]? \d{2,} )*  Z?")
});

/// A part of a name that is only a number.
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^\d+$"));

/// Compiles a built-in pattern; an invalid one would match nothing.
fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// The methods of names. With a given pattern, the method is its group `method`, else its first group,
/// else the whole match; names that do not match have no method.
pub(super) fn methods(
    names: &[&str],
    own: Option<&str>,
) -> Result<Vec<Option<String>>, AnalysisError> {
    if let Some(own) = own {
        let own = crate::measuring::selection::compile_pattern(own)?;
        return Ok(names.iter().map(|name| captured(&own, name)).collect());
    }
    let parts: Vec<Vec<String>> = names.iter().map(|name| significant(name)).collect();
    let is_common = |part: &String| parts.iter().all(|of_one| of_one.contains(part));
    let fallback = parts.first().and_then(|parts| parts.last()).cloned();
    let own = |of_one: &Vec<String>| -> Vec<String> {
        let own = of_one.iter().filter(|part| !is_common(part));
        own.cloned().collect()
    };
    let method = |own: &Vec<String>| {
        if own.is_empty() {
            fallback.clone().unwrap_or_else(|| "all".to_owned())
        } else {
            own.join("/")
        }
    };
    let own = telling(parts.iter().map(own).collect());
    Ok(own.iter().map(|own| Some(method(own))).collect())
}

/// The same without last parts that distinguish nothing, such as the name of the only run in a folder.
fn telling(mut names: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let kinds = |names: &[Vec<String>]| names.iter().collect::<BTreeSet<_>>().len();
    while !names.is_empty() && names.iter().all(|parts| parts.len() > 1) {
        let shorter: Vec<Vec<String>> = names
            .iter()
            .map(|parts| parts[..parts.len() - 1].to_vec())
            .collect();
        if kinds(&shorter) < kinds(&names) {
            break;
        }
        names = shorter;
    }
    names
}

fn captured(pattern: &Regex, name: &str) -> Option<String> {
    let found = pattern.captures(name)?;
    let group = found.name("method").or_else(|| found.get(1));
    let text = group.or_else(|| found.get(0))?.as_str();
    Some(if text.is_empty() { "all" } else { text }.to_owned())
}

/// The parts of a name without counts and timestamps; parts with nothing left are removed.
fn significant(name: &str) -> Vec<String> {
    let parts = name.split('/').map(without_marks);
    parts.filter(|part| !part.is_empty()).collect()
}

/// A part of a name without count and timestamp.
pub(super) fn without_marks(part: &str) -> String {
    if NUMBER.as_ref().is_some_and(|number| number.is_match(part)) {
        return String::new();
    }
    let plain = match STAMP.as_ref() {
        Some(stamp) => stamp.replace_all(part, "").into_owned(),
        None => part.to_owned(),
    };
    let plain = match COUNT.as_ref() {
        Some(count) => count.replace_all(&plain, "${1}${4}").into_owned(),
        None => plain,
    };
    let is_mark = |character: char| matches!(character, '_' | '-' | '.' | ' ');
    let mut tidy = String::with_capacity(plain.len());
    for character in plain.trim_matches(is_mark).chars() {
        // Removing what was between two separators leaves two in a row.
        if !(is_mark(character) && tidy.ends_with(is_mark)) {
            tidy.push(character);
        }
    }
    tidy
}

/// The device count in a name, as in `results_4gpu.json`.
pub(super) fn count_in(name: &str) -> Option<usize> {
    let found = COUNT.as_ref()?.captures(name)?;
    found.get(2).or_else(|| found.get(3))?.as_str().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str], own: Option<&str>) -> Vec<String> {
        let methods = methods(names, own).expect("a pattern");
        methods.into_iter().map(Option::unwrap_or_default).collect()
    }

    #[test]
    fn counts_and_stamps_are_no_part_of_a_method() {
        let names = [
            "tensorboard_logs/1gpu_20261121_215125/lcam_trace/2026_11_21_21_51_30_601_lcam",
            "tensorboard_logs/1gpu_20261121_215125/tad_trace/2026_11_21_21_51_35_638_tad",
            "tensorboard_logs/2gpu_20261121_215201/lcam_trace/2026_11_21_21_52_04_123_lcam",
        ];
        let expected = ["lcam_trace", "tad_trace", "lcam_trace"];
        assert_eq!(found(&names, None), expected);
        assert_eq!(found(&[], None), [""; 0], "benchmarks alone");
        assert_eq!(found(&["logs/dp/8"], None), ["dp"], "one session alone");
        let plain = ["a_4gpus", "a_8gpus", "b-4-devices"];
        assert_eq!(found(&plain, None), ["a", "a", "b"]);
        assert_eq!(found(&["run/gpu2", "run/gpu4"], None), ["run", "run"]);
    }

    #[test]
    fn a_pattern_of_ones_own_decides() {
        let names = ["x/adam_bf16_2", "x/muon_bf16_2", "notes"];
        assert_eq!(found(&names, Some("/([a-z]+)_")), ["adam", "muon", ""]);
        assert_eq!(found(&names, Some("_(?<method>bf)")), ["bf", "bf", ""]);
        assert!(methods(&names, Some("(")).is_err());
    }

    #[test]
    fn counts_are_read_from_names() {
        assert_eq!(count_in("results_4gpu.json"), Some(4));
        assert_eq!(count_in("run-devices_16"), Some(16));
        assert_eq!(count_in("results.json"), None);
        assert_eq!(without_marks("results_4gpu"), "results");
        assert_eq!(without_marks("layer2gpuz"), "layer2gpuz");
    }
}
