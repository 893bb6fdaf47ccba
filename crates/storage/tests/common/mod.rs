//! Log directories created on the spot, in common layouts.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail their tests")]

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use stepscope_storage::{Found, HostFile, NoProgress, Note, NoteKind, SessionFiles, find, open};
use stepscope_testing::riegeli::Codec;
use tempfile::TempDir;

/// Bytes that start like an XSpace and differ per seed; they compress about four times.
pub(crate) fn profile(seed: u32, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let noise = std::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b"acgt"[(state >> 30) as usize]
    });
    [0x0a, 0x80, 0x04]
        .into_iter()
        .chain(noise)
        .take(len)
        .collect()
}

/// A temporary folder with files in it.
pub(crate) struct Tree(pub(crate) TempDir);

impl Tree {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub(crate) fn folder(&self, path: &str) -> PathBuf {
        fs::create_dir_all(self.at(path)).unwrap();
        self.at(path)
    }

    pub(crate) fn file(&self, path: &str, bytes: &[u8]) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// A Riegeli file of records, as JAX writes it.
pub(crate) fn riegeli(codec: Codec, records: &[&[u8]]) -> Vec<u8> {
    stepscope_testing::riegeli::write(codec, 40_000, records)
}

pub(crate) fn tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(1_795_250_818);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

pub(crate) fn zip(entries: &[(&str, &[u8])], method: zip::CompressionMethod) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in entries {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(crate) fn found(path: impl AsRef<Path>) -> Found {
    find(path.as_ref()).unwrap()
}

pub(crate) fn names(found: &Found) -> Vec<&str> {
    found
        .sessions
        .iter()
        .map(|session| session.name.as_str())
        .collect()
}

pub(crate) fn hosts(session: &SessionFiles) -> Vec<&str> {
    session
        .hosts
        .iter()
        .map(|host| host.host.as_str())
        .collect()
}

pub(crate) fn bytes_of(host: &HostFile) -> Vec<u8> {
    let bytes = open(host, &NoProgress).unwrap();
    assert_eq!(bytes.truncated(), None);
    bytes.as_ref().to_vec()
}

pub(crate) fn notes_of(found: &Found, kind: NoteKind) -> Vec<&Note> {
    found
        .notes
        .iter()
        .filter(|note| note.kind == kind)
        .collect()
}

/// A file with this many bytes that uses no disk space.
pub(crate) fn sparse_file(path: &Path, len: u64) -> File {
    let file = File::create(path).unwrap();
    file.set_len(len).unwrap();
    file
}
