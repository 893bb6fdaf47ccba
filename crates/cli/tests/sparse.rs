//! Files larger than 4 GiB without writing them: sparse files whose hole is an unknown field, with
//! planes and events after it. Storage maps them into memory, so only touched pages use memory.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::{Session, SliceId, TrackId};
use stepscope_storage::{NoProgress, find, open};
use stepscope_testing::drawing;

/// More than a u32 can address.
const HOLE_BYTES: u64 = (1 << 32) + 4096;

/// A length-delimited field's tag and length.
fn head(field: u64, length: u64) -> Vec<u8> {
    [varint(field << 3 | 2), varint(length)].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap());
    bytes
}

fn drawn(text: &str) -> Vec<u8> {
    drawing::draw(text).unwrap().to_bytes()
}

/// Writes parts one after the other; a hole has a length in the file but uses no disk space.
struct SparseFile {
    file: File,
    length: u64,
}

impl SparseFile {
    fn create(path: &Path) -> Self {
        let file = File::create(path).unwrap();
        Self { file, length: 0 }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.file.write_all_at(bytes, self.length).unwrap();
        self.length += bytes.len() as u64;
    }

    fn hole(&mut self, length: u64) {
        self.length += length;
        self.file.set_len(self.length).unwrap();
    }
}

fn opened(path: &Path) -> Session {
    let found = find(path).unwrap();
    let host = &found.sessions[0].hosts[0];
    let bytes = open(host, &NoProgress).unwrap();
    assert!(
        bytes.is_mapped(),
        "a file of this size must not be read into memory"
    );
    let input = HostInput {
        host: host.host.clone(),
        bytes: Arc::new(bytes),
        problem: None,
    };
    ingest("sparse", vec![input]).unwrap()
}

fn names(session: &Session) -> Vec<(String, usize)> {
    let row =
        |track: &stepscope_model::Track| (session.text(track.name).to_owned(), track.slice_count());
    session.tracks.iter().map(row).collect()
}

#[test]
fn planes_and_events_past_four_gibibytes_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vm.xplane.pb");
    let mut file = SparseFile::create(&path);
    file.bytes(&drawn(
        "device gpu:0 nvidia H100\n stream 7 Compute\n 0..10us before [n=1]",
    ));
    // A hole in the file itself ...
    file.bytes(&head(50, HOLE_BYTES));
    file.hole(HOLE_BYTES);
    file.bytes(&drawn(
        "device gpu:1 nvidia H100\n stream 8 Compute\n 5..10us behind [n=2]",
    ));
    // ... and one within a line, between its events: by then its plane is past 4 GiB as well.
    let event = |start_us: u64| {
        let numbers = [
            varint(1 << 3),
            varint(1),
            varint(2 << 3),
            varint(start_us * 1_000_000),
        ];
        let event = numbers.concat();
        [head(4, event.len() as u64), event].concat()
    };
    let line_head = [varint(1 << 3), varint(42), event(1), head(50, HOLE_BYTES)].concat();
    let line_tail = event(2);
    let line_length = line_head.len() as u64 + HOLE_BYTES + line_tail.len() as u64;
    let name = [head(2, 9), b"/host:CPU".to_vec()].concat();
    let metadata = {
        let value = [head(2, 4), b"late".to_vec()].concat();
        let entry = [
            varint(1 << 3),
            varint(1),
            head(2, value.len() as u64),
            value,
        ]
        .concat();
        [head(4, entry.len() as u64), entry].concat()
    };
    let plane_head = [name, head(3, line_length)].concat();
    let plane_length = plane_head.len() as u64 + line_length + metadata.len() as u64;
    file.bytes(&[head(1, plane_length), plane_head, line_head].concat());
    file.hole(HOLE_BYTES);
    file.bytes(&[line_tail, metadata].concat());
    let length = file.length;
    assert!(length > 2 * HOLE_BYTES);

    let session = opened(&path);
    let rows = [
        ("Stream #7(Compute)", 1),
        ("Stream #8(Compute)", 1),
        ("", 2),
    ];
    assert_eq!(
        names(&session),
        rows.map(|(name, count)| (name.to_owned(), count))
    );
    assert!(session.warnings.is_empty(), "{:?}", session.warnings);
    let slice = |track| SliceId {
        track: TrackId(track),
        lane: 0,
        index: 0,
    };
    let stat = |track| {
        session
            .stats(slice(track))
            .into_iter()
            .map(|stat| stat.value)
            .collect::<String>()
    };
    assert_eq!((stat(0), stat(1)), ("1".to_owned(), "2".to_owned()));
    let late = session.lane(TrackId(2), 0).unwrap();
    assert_eq!(late.starts(), [1_000_000, 2_000_000]);
    assert_eq!(session.label_name(late.labels()[1]), "late");
    drop(session);

    // Cut within the last metadata: the reported offset is past 4 GiB too.
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(length - 3)
        .unwrap();
    let session = opened(&path);
    assert_eq!(session.slice_count(), 4);
    let message = &session.warnings[0].message;
    let words: Vec<&str> = message.split_whitespace().collect();
    let at = words.iter().position(|&word| word == "byte").unwrap();
    let offset: u64 = words[at + 1].parse().unwrap();
    assert!(offset > 2 * HOLE_BYTES && offset < length, "{message}");
}
