//! Real profiles, and our view of a profile written as prost's message.

use std::io::Read;
use std::path::{Path, PathBuf};

use stepscope_pprof::{Profile, StringIndex, ValueType};
use stepscope_testing::pprof as message;

/// The decompressed memory profiles of the fixtures, with their paths.
pub(crate) fn fixtures() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut found = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "prof")
            {
                let mut bytes = Vec::new();
                let file = std::fs::File::open(&path).expect("a file");
                flate2::read::GzDecoder::new(file)
                    .read_to_end(&mut bytes)
                    .expect("gzip");
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    assert!(found.len() >= 2, "the fixtures hold memory profiles");
    found
}

/// What we decoded, as prost's message; texts as the table's numbers, the table by lookups.
pub(crate) fn as_message(profile: &Profile<'_>) -> message::Profile {
    let value_type = |found: &ValueType| message::ValueType {
        r#type: found.kind.0,
        unit: found.unit.0,
    };
    let period = value_type(&profile.period_type);
    message::Profile {
        sample_type: profile.sample_types.iter().map(value_type).collect(),
        sample: profile
            .samples
            .iter()
            .map(|sample| message::Sample {
                location_id: profile.location_ids(sample).to_vec(),
                value: profile.values(sample).to_vec(),
                label: profile.labels(sample).iter().map(label).collect(),
            })
            .collect(),
        mapping: profile
            .mappings
            .iter()
            .map(|mapping| message::Mapping {
                id: mapping.id,
                memory_start: mapping.memory_start,
                memory_limit: mapping.memory_limit,
                file_offset: mapping.file_offset,
                filename: mapping.file.0,
                build_id: mapping.build_id.0,
                has_functions: false,
            })
            .collect(),
        location: profile
            .locations
            .iter()
            .map(|location| message::Location {
                id: location.id,
                mapping_id: location.mapping_id,
                address: location.address,
                line: profile
                    .lines(location)
                    .iter()
                    .map(|line| message::Line {
                        function_id: line.function_id,
                        line: line.line,
                    })
                    .collect(),
            })
            .collect(),
        function: profile
            .functions
            .iter()
            .map(|function| message::Function {
                id: function.id,
                name: function.name.0,
                system_name: function.system_name.0,
                filename: function.file.0,
                start_line: function.start_line,
            })
            .collect(),
        string_table: (0..)
            .map(StringIndex)
            .take(profile.string_count())
            .map(|index| profile.text(index).into_owned())
            .collect(),
        drop_frames: profile.drop_frames.0,
        keep_frames: profile.keep_frames.0,
        time_nanos: profile.time_nanos,
        duration_nanos: profile.duration_nanos,
        period_type: (period != message::ValueType::default()).then_some(period),
        period: profile.period,
        comment: profile.comments.iter().map(|index| index.0).collect(),
        default_sample_type: profile.default_sample_type.0,
    }
}

fn label(label: &stepscope_pprof::Label) -> message::Label {
    message::Label {
        key: label.key.0,
        str: label.text.0,
        num: label.number,
        num_unit: label.number_unit.0,
    }
}
