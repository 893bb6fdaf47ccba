//! Profiles stuffed with identifiers, redacted: no byte of the result has one.

use std::sync::Arc;

use proptest::prelude::*;
use stepscope_model::Session;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::redact::{Key, Redaction, redact};
use stepscope_testing::identifiers::{self, HOST, Identifier, RUN};

use crate::support::session;

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
fn numbers_that_say_who_somebody_is_are_replaced_and_stay_equal() {
    use stepscope_testing::space::{EventData, StatValue, XEvent, XEventMetadata, XLine, XPlane};
    use stepscope_testing::space::{XSpace, XStat, XStatMetadata};
    let names = [
        "job_id",
        "session_id",
        "order_id",
        "client_id",
        "userId",
        "run_id",
    ];
    let mut plane = XPlane {
        name: "/host:CPU".to_owned(),
        ..XPlane::default()
    };
    for (id, name) in (1..).zip(names) {
        let metadata = XStatMetadata {
            id,
            name: name.to_owned(),
            ..XStatMetadata::default()
        };
        plane.stat_metadata.insert(id, metadata);
    }
    let metadata = XEventMetadata {
        id: 1,
        name: "load".to_owned(),
        ..XEventMetadata::default()
    };
    plane.event_metadata.insert(1, metadata);
    let stat = |id: i64, value| XStat {
        metadata_id: id,
        value: Some(value),
    };
    let events = (0..2).map(|at| XEvent {
        metadata_id: 1,
        data: Some(EventData::OffsetPs(at * 1_000_000)),
        duration_ps: 900_000,
        stats: (1..=6)
            .map(|id| {
                if id % 2 == 0 {
                    stat(id, StatValue::Int64(4_711_000 + id))
                } else {
                    stat(id, StatValue::Str(format!("{}", 4_711_000 + id)))
                }
            })
            .collect(),
    });
    plane.lines.push(XLine {
        id: 1,
        name: "python".to_owned(),
        timestamp_ns: 1_000_000,
        events: events.collect(),
        ..XLine::default()
    });
    let space = XSpace {
        planes: vec![plane],
        ..XSpace::default()
    };
    let input = HostInput {
        host: HOST.to_owned(),
        bytes: Arc::new(identifiers::encoded(&space)),
        problem: None,
    };
    let session = ingest(RUN, vec![input]).expect("a session");
    let (redacted, _) = redact(&session, &Key::from_text("a key")).expect("a redacted session");
    let read = stepscope_xplane::Space::scan((*redacted.hosts[0].bytes).as_ref());
    let plane = &read.planes[0];
    let mut found: Vec<Vec<String>> = Vec::new();
    for line in &plane.lines {
        for event in line.events() {
            let values = event.stats().map(|stat| format!("{:?}", stat.value()));
            found.push(values.collect());
        }
    }
    assert_eq!(found.len(), 2);
    assert_eq!(found[0], found[1], "equal ones stay equal");
    let all = found[0].join(" ");
    for id in 1..6 {
        assert!(!all.contains(&format!("{}", 4_711_000 + id)), "{id}: {all}");
    }
    // Of runs, programs and ops the numbers are figures.
    assert!(all.contains("4711006"), "{all}");
}

#[test]
fn without_memory_for_the_rewritten_files_nothing_is_written() {
    use stepscope_model::redact::{RedactError, redact_within};
    let input = HostInput {
        host: HOST.to_owned(),
        bytes: Arc::new(identifiers::stuffed_bytes(&identifiers::identifiers(7, 1))),
        problem: None,
    };
    let session = ingest(RUN, vec![input]).expect("a session");
    let key = Key::from_text("a key");
    let size = (*session.hosts[0].bytes).as_ref().len() as u64;
    let mut asked = Vec::new();
    let refused = redact_within(&session, &key, &mut |bytes| {
        asked.push(bytes);
        Err("none is left".to_owned())
    });
    assert!(matches!(refused, Err(RedactError::Memory { needed, .. }) if needed == size));
    assert_eq!(asked, [size]);
    let memory = Arc::new(());
    let held = memory.clone();
    let given = redact_within(&session, &key, &mut |_| Ok(held.clone()));
    drop(held);
    assert!(Arc::strong_count(&memory) > 1, "the session holds it");
    drop(given);
    assert_eq!(Arc::strong_count(&memory), 1);
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

/// What the profiler itself does is recognized by its name, and no time of the program.
#[test]
fn slices_of_the_profiler_keep_their_names() {
    let text = "thread python\n 0..10us stepscope: wait\n 20..30us stepscope: calibrate";
    let session = session(text);
    let (redacted, _) = redact(&session, &Key::from_text("a key")).expect("a redacted session");
    let names = |session: &Session| -> Vec<String> {
        let labels = session.labels.iter();
        labels
            .map(|label| session.text(label.name).to_owned())
            .collect()
    };
    assert_eq!(names(&session), names(&redacted));
}
