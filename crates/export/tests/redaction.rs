//! Every available capture, redacted: the figures are the same, and the names are gone.

mod support;

use std::collections::BTreeSet;

use serde_json::Value;
use stepscope_analysis::{ANALYSES, AnalysisError};
use stepscope_model::Session;
use stepscope_model::redact::{Key, redact};

use stepscope_testing::corpus::{self, Capture};
use support::session_of;

/// Our fixtures, and third-party captures if available.
fn all_captures() -> Vec<Capture> {
    let mut all = corpus::fixtures();
    all.extend(corpus::captures());
    all.retain(|capture| !capture.hosts.is_empty());
    assert!(!all.is_empty());
    all
}

/// Integers and fractions of a report, sorted: rows of equal figures may be ordered by name.
fn figures(session: &Session, analysis: &str) -> Result<Vec<String>, String> {
    fn collect(key: &str, value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Number(number) => found.push(format!("{key} {number}")),
            Value::Bool(flag) => found.push(format!("{key} {flag}")),
            Value::Array(values) => values.iter().for_each(|value| collect(key, value, found)),
            Value::Object(values) => values
                .iter()
                // The files themselves have other lengths, and threads are sorted by name.
                .filter(|(key, _)| !matches!(key.as_str(), "size_bytes" | "track"))
                .for_each(|(key, value)| collect(key, value, found)),
            Value::Null | Value::String(_) => {}
        }
    }
    let entry = stepscope_analysis::find(analysis).expect("it is in the list");
    // Of equally large rows, names decide which come first.
    let command = entry.command();
    let has_limit = command
        .get_arguments()
        .any(|one| one.get_long() == Some("limit"));
    let limit = has_limit.then_some(("limit", "0"));
    let answer = entry.run_pairs(session, limit);
    let answer = answer.map_err(|error: AnalysisError| error.to_string())?;
    let mut found = Vec::new();
    collect("", &answer.json().expect("JSON"), &mut found);
    found.sort();
    Ok(found)
}

#[test]
fn figures_of_every_analysis_are_what_they_were() {
    for capture in all_captures() {
        let session = session_of(&capture);
        let key = Key::from_text("a key");
        let Ok((redacted, _)) = redact(&session, &key) else {
            assert!(session.is_memory_only(), "{}", capture.name);
            continue;
        };
        assert_eq!(session.slice_count(), redacted.slice_count());
        let arrows = |session: &Session| -> usize {
            let hosts = session.host_ids();
            hosts.map(|host| session.flows_of(host).all().len()).sum()
        };
        assert_eq!(arrows(&session), arrows(&redacted));
        for entry in ANALYSES {
            let (before, after) = (
                figures(&session, entry.name),
                figures(&redacted, entry.name),
            );
            // Manifests and memory snapshots are removed, with everything said about them.
            if matches!(entry.name, "heap") && !session.heap.snapshots.is_empty() {
                continue;
            }
            let differences: Vec<(String, String)> = match (&before, &after) {
                (Ok(before), Ok(after)) => {
                    let pairs = before.iter().cloned().zip(after.iter().cloned());
                    pairs.filter(|(one, other)| one != other).take(9).collect()
                }
                _ => Vec::new(),
            };
            assert!(
                before == after,
                "{} of {}: {differences:?}",
                entry.name,
                capture.name
            );
        }
    }
}

/// Runs of letters that are too long to occur accidentally in binary numbers.
fn words(bytes: &[u8]) -> BTreeSet<&str> {
    const SHORTEST: usize = 6;
    let runs = bytes.split(|byte| !byte.is_ascii_alphabetic());
    runs.filter(|run| run.len() >= SHORTEST)
        .filter_map(|run| std::str::from_utf8(run).ok())
        .collect()
}

/// Split where a lowercase letter is followed by a capital one, which is coarser than in redaction.
fn parts(word: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut is_after_small = false;
    for letter in word.chars() {
        if letter.is_ascii_uppercase() && is_after_small {
            parts.push(String::new());
        }
        is_after_small = letter.is_ascii_lowercase();
        parts.last_mut().expect("a part").push(letter);
    }
    parts
}

#[test]
fn no_word_that_is_not_public_is_left_in_the_bytes() {
    let public = include_str!("../../model/src/redact/words.txt");
    let public: BTreeSet<&str> = public.split_whitespace().collect();
    let is_public = |word: &str| {
        let lower = word.to_ascii_lowercase();
        // The byte before a text is its length, and the one after it a tag: both may be letters.
        let (first, last) = (&lower[1..], &lower[..lower.len() - 1]);
        let within = &first[..first.len() - 1];
        [lower.as_str(), first, last, within]
            .iter()
            .any(|word| public.contains(word))
    };
    for capture in all_captures() {
        let session = session_of(&capture);
        let Ok((redacted, redaction)) = redact(&session, &Key::from_text("a key")) else {
            continue;
        };
        let mut private = 0;
        for (host, other) in session.hosts.iter().zip(&redacted.hosts) {
            let before = words((*host.bytes).as_ref());
            let after = words((*other.bytes).as_ref());
            // A word is private if one of its plain parts is: lowercase letters, long enough to
            // have a meaning.
            let is_private = |word: &&&str| {
                let parts = parts(word);
                let plain = parts.iter().filter(|part| {
                    part.len() > 3
                        && part
                            .chars()
                            .skip(1)
                            .all(|letter| letter.is_ascii_lowercase())
                });
                // Lists of small numbers look like words of many short parts.
                plain.clone().any(|part| !is_public(part))
                    && !is_public(word)
                    && word.len() >= 4 * parts.len()
            };
            let told: BTreeSet<&&str> = before.iter().filter(is_private).collect();
            private += told.len();
            let leaked: Vec<_> = told
                .into_iter()
                .filter(|word| after.contains(*word))
                .collect();
            assert!(leaked.is_empty(), "{}: {leaked:?}", capture.name);
        }
        assert!(private > 0, "{}: {private}", capture.name);
        assert!(!redaction.replaced.is_empty());
    }
}
