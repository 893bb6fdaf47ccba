//! Profiles stuffed with identifiers, redacted: no byte of the result has one.

use std::sync::Arc;

use proptest::prelude::*;
use stepscope_model::Session;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::redact::{Key, Redaction, redact};
use stepscope_testing::identifiers::{self, HOST, Identifier, RUN};

fn redacted(identifiers: &[Identifier]) -> (Session, Redaction) {
    let input = HostInput {
        host: HOST.to_owned(),
        bytes: Arc::new(identifiers::stuffed_bytes(identifiers)),
        problem: None,
    };
    let session = ingest(RUN, vec![input]).expect("a session");
    redact(&session, &Key::from_text("a key")).expect("a redacted session")
}

/// What the redacted session still says.
fn leaks(identifiers: &[Identifier]) -> Vec<String> {
    let (session, redaction) = redacted(identifiers);
    let mut leaks = Vec::new();
    for host in &session.hosts {
        leaks.extend(identifiers::found_in(identifiers, (*host.bytes).as_ref()));
        leaks.extend(identifiers::found_in(identifiers, host.name.as_bytes()));
    }
    leaks.extend(identifiers::found_in(identifiers, session.name.as_bytes()));
    // What a person reads before sending is as long as the vocabulary, not as the capture.
    let kept = format!("{:?}", redaction.kept);
    leaks.extend(identifiers::found_in(identifiers, kept.as_bytes()));
    leaks.sort();
    leaks.dedup();
    leaks
}

#[test]
fn of_two_hundred_identifiers_none_is_left() {
    let all = identifiers::identifiers(7, 7);
    assert!(all.len() > 200);
    let before = identifiers::stuffed_bytes(&all);
    let secrets: usize = all.iter().map(|one| one.secrets.len()).sum();
    assert_eq!(identifiers::found_in(&all, &before).len(), secrets + 3);
    assert_eq!(leaks(&all), Vec::<String>::new());
}

#[test]
fn what_is_kept_is_listed_by_kind() {
    let (_, redaction) = redacted(&identifiers::identifiers(7, 1));
    let words: Vec<&str> = redaction
        .kept
        .iter()
        .flat_map(|(_, words)| words.iter().map(String::as_str))
        .collect();
    for word in ["fusion", "GPU", "load", "kernel_details"] {
        let parts: Vec<&str> = word.split('_').collect();
        assert!(
            parts.iter().all(|part| words.contains(part)),
            "{word}: {words:?}"
        );
    }
    let mut distinct = words.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), words.len());
}

#[test]
fn questions_are_translated_like_the_session() {
    let (session, redaction) = redacted(&identifiers::identifiers(7, 1));
    let mut renames = redaction.renames;
    assert_eq!(renames.hosts(HOST), session.hosts[0].name);
    assert_eq!(renames.hosts("0"), "0");
    let pattern = renames.text("fusion|quokkaz");
    assert!(
        pattern.starts_with("fusion|") && !pattern.contains("quokka"),
        "{pattern}"
    );
    // A name that was read in a redacted report is one already.
    assert_eq!(renames.text(&pattern), pattern);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(6) })]

    #[test]
    fn no_identifier_is_left_whatever_it_is(seed in any::<u64>()) {
        let all = identifiers::identifiers(seed, 1);
        prop_assert_eq!(leaks(&all), Vec::<String>::new());
    }
}
