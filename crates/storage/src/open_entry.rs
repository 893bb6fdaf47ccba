//! From an entry of an archive to its bytes.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::ops::ControlFlow;

use stepscope_remote::each_tar_entry_of_file;
use zip::CompressionMethod;

use crate::archive::{Format, LONGEST_NAME, zip_name};
use crate::compression::{Collected, Counting, Guarded, Reporting, expected_bytes};
use crate::encoding::Encoding;
use crate::error::StorageError;
use crate::file_at::FileAt;
use crate::index::{self, TarPlace};
use crate::open::{Opened, Opening};
use crate::packed;
use crate::progress::NoProgress;
use crate::sniff::{Content, HEAD_BYTES};
use crate::stamp::Stamp;

impl Opening<'_> {
    pub(crate) fn zip_entry(&self, file: File, name: &str) -> Result<Vec<Opened>, StorageError> {
        let direct = file.try_clone().map_err(self.read_error())?;
        let stamp = Stamp::of(&file.metadata().map_err(self.read_error())?);
        let shared = FileAt::new(file).map_err(self.read_error())?;
        let archive = index::zip(self.local, &stamp, shared);
        let mut archive = archive.map_err(|error| self.zip_error(error))?;
        let entry = archive
            .by_index(self.host.index)
            .map_err(|error| self.zip_error(error))?;
        if zip_name(&entry) != name {
            return Err(self.changed());
        }
        // What the archive claims cannot be more than there is.
        let consumed = entry.compressed_size().min(stamp.size_bytes);
        self.meter.consumed.set(consumed);
        let size_bytes = entry.size();
        match entry.data_start() {
            Some(position) if entry.compression() == CompressionMethod::Stored => {
                self.direct_entry(direct, position, size_bytes)
            }
            _ => self.entry(entry, size_bytes, Format::Zip),
        }
    }

    pub(crate) fn tar_entry(&self, file: &File, name: &str) -> Result<Vec<Opened>, StorageError> {
        let direct = file.try_clone().map_err(self.read_error())?;
        let stamp = Stamp::of(&file.metadata().map_err(self.read_error())?);
        let places = index::tar(self.local, &stamp, || {
            tar_places(BufReader::new(file)).map_err(self.read_error())
        })?;
        let place = places.get(self.host.index);
        let place = place.filter(|place| place.name == name);
        let place = place.ok_or_else(|| self.changed())?;
        if !place.is_sparse {
            return self.direct_entry(direct, place.position, place.size_bytes);
        }
        let counting = Counting::new(BufReader::new(direct), &self.meter);
        let mut opened = None;
        let listed = each_tar_entry_of_file(counting, |index, entry| match entry {
            Ok(_) if index < self.host.index => ControlFlow::Continue(()),
            Ok(entry) => {
                let format = Format::Tar(Encoding::Plain);
                opened = Some(self.entry(entry, place.size_bytes, format));
                ControlFlow::Break(())
            }
            Err(error) => {
                opened = Some(Err(self.read_error()(error)));
                ControlFlow::Break(())
            }
        });
        listed.map_err(self.read_error())?;
        opened.unwrap_or_else(|| Err(self.changed()))
    }

    pub(crate) fn compressed_tar_entry(
        &self,
        file: &File,
        encoding: Encoding,
        name: &str,
    ) -> Result<Vec<Opened>, StorageError> {
        let stamp = Stamp::of(&file.metadata().map_err(self.read_error())?);
        self.meter.consumed.set(stamp.size_bytes);
        let (index, format) = (self.host.index, Format::Tar(encoding));
        if let Some(bytes) = index::member(self.local, &stamp, index, name) {
            return self.entry(bytes.as_slice(), bytes.len() as u64, format);
        }
        let wanted = std::iter::once((index, name)).collect();
        let passed = packed::pass(
            self.local,
            encoding,
            &wanted,
            self.limits,
            self.progress,
            &|_, _| {},
        );
        let mut passed = passed.map_err(self.read_error())?;
        if let Some(member) = passed.take(index, self.host) {
            return self.member(member?, format);
        }
        passed.failure.map_or_else(
            || Err(self.changed()),
            |failure| Err(self.read_error()(failure)),
        )
    }

    /// An entry that was taken out of its archive.
    pub(crate) fn member(
        &self,
        member: Collected,
        format: Format,
    ) -> Result<Vec<Opened>, StorageError> {
        let failure = match member.failure {
            None => match self.held_bytes(&member.bytes)? {
                Some(opened) => return Ok(opened),
                None => None,
            },
            Some(failure) => {
                let is_packed = matches!(Content::of(&member.bytes), Content::Compressed(_));
                if is_packed {
                    let cut = Cut(Some(failure));
                    let whole = io::Cursor::new(member.bytes).chain(cut);
                    return self.entry(whole, 0, format);
                }
                Some(failure)
            }
        };
        let collected = Collected { failure, ..member };
        let bytes = self.held(collected, format.as_str(), 0)?;
        Ok(vec![Opened::only(bytes)])
    }

    /// An entry that is stored uncompressed in its archive: mapped, and decompressed if it is a
    /// compressed file itself.
    fn direct_entry(
        &self,
        file: File,
        position: u64,
        size_bytes: u64,
    ) -> Result<Vec<Opened>, StorageError> {
        let opened = self.mapped_or_read(file, position, size_bytes)?;
        let [Opened { bytes, .. }] = opened.as_slice() else {
            return Ok(opened);
        };
        let Content::Compressed(encoding) = Content::of(bytes.as_ref()) else {
            return Ok(opened);
        };
        let counting = Counting::new(bytes.as_ref(), &self.meter);
        let expected = expected_bytes(encoding, bytes.as_ref(), None, size_bytes);
        self.unfold(counting, encoding, expected)
    }

    /// An entry that must be read through its archive.
    fn entry(
        &self,
        entry: impl Read,
        size_bytes: u64,
        format: Format,
    ) -> Result<Vec<Opened>, StorageError> {
        let mut entry = Guarded::new(entry, &self.meter, self.limits);
        let mut head = Vec::with_capacity(HEAD_BYTES);
        let failure = entry
            .by_ref()
            .take(HEAD_BYTES as u64)
            .read_to_end(&mut head)
            .err();
        if failure.is_some() {
            let collected = Collected {
                bytes: head,
                failure,
                ..Collected::default()
            };
            let bytes = self.held(collected, format.as_str(), size_bytes)?;
            return Ok(vec![Opened::only(bytes)]);
        }
        let content = Content::of(&head);
        // Sizes claimed by an archive are limited to what its own size allows.
        let on_disk = std::fs::metadata(self.local).map_or(0, |metadata| metadata.len());
        let plausible = size_bytes.min(on_disk.saturating_mul(64));
        let whole = io::Cursor::new(&head).chain(entry);
        if let Content::Compressed(encoding) = content {
            let expected = expected_bytes(encoding, &head, None, plausible);
            return self.unfold(whole, encoding, expected);
        }
        let reporting = match format {
            Format::Zip => self.progress,
            Format::Tar(_) => &NoProgress,
        };
        let whole = Reporting::new(whole, reporting, size_bytes);
        self.take(whole, plausible, format.as_str(), size_bytes)
    }
}

/// Where the entries of a plain tar are. Those before damage are usable.
fn tar_places<R: Read + Seek>(file: R) -> io::Result<Vec<TarPlace>> {
    let mut places = Vec::new();
    each_tar_entry_of_file(file, |_, entry| {
        let Ok(entry) = entry else {
            return ControlFlow::Break(());
        };
        // Those that are not listed keep their position in the order.
        let mut name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if name.len() > LONGEST_NAME {
            name.clear();
        }
        places.push(TarPlace {
            name,
            position: entry.raw_file_position(),
            size_bytes: entry.size(),
            is_sparse: entry.header().entry_type().is_gnu_sparse(),
        });
        ControlFlow::Continue(())
    })?;
    Ok(places)
}

/// The end of a stream that fails once, where it was cut.
struct Cut(Option<io::Error>);

impl Read for Cut {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
