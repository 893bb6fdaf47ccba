//! The entries of a tar, one by one, with a bound on what describes them.
//!
//! The reader of tars keeps long names, extended attributes and the maps of sparse files in memory,
//! as long as the archive says that they are. So what it may read from one entry's data to the next
//! is bounded here, below it, whatever the headers say.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Bytes that describe one entry: headers, names, attributes.
const MOST_ABOUT: u64 = 1 << 20;
/// The same of a sparse file, whose map is walked through from its start again and again.
const MOST_ABOUT_SPARSE: u64 = 16 << 10;
/// Headers and data are padded to blocks of this size.
const BLOCK_BYTES: u64 = 512;

/// How much may be read, and was.
#[derive(Debug, Default)]
struct Bounds {
    left: Cell<u64>,
    read: Cell<u64>,
}

/// A stream that ends with an error where the reader of tars would hold too much.
#[derive(Debug)]
pub struct Bounded<R> {
    inner: R,
    bounds: Rc<Bounds>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.bounds.left.get();
        if left == 0 && !buffer.is_empty() {
            return Err(too_much(MOST_ABOUT));
        }
        let room = usize::try_from(left).unwrap_or(usize::MAX);
        let room = room.min(buffer.len());
        let count = self.inner.read(&mut buffer[..room])?;
        self.bounds.left.set(left.saturating_sub(count as u64));
        let read = self.bounds.read.get().saturating_add(count as u64);
        self.bounds.read.set(read);
        Ok(count)
    }
}

impl<R: Seek> Seek for Bounded<R> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.inner.seek(position)
    }
}

fn too_much(most: u64) -> io::Error {
    let message = format!("what describes an entry has more than {most} bytes");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// One entry of a tar.
pub type TarEntry<'a, R> = tar::Entry<'a, Bounded<R>>;

/// Hands every entry of a tar to `take`, with its position, until that breaks. Damage is handed to
/// it too, as the last.
///
/// # Errors
///
/// The tar cannot be read at all.
pub fn each_tar_entry<R: Read>(
    reader: R,
    take: impl FnMut(usize, io::Result<&mut TarEntry<'_, R>>) -> ControlFlow<()>,
) -> io::Result<()> {
    let bounds = Rc::new(Bounds::default());
    let mut archive = tar::Archive::new(bounded(reader, &bounds));
    each(archive.entries()?, &bounds, Passing::Reads, take);
    Ok(())
}

/// [`each_tar_entry`] of a file: the data of entries is passed over without reading it.
///
/// # Errors
///
/// See there.
pub fn each_tar_entry_of_file<R: Read + Seek>(
    reader: R,
    take: impl FnMut(usize, io::Result<&mut TarEntry<'_, R>>) -> ControlFlow<()>,
) -> io::Result<()> {
    let bounds = Rc::new(Bounds::default());
    let mut archive = tar::Archive::new(bounded(reader, &bounds));
    each(archive.entries_with_seek()?, &bounds, Passing::Seeks, take);
    Ok(())
}

fn bounded<R>(inner: R, bounds: &Rc<Bounds>) -> Bounded<R> {
    bounds.left.set(MOST_ABOUT);
    Bounded {
        inner,
        bounds: Rc::clone(bounds),
    }
}

/// How data that nobody took is passed over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    Reads,
    Seeks,
}

fn each<R: Read>(
    mut entries: tar::Entries<'_, Bounded<R>>,
    bounds: &Bounds,
    passing: Passing,
    mut take: impl FnMut(usize, io::Result<&mut TarEntry<'_, R>>) -> ControlFlow<()>,
) {
    // Where the data of the last entry ends, counted in bytes that were read.
    let mut end: u64 = 0;
    for index in 0.. {
        let behind = end.saturating_sub(bounds.read.get());
        let skipped = if passing == Passing::Reads { behind } else { 0 };
        let allowed = skipped.saturating_add(MOST_ABOUT);
        bounds.left.set(allowed);
        let Some(entry) = entries.next() else { return };
        let about = (allowed - bounds.left.get()).saturating_sub(skipped);
        bounds.left.set(u64::MAX);
        let flow = match entry {
            Ok(mut entry) => {
                let is_sparse = entry.header().entry_type().is_gnu_sparse();
                if is_sparse && about > MOST_ABOUT_SPARSE {
                    let _ = take(index, Err(too_much(MOST_ABOUT_SPARSE)));
                    return;
                }
                let stored = if is_sparse {
                    entry.header().entry_size().unwrap_or(0)
                } else {
                    entry.size()
                };
                let padded = stored.div_ceil(BLOCK_BYTES).saturating_mul(BLOCK_BYTES);
                end = bounds.read.get().saturating_add(padded);
                take(index, Ok(&mut entry))
            }
            Err(error) => {
                let _ = take(index, Err(error));
                return;
            }
        };
        if flow.is_break() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of a kind that describes the next entry, with that much data to come.
    fn about(kind: u8, size_bytes: u64) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.set_path("about").expect("a short name");
        header.set_entry_type(tar::EntryType::new(kind));
        header.set_size(size_bytes);
        header.set_cksum();
        header.as_bytes().to_vec()
    }

    fn plain(name: &str, bytes: &[u8]) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.set_path(name).expect("a short name");
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        let mut tar = header.as_bytes().to_vec();
        tar.extend_from_slice(bytes);
        tar.resize(tar.len().next_multiple_of(512), 0);
        tar
    }

    fn listed(reader: impl Read) -> (Vec<String>, Option<String>) {
        let (mut names, mut failure) = (Vec::new(), None);
        let listed = each_tar_entry(reader, |_, entry| {
            match entry {
                Ok(entry) => names.push(String::from_utf8_lossy(&entry.path_bytes()).into_owned()),
                Err(error) => failure = Some(error.to_string()),
            }
            ControlFlow::Continue(())
        });
        listed.expect("it begins like a tar");
        (names, failure)
    }

    #[test]
    fn names_and_attributes_of_any_length_are_not_held() {
        for kind in [b'L', b'K', b'x'] {
            let first = plain("first", &[7; 3000]);
            let endless = io::repeat(b'n').take(1 << 40);
            let head = [first, about(kind, 1 << 40)].concat();
            let (names, failure) = listed(head.as_slice().chain(endless));
            assert_eq!(names, ["first"]);
            let said = failure.expect("it is refused");
            assert!(said.contains("more than 1048576 bytes"), "{said}");
        }
    }

    #[test]
    fn maps_of_sparse_files_are_short() {
        let mut header = tar::Header::new_gnu();
        header.set_path("sparse").expect("a short name");
        header.set_entry_type(tar::EntryType::GNUSparse);
        header.set_size(0);
        header.as_gnu_mut().expect("it is").isextended[0] = 1;
        header.set_cksum();
        let mut more = vec![0; 512];
        more[504] = 1;
        let tar = [header.as_bytes().to_vec(), more.repeat(100), vec![0; 2048]].concat();
        let (names, failure) = listed(tar.as_slice());
        assert_eq!(names, [""; 0]);
        assert!(failure.is_some());
    }

    #[test]
    fn data_is_passed_over_whatever_its_size() {
        let large = vec![1; 5 << 20];
        let tar = [plain("a", &large), plain("b", &[]), plain("c", &large)].concat();
        let tar = [tar, vec![0; 1024]].concat();
        assert_eq!(
            listed(tar.as_slice()),
            (vec!["a".into(), "b".into(), "c".into()], None)
        );
        let mut positions = Vec::new();
        each_tar_entry_of_file(io::Cursor::new(&tar), |index, entry| {
            positions.push((index, entry.expect("it is whole").raw_file_position()));
            ControlFlow::Continue(())
        })
        .expect("a tar");
        let behind = 512 + (5 << 20) + 512;
        assert_eq!(positions, [(0, 512), (1, behind), (2, behind + 512)]);
        // Data that was taken, in part or whole, is not allowed once more.
        for taken in [0, 100, 5 << 20] {
            let mut count = 0;
            each_tar_entry(tar.as_slice(), |_, entry| {
                let entry = entry.expect("it is whole");
                let read = io::copy(&mut entry.take(taken), &mut io::sink());
                count += usize::from(read.is_ok());
                ControlFlow::Continue(())
            })
            .expect("a tar");
            assert_eq!(count, 3);
        }
    }
}
