//! We read what prost reads.

use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message;
use stepscope_pprof::Profile;
use stepscope_testing::pprof as message;

use crate::support::{as_message, fixtures};

#[test]
fn real_profiles_read_the_same() {
    for (path, bytes) in fixtures() {
        let expected = message::Profile::decode(bytes.as_slice()).expect("prost reads it");
        let profile = Profile::decode(&bytes);
        assert_eq!(profile.problems, [], "{}", path.display());
        assert_eq!(as_message(&profile), expected, "{}", path.display());
        assert!(Profile::is_begun_by(&bytes), "{}", path.display());
        assert!(Profile::is_begun_by(&bytes[..512.min(bytes.len())]));
        for sample in &profile.samples {
            for &id in profile.location_ids(sample) {
                let location = profile.location(id).expect("its location");
                assert_eq!(location.id, id);
                for line in profile.lines(location) {
                    let function = profile.function(line.function_id).expect("its function");
                    assert!(!profile.text(function.name).is_empty());
                }
            }
        }
    }
}

#[test]
fn other_messages_are_no_profiles() {
    // An XSpace: its first plane has an id and a name.
    let plane = b"\x0a\x0c\x08\x01\x12\x08/host:0\x00";
    assert!(!Profile::is_begun_by(plane));
    // A plane with an id alone.
    assert!(!Profile::is_begun_by(b"\x0a\x02\x08\x01"));
    for bytes in [
        b"".as_slice(),
        b"\x0a",
        b"{\"a\": 1}",
        b"\x0a\x7f",
        &[0; 64],
    ] {
        assert!(!Profile::is_begun_by(bytes), "{bytes:?}");
    }
    for capture in stepscope_testing::corpus::fixtures() {
        for host in &capture.hosts {
            let bytes = stepscope_testing::corpus::read_bytes(host).expect("readable");
            assert!(!Profile::is_begun_by(&bytes[..512.min(bytes.len())]));
        }
    }
}

#[test]
fn unpacked_numbers_are_read() {
    // A sample of two locations and two values, each number with a tag of its own.
    let bytes = b"\x12\x08\x08\x03\x08\x04\x10\x05\x10\x06";
    let profile = Profile::decode(bytes);
    let sample = &profile.samples[0];
    assert_eq!(profile.location_ids(sample), [3, 4]);
    assert_eq!(profile.values(sample), [5, 6]);
}

prop_compose! {
    fn value_type()(r#type in 0..20_i64, unit in any::<i64>()) -> message::ValueType {
        message::ValueType { r#type, unit }
    }
}

prop_compose! {
    fn label()(key in 0..9_i64, str in 0..9_i64, num in any::<i64>(), num_unit in 0..9_i64)
        -> message::Label {
        message::Label { key, str, num, num_unit }
    }
}

prop_compose! {
    fn sample()(
        location_id in vec(any::<u64>(), 0..6),
        value in vec(any::<i64>(), 0..4),
        label in vec(label(), 0..4),
    ) -> message::Sample {
        message::Sample { location_id, value, label }
    }
}

prop_compose! {
    fn location()(
        id in any::<u64>(),
        mapping_id in 0..4_u64,
        address in any::<u64>(),
        line in vec((any::<u64>(), any::<i64>()), 0..4),
    ) -> message::Location {
        let line = line.into_iter().map(|(function_id, line)| message::Line { function_id, line });
        message::Location { id, mapping_id, address, line: line.collect() }
    }
}

prop_compose! {
    fn function()(id in any::<u64>(), name in 0..9_i64, system_name in any::<i64>(),
        filename in 0..9_i64, start_line in any::<i64>()) -> message::Function {
        message::Function { id, name, system_name, filename, start_line }
    }
}

prop_compose! {
    fn mapping()(id in any::<u64>(), memory_start in any::<u64>(), memory_limit in any::<u64>(),
        file_offset in any::<u64>(), filename in 0..9_i64, build_id in 0..9_i64)
        -> message::Mapping {
        let has_functions = false;
        message::Mapping {
            id, memory_start, memory_limit, file_offset, filename, build_id, has_functions,
        }
    }
}

prop_compose! {
    fn profile()(
        sample_type in vec(value_type(), 0..4),
        sample in vec(sample(), 0..8),
        mapping in vec(mapping(), 0..3),
        location in vec(location(), 0..8),
        function in vec(function(), 0..8),
        string_table in vec(".{0,12}", 0..10),
        numbers in any::<[i64; 6]>(),
        comment in vec(any::<i64>(), 0..4),
    ) -> message::Profile {
        let [drop_frames, keep_frames, time_nanos, duration_nanos, period, default_sample_type] =
            numbers;
        message::Profile {
            sample_type, sample, mapping, location, function, string_table, drop_frames,
            keep_frames, time_nanos, duration_nanos, period_type: None, period, comment,
            default_sample_type,
        }
    }
}

proptest! {
    #[test]
    fn whatever_can_be_written_reads_the_same(message in profile()) {
        let bytes = message.encode_to_vec();
        let profile = Profile::decode(&bytes);
        prop_assert_eq!(profile.problem_count, 0);
        prop_assert_eq!(as_message(&profile), message);
    }

    #[test]
    fn ids_lead_to_the_first_record_that_has_them(message in profile()) {
        let bytes = message.encode_to_vec();
        let profile = Profile::decode(&bytes);
        for wanted in &message.function {
            let first = message.function.iter().find(|function| function.id == wanted.id);
            let found = profile.function(wanted.id).map(|function| function.name.0);
            prop_assert_eq!(found, first.map(|function| function.name));
        }
    }
}
