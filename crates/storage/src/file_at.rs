//! A file that several readers share, each with a position of its own.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

const BUFFER_BYTES: usize = 64 << 10;

/// One reader of a shared file, with a small buffer.
pub(crate) struct FileAt {
    file: Arc<File>,
    size_bytes: u64,
    position: u64,
    buffer: Vec<u8>,
    buffer_at: u64,
}

impl FileAt {
    pub(crate) fn new(file: File) -> io::Result<Self> {
        let size_bytes = file.metadata()?.len();
        Ok(Self::over(Arc::new(file), size_bytes, 0))
    }

    fn over(file: Arc<File>, size_bytes: u64, position: u64) -> Self {
        Self {
            file,
            size_bytes,
            position,
            buffer: Vec::new(),
            buffer_at: 0,
        }
    }

    /// What of the buffer starts at the position.
    fn buffered(&self) -> &[u8] {
        let offset = self.position.checked_sub(self.buffer_at);
        let offset = offset.and_then(|offset| usize::try_from(offset).ok());
        offset
            .and_then(|offset| self.buffer.get(offset..))
            .unwrap_or_default()
    }
}

impl Clone for FileAt {
    fn clone(&self) -> Self {
        Self::over(Arc::clone(&self.file), self.size_bytes, self.position)
    }
}

impl Read for FileAt {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.buffered().is_empty() {
            if target.len() >= BUFFER_BYTES {
                let count = read_at(&self.file, target, self.position)?;
                self.position += count as u64;
                return Ok(count);
            }
            self.buffer.resize(BUFFER_BYTES, 0);
            let count = read_at(&self.file, &mut self.buffer, self.position)?;
            self.buffer.truncate(count);
            self.buffer_at = self.position;
        }
        let buffered = self.buffered();
        let count = buffered.len().min(target.len());
        target[..count].copy_from_slice(&buffered[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for FileAt {
    fn seek(&mut self, target: SeekFrom) -> io::Result<u64> {
        let moved = match target {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.size_bytes.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = moved.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(unix)]
fn read_at(file: &File, target: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, target, position)
}

#[cfg(windows)]
fn read_at(file: &File, target: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, target, position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_of_one_file_do_not_disturb_each_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..200_000_u32)
            .map(|index| index.to_le_bytes()[0])
            .collect();
        std::fs::write(&path, &bytes).expect("a file");
        let mut one = FileAt::new(File::open(&path).expect("a file")).expect("a size");
        let mut other = one.clone();
        let mut head = [0; 10];
        one.read_exact(&mut head).expect("ten bytes");
        other.seek(SeekFrom::End(-5)).expect("inside");
        let mut end = Vec::new();
        other.read_to_end(&mut end).expect("the end");
        assert_eq!(
            (head.as_slice(), end.as_slice()),
            (&bytes[..10], &bytes[199_995..])
        );
        let mut rest = Vec::new();
        one.read_to_end(&mut rest).expect("the rest");
        assert_eq!(rest, bytes[10..]);
        assert!(one.seek(SeekFrom::Current(-300_000)).is_err());
    }
}
