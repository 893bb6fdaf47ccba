//! Damaged profiles: what is whole is read, the rest is said with its place, and nothing panics.

use proptest::prelude::*;
use stepscope_pprof::{ProblemKind, Profile};
use stepscope_testing::corrupt;

use crate::support::{as_message, fixtures};

/// Touches everything that can be looked up.
fn walk(profile: &Profile<'_>) -> usize {
    let mut seen = as_message(profile).sample.len();
    for sample in &profile.samples {
        for &id in profile.location_ids(sample) {
            let Some(location) = profile.location(id) else {
                continue;
            };
            seen += profile.mapping(location.mapping_id).map_or(0, |_| 1);
            for line in profile.lines(location) {
                let function = profile.function(line.function_id);
                seen += function.map_or(0, |function| profile.text(function.name).len());
            }
        }
    }
    seen
}

#[test]
fn a_profile_cut_short_keeps_what_came_before() {
    let (path, bytes) = fixtures().remove(0);
    let whole = as_message(&Profile::decode(&bytes));
    for cut in corrupt::truncations(&bytes, 1) {
        let profile = Profile::decode(cut);
        walk(&profile);
        let part = as_message(&profile);
        assert_eq!(part.sample, whole.sample[..part.sample.len()]);
        assert_eq!(
            part.string_table,
            whole.string_table[..part.string_table.len()]
        );
        if let [problem] = profile.problems[..] {
            assert_eq!(problem.kind, ProblemKind::Truncated);
            assert!(problem.offset < cut.len(), "{}", path.display());
        } else {
            assert_eq!(profile.problems, [], "only between two records");
        }
    }
}

#[test]
fn a_damaged_record_is_left_out_and_its_neighbors_are_read() {
    // Three samples of one value; the second says that its value is a message.
    let bytes = b"\x12\x03\x12\x01\x07\x12\x03\x15\x01\x07\x12\x03\x12\x01\x09";
    let profile = Profile::decode(bytes);
    let values: Vec<&[i64]> = profile
        .samples
        .iter()
        .map(|sample| profile.values(sample))
        .collect();
    assert_eq!(values, [[7], [9]]);
    let [problem] = profile.problems[..] else {
        panic!("one problem: {:?}", profile.problems);
    };
    assert_eq!((problem.offset, problem.part), (5, "sample"));
}

#[test]
fn numbers_that_lead_nowhere_give_nothing() {
    let profile = Profile::decode(b"\x12\x06\x0a\x01\x63\x12\x01\x07");
    assert!(profile.location(99).is_none());
    assert!(profile.text(stepscope_pprof::StringIndex(-1)).is_empty());
    assert!(!profile.has_text(stepscope_pprof::StringIndex(0)));
}

#[test]
fn problems_are_counted_and_only_the_first_are_kept() {
    let bytes = b"\x12\x02\x15\x01".repeat(1000);
    let profile = Profile::decode(&bytes);
    assert_eq!(profile.problem_count, 1000);
    assert_eq!(profile.problems.len(), 16);
}

#[test]
fn flipped_bits_never_panic() {
    for (_, bytes) in fixtures() {
        for copy in corrupt::bit_flips(&bytes, 3) {
            walk(&Profile::decode(&copy));
        }
        for copy in corrupt::random_flips(&bytes, 7, 20, 300) {
            walk(&Profile::decode(&copy));
        }
    }
}

#[test]
fn lengths_that_lie_allocate_nothing() {
    for (name, bytes) in corrupt::hostile_lengths() {
        let profile = Profile::decode(&bytes);
        walk(&profile);
        assert!(profile.samples.is_empty(), "{name}");
    }
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        walk(&Profile::decode(&bytes));
        Profile::is_begun_by(&bytes);
    }

    #[test]
    fn random_fields_never_panic(
        fields in proptest::collection::vec(
            (1..16_u8, proptest::collection::vec(0..128_u8, 0..40)), 0..60)
    ) {
        let mut bytes = Vec::new();
        for (number, content) in fields {
            bytes.extend([number << 3 | 2, u8::try_from(content.len()).expect("short")]);
            bytes.extend(content);
        }
        walk(&Profile::decode(&bytes));
    }
}
