//! Memory profiles become snapshots: which values count, their order, and what damage leaves.

use std::path::Path;
use std::sync::Arc;

use stepscope_model::ingest::{IngestError, MemoryInput, ingest_with_memory};
use stepscope_model::{Session, Taken, WarningKind};
use stepscope_testing::corpus::read_bytes;
use stepscope_testing::corrupt;
use stepscope_testing::pprof::{Profile, ValueType};

const ONE: &[(&[&str], &str, &str, i64, i64)] = &[
    (&["load a.py:3", "main a.py:9"], "buffer", "cpu:0", 2, 640),
    (&["main a.py:9"], "executable", "", 1, 0),
];

fn input(name: &str, bytes: Vec<u8>, written_epoch_ns: Option<u64>) -> MemoryInput {
    MemoryInput {
        name: name.to_owned(),
        bytes: Arc::new(bytes),
        written_epoch_ns,
        problem: None,
    }
}

fn of(bytes: Vec<u8>) -> Result<Session, IngestError> {
    ingest_with_memory("session", Vec::new(), vec![input("memory", bytes, None)])
}

fn sum(session: &Session) -> (i64, i64) {
    let samples = session
        .heap
        .snapshots
        .iter()
        .flat_map(|found| &found.samples);
    samples.fold((0, 0), |(bytes, count), sample| {
        (bytes + sample.bytes, count + sample.allocations)
    })
}

fn refusal(bytes: &[u8]) -> String {
    match of(bytes.to_vec()) {
        Err(IngestError::NotAMemoryProfile { name, found }) => {
            assert_eq!(name, "memory");
            found
        }
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("a session"),
    }
}

#[test]
fn a_snapshot_has_stacks_kinds_devices_and_figures() {
    let session = of(Profile::drawn(ONE).to_bytes()).expect("a session");
    assert!(session.is_memory_only());
    let heap = &session.heap;
    let [snapshot] = heap.snapshots.as_slice() else {
        panic!("one snapshot");
    };
    assert_eq!(snapshot.taken, None);
    let [array, program] = snapshot.samples[..] else {
        panic!("two samples");
    };
    assert_eq!((array.bytes, array.allocations), (640, 2));
    assert_eq!(heap.text(array.kind), "buffer");
    assert_eq!(heap.text(array.device), "cpu:0");
    assert_eq!(heap.text(program.device), "");
    let frames: Vec<(&str, i64)> = heap
        .stack(array.stack)
        .iter()
        .map(|&frame| heap.frames[frame as usize])
        .map(|frame| (heap.text(frame.function), frame.line))
        .collect();
    assert_eq!(frames, [("main", 9), ("load", 3)], "outermost first");
    assert_eq!(heap.stack(program.stack).len(), 1);
    assert!(session.warnings.is_empty());
}

#[test]
fn snapshots_share_frames_and_stacks() {
    let profile = Profile::drawn(ONE).to_bytes();
    let inputs = ["b", "a"].map(|name| input(name, profile.clone(), None));
    let session = ingest_with_memory("session", Vec::new(), inputs.into()).expect("a session");
    let [first, second] = session.heap.snapshots.as_slice() else {
        panic!("two snapshots");
    };
    assert_eq!(first.samples, second.samples);
    assert_eq!(
        (session.heap.stack_count(), session.heap.frames.len()),
        (2, 2)
    );
}

#[test]
fn snapshots_are_in_order_of_time_as_far_as_it_is_known() {
    let order = |files: &[(&str, Option<u64>, i64)]| -> Vec<String> {
        let inputs = files.iter().map(|&(name, written, recorded)| {
            let mut profile = Profile::drawn(ONE);
            profile.time_nanos = recorded;
            input(name, profile.to_bytes(), written)
        });
        let session = ingest_with_memory("session", Vec::new(), inputs.collect());
        let heap = session.expect("a session").heap;
        heap.snapshots
            .into_iter()
            .map(|snapshot| snapshot.name)
            .collect()
    };
    // Recorded times count more than names and files.
    assert_eq!(
        order(&[("s1", Some(1), 30), ("s2", Some(2), 20)]),
        ["s2", "s1"]
    );
    // Names that differ in numbers only; a copy may have lost the files' times.
    assert_eq!(
        order(&[("s10", Some(1), 0), ("s9", Some(2), 0)]),
        ["s9", "s10"]
    );
    // Else when the files were written.
    assert_eq!(
        order(&[("after", Some(2), 0), ("before", Some(1), 0)]),
        ["before", "after"]
    );
    assert_eq!(order(&[("b", None, 0), ("a", None, 0)]), ["a", "b"]);
}

#[test]
fn times_say_where_they_come_from() {
    let mut profile = Profile::drawn(ONE);
    let taken = |profile: &Profile| {
        let inputs = vec![input("memory", profile.to_bytes(), Some(7))];
        let session = ingest_with_memory("session", Vec::new(), inputs).expect("a session");
        session.heap.snapshots[0].taken
    };
    assert_eq!(taken(&profile), Some(Taken::Written(7)));
    profile.time_nanos = 42;
    assert_eq!(taken(&profile), Some(Taken::Recorded(42)));
}

#[test]
fn of_several_measures_what_is_in_use_counts() {
    let mut profile = Profile::drawn(ONE);
    let mut number = |text: &str| {
        profile.string_table.push(text.to_owned());
        i64::try_from(profile.string_table.len()).expect("few") - 1
    };
    // As Go writes its heap: allocated and in use, objects and space.
    let names = [
        "alloc_objects",
        "alloc_space",
        "inuse_objects",
        "inuse_space",
    ]
    .map(&mut number);
    let (count, kilobytes) = (number("count"), number("kilobytes"));
    profile.sample_type = names
        .into_iter()
        .zip([count, kilobytes, count, kilobytes])
        .map(|(r#type, unit)| ValueType { r#type, unit })
        .collect();
    profile.sample.truncate(1);
    profile.sample[0].value = vec![100, 1000, 3, 5];
    let session = of(profile.to_bytes()).expect("a session");
    assert_eq!(sum(&session), (5 * 1024, 3));
}

#[test]
fn what_is_no_memory_profile_is_refused_with_the_reason() {
    let mut cpu = Profile::drawn(ONE);
    for text in &mut cpu.string_table {
        for (from, to) in [
            ("space", "cpu"),
            ("bytes", "nanoseconds"),
            ("allocations", "samples"),
        ] {
            if text == from {
                to.clone_into(text);
            }
        }
    }
    let found = refusal(&cpu.to_bytes());
    assert!(
        found.contains("samples in count and cpu in nanoseconds"),
        "{found}"
    );
    for (bytes, words) in [
        (b"".as_slice(), "empty (0 bytes)"),
        (b"{\"a\": 1}", "JSON"),
        (b"\xfb)\x03\xfa\x08<string>", "cProfile"),
        (&[0xff; 64], "expected the pprof profile that JAX saves"),
    ] {
        let found = refusal(bytes);
        assert!(found.contains(words), "{found}, not {words}");
    }
}

#[test]
fn a_profile_cut_short_counts_what_came_before_and_says_where_it_ends() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/mlp-cpu/memory.prof");
    let bytes = read_bytes(&path).expect("the fixture");
    let whole = sum(&of(bytes.clone()).expect("a session"));
    let mut largest = 0;
    for cut in corrupt::truncations(&bytes, 7) {
        match of(cut.to_vec()) {
            Err(error) => assert!(largest == 0, "{error} after {largest} bytes were counted"),
            Ok(session) => {
                let (part, _) = sum(&session);
                assert!(largest <= part && part <= whole.0);
                largest = part;
                let kinds: Vec<WarningKind> = session
                    .warnings
                    .iter()
                    .map(|warning| warning.kind)
                    .collect();
                assert!(!kinds.is_empty(), "{} bytes", cut.len());
            }
        }
    }
    assert_eq!(largest, whole.0, "samples stand before the names");
    let cut = of(bytes[..bytes.len() / 2].to_vec()).expect("a session");
    let messages: Vec<&str> = cut
        .warnings
        .iter()
        .map(|warning| warning.message.as_str())
        .collect();
    let said = |words: &str| messages.iter().any(|message| message.contains(words));
    assert!(said("at byte") && said("ends early"), "{messages:?}");
    assert!(said("under no name"), "{messages:?}");
    assert!(said("JAX's order"), "{messages:?}");
}

#[test]
fn one_that_cannot_be_read_leaves_the_others() {
    let inputs = vec![
        input("bad", vec![0xff; 64], None),
        input("good", Profile::drawn(ONE).to_bytes(), None),
    ];
    let session = ingest_with_memory("session", Vec::new(), inputs).expect("a session");
    assert_eq!(session.heap.snapshots.len(), 1);
    assert_eq!(session.warnings[0].kind, WarningKind::Damaged);
    assert!(
        session.warnings[0]
            .message
            .contains("bad is not a memory profile")
    );
}

#[test]
fn flipped_bits_never_panic() {
    let bytes = Profile::drawn(ONE).to_bytes();
    for copy in corrupt::bit_flips(&bytes, 1).chain(corrupt::random_flips(&bytes, 3, 4, 2000)) {
        if let Ok(session) = of(copy) {
            for sample in &session.heap.snapshots[0].samples {
                let frames = session.heap.stack(sample.stack);
                assert!(
                    frames
                        .iter()
                        .all(|&f| (f as usize) < session.heap.frames.len())
                );
            }
        }
    }
}

/// A file of a few kilobytes whose samples all name one location of very many lines.
#[test]
fn what_is_repeated_costs_no_more_than_its_bound() {
    let mut profile = Profile::drawn(ONE);
    let line = profile.location[0].line[0];
    profile.location[0].line = vec![line; 20_000];
    let mut sample = profile.sample[0].clone();
    sample.location_id = vec![profile.location[0].id; 1000];
    profile.sample = vec![sample; 50];
    let session = of(profile.to_bytes()).expect("a session");
    let stack = session
        .heap
        .stack(session.heap.snapshots[0].samples[0].stack);
    assert_eq!(stack.len(), 4096);
    let said = session
        .warnings
        .iter()
        .any(|warning| warning.message.contains("very deep"));
    assert!(said, "{:?}", session.warnings);
}
