//! From a host file to its bytes.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use stepscope_interchange::{Format as TraceFormat, sniff};
use stepscope_riegeli::JoinError;
use zip::result::ZipError;

use crate::archive::Format;
use crate::budget::Reserved;
use crate::bytes::ProfileBytes;
use crate::compression::{
    Charge, Collected, Counting, Exceeded, Meter, Reporting, Watched, collect, decoder,
    expected_bytes,
};
use crate::encoding::Encoding;
use crate::error::{StorageError, plain_reason};
use crate::fetch;
use crate::host_file::HostFile;
use crate::kind::{FileKind, Role};
use crate::limits::Limits;
use crate::progress::{NoProgress, Progress};
use crate::regular::open_regular;
use crate::riegeli;
use crate::sniff::{Content, HEAD_BYTES, read_head};
use crate::stamp::Stamp;

/// The bytes of one host's profile. A plain file, and a plain entry that is stored uncompressed in
/// its archive, are mapped and use no memory of their own; anything else is decompressed into
/// memory. Data that ends early or is damaged yields what could be read before that, and
/// [`ProfileBytes::truncated`] says so.
///
/// # Errors
///
/// [`StorageError::Io`], [`StorageError::Corrupt`] if nothing could be decompressed, and
/// [`StorageError::TooLarge`] for a decompression bomb or if memory runs out.
pub fn open(host: &HostFile, progress: &dyn Progress) -> Result<ProfileBytes, StorageError> {
    open_within(host, &Limits::default(), progress)
}

/// [`open`] with custom limits.
pub fn open_within(
    host: &HostFile,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<ProfileBytes, StorageError> {
    let mut opened = open_all_within(host, limits, progress)?;
    Ok(opened.swap_remove(0).bytes)
}

/// One host in a file.
#[derive(Debug)]
pub struct Opened {
    /// Its name, if the file distinguishes several.
    pub name: Option<String>,
    /// Its profile.
    pub bytes: ProfileBytes,
}

impl Opened {
    pub(crate) const fn only(bytes: ProfileBytes) -> Self {
        Self { name: None, bytes }
    }
}

/// All hosts in a file, at least one: a profile has one host, a trace may have several.
///
/// # Errors
///
/// Those of [`open`], and [`StorageError::NotATrace`].
pub fn open_all(host: &HostFile, progress: &dyn Progress) -> Result<Vec<Opened>, StorageError> {
    open_all_within(host, &Limits::default(), progress)
}

fn open_all_within(
    host: &HostFile,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Vec<Opened>, StorageError> {
    let path = &host.path;
    let local = fetch::local(host, progress)?;
    let file = open_regular(&local).map_err(StorageError::io("open the file", path))?;
    let stamp = Stamp::of(
        &file
            .metadata()
            .map_err(StorageError::io("inspect the file", path))?,
    );
    let again = file
        .try_clone()
        .map_err(StorageError::io("open the file", path))?;
    let meter = Meter::of(stamp.size_bytes);
    let opening = Opening {
        host,
        local: &local,
        limits,
        // Progress counts the fetch; reading from the cache adds nothing.
        progress: if host.remote.is_some() {
            &NoProgress
        } else {
            progress
        },
        meter,
    };
    let opened = opening.opened(file);
    if stamp.differs(&again) {
        let path = host.display_path();
        return Err(StorageError::Changed { path });
    }
    opened
}

/// [`open_all`] of an entry that was taken out of its archive with others.
pub(crate) fn open_member(
    host: &HostFile,
    member: Collected,
    encoding: Encoding,
) -> Result<Vec<Opened>, StorageError> {
    let meter = Meter::of(member.bytes.len() as u64);
    let on_disk = std::fs::metadata(&host.path).map_or(0, |metadata| metadata.len());
    meter.consumed.set(on_disk.max(member.bytes.len() as u64));
    let opening = Opening {
        host,
        local: &host.path,
        limits: &Limits::default(),
        progress: &NoProgress,
        meter,
    };
    opening.member(member, Format::Tar(encoding))
}

/// One host file being opened.
pub(crate) struct Opening<'a> {
    pub(crate) host: &'a HostFile,
    /// Where its bytes are: its path, or a file in the cache.
    pub(crate) local: &'a Path,
    pub(crate) limits: &'a Limits,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) meter: Meter,
}

impl Opening<'_> {
    /// The decompressed form of bytes in memory; `None` if they are not compressed.
    pub(crate) fn held_bytes(&self, bytes: &[u8]) -> Result<Option<Vec<Opened>>, StorageError> {
        if let Content::Compressed(encoding) = Content::of(bytes) {
            let tail = bytes.last_chunk().copied();
            let expected = expected_bytes(encoding, bytes, tail, bytes.len() as u64);
            let counting = Counting::new(bytes, &self.meter);
            return self.unfold(counting, encoding, expected).map(Some);
        }
        if self.is_riegeli(bytes) {
            return self.riegeli(bytes, None);
        }
        match self.trace_format(bytes) {
            Some(format) => self.trace(bytes, format, None).map(Some),
            None => Ok(None),
        }
    }

    fn opened(&self, mut file: File) -> Result<Vec<Opened>, StorageError> {
        let Some(entry) = &self.host.entry else {
            return self.file(file);
        };
        let detected = Format::detect(&mut file).map_err(self.read_error())?;
        match detected {
            Ok(Format::Zip) => self.zip_entry(file, entry),
            Ok(Format::Tar(Encoding::Plain)) => self.tar_entry(&file, entry),
            Ok(Format::Tar(encoding)) => self.compressed_tar_entry(&file, encoding, entry),
            Err(_) => Err(self.changed()),
        }
    }

    fn file(&self, mut file: File) -> Result<Vec<Opened>, StorageError> {
        let path = &self.host.path;
        let read = StorageError::io("read the file", path);
        let (size_bytes, head, tail) = ends_of(&mut file).map_err(read)?;
        match Content::of(&head) {
            Content::Compressed(encoding) => {
                let expected = expected_bytes(encoding, &head, tail, size_bytes);
                let reporting = Reporting::new(file, self.progress, size_bytes);
                self.unfold(Counting::new(reporting, &self.meter), encoding, expected)
            }
            _ => self.mapped_or_read(file, 0, size_bytes),
        }
    }

    /// Maps a part of a file, or reads it if the file system cannot map.
    pub(crate) fn mapped_or_read(
        &self,
        mut file: File,
        offset: u64,
        size_bytes: u64,
    ) -> Result<Vec<Opened>, StorageError> {
        let Ok(bytes) = ProfileBytes::map(&mut file, self.local, offset, size_bytes) else {
            let read = StorageError::io("read the file", &self.host.path);
            file.seek(SeekFrom::Start(offset)).map_err(read)?;
            let part = Reporting::new(file.take(size_bytes), self.progress, size_bytes);
            return self.take(part, size_bytes, "file", size_bytes);
        };
        if let Some(format) = self.trace_format(bytes.as_ref()) {
            let reporting = Reporting::new(bytes.as_ref(), self.progress, size_bytes);
            return self.trace(reporting, format, bytes.truncated());
        }
        if self.is_riegeli(bytes.as_ref())
            && let Some(opened) = self.riegeli(bytes.as_ref(), bytes.truncated())?
        {
            return Ok(opened);
        }
        self.progress.bytes(size_bytes, Some(size_bytes));
        Ok(vec![Opened::only(bytes)])
    }

    /// Reads a stream: a trace into profiles, anything else unchanged. Fewer than `least` bytes
    /// count as truncated.
    pub(crate) fn take(
        &self,
        mut reader: impl Read,
        expected: u64,
        format: &'static str,
        least: u64,
    ) -> Result<Vec<Opened>, StorageError> {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        // What stops the head also stops the rest, which reports it.
        let failure = reader
            .by_ref()
            .take(HEAD_BYTES as u64)
            .read_to_end(&mut head)
            .err();
        if failure.is_none()
            && let Some(trace) = self.trace_format(&head)
        {
            let (whole, failure) = Watched::new(io::Cursor::new(head).chain(reader));
            let mut opened = self.trace(whole, trace, None)?;
            if let Some((count, reason)) = failure.take() {
                let problem = cut_after(format, count, &reason);
                for host in &mut opened {
                    host.bytes
                        .set_problem(format!("{problem}; what came before is shown"));
                }
            }
            return Ok(opened);
        }
        let content = if let Some(failure) = failure {
            Collected {
                bytes: head,
                failure: Some(failure),
                ..Collected::default()
            }
        } else {
            let expected = usize::try_from(expected).unwrap_or(0);
            collect(io::Cursor::new(head).chain(reader), expected, &self.meter)
        };
        let unfolded = self.held(content, format, least)?;
        if self.is_riegeli(unfolded.as_ref())
            && let Some(opened) = self.riegeli(unfolded.as_ref(), unfolded.truncated())?
        {
            return Ok(opened);
        }
        Ok(vec![Opened::only(unfolded)])
    }

    /// Whether bytes are records of a Riegeli file: by their first bytes, or by the name if those
    /// are damaged.
    fn is_riegeli(&self, bytes: &[u8]) -> bool {
        stepscope_riegeli::is_riegeli(bytes) || self.host.is_riegeli()
    }

    /// The records of a Riegeli file, which together form one profile; `None` if it is not such a
    /// file, whatever its name.
    fn riegeli(
        &self,
        bytes: &[u8],
        truncated: Option<String>,
    ) -> Result<Option<Vec<Opened>>, StorageError> {
        let size_bytes = bytes.len() as u64;
        // What was decompressed already may not become so many times as large once more.
        let on_disk = match self.meter.consumed.get() {
            0 => size_bytes,
            consumed => consumed.min(size_bytes),
        };
        let most = on_disk.saturating_mul(self.limits.bomb_ratio);
        let most = most.max(self.limits.bomb_bytes);
        let told = |done| self.progress.bytes(done, Some(size_bytes));
        let (mut reserved, mut short) = (Reserved::default(), None);
        let mut reserve = |needed| {
            short = reserved.grow_to(needed).err();
            short.is_none()
        };
        let joined = stepscope_riegeli::join_within(bytes, most, &told, &mut reserve);
        let joined = joined.map_err(|error| {
            let exceeded = match (error, short) {
                (JoinError::Refused { .. }, Some(short)) => Exceeded::Budget(short),
                (JoinError::Memory { held }, _) => Exceeded::Memory { held },
                (JoinError::TooLarge { claimed } | JoinError::Refused { needed: claimed }, _) => {
                    Exceeded::Bomb {
                        produced: claimed,
                        consumed: on_disk,
                    }
                }
            };
            exceeded.error(self.host.display_path())
        })?;
        reserved.shrink_to(joined.bytes.len() as u64);
        if joined.records == 0 && !stepscope_riegeli::is_riegeli(bytes) {
            return Ok(None);
        }
        let problem = riegeli::problem(&joined, size_bytes);
        if joined.bytes.is_empty()
            && let Some(detail) = problem
        {
            return Err(StorageError::Corrupt {
                path: self.host.display_path(),
                format: "Riegeli",
                detail,
            });
        }
        let problem = match (truncated, problem) {
            (Some(first), Some(second)) => Some(format!("{first}; {second}")),
            (first, second) => first.or(second),
        };
        let bytes = ProfileBytes::held_with(joined.bytes, reserved, problem);
        Ok(Some(vec![Opened::only(bytes)]))
    }

    /// The format of a trace by its first bytes. Programs, memory profiles, and manifests are
    /// recognized by their names and contain something else.
    fn trace_format(&self, bytes: &[u8]) -> Option<TraceFormat> {
        let path = self.host.display_path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_other = matches!(
            FileKind::of(&name).role(),
            Some(Role::Program | Role::Memory | Role::Manifest)
        );
        sniff(&bytes[..bytes.len().min(HEAD_BYTES)]).filter(|_| !is_other)
    }

    /// Reads a trace into the profiles of its hosts.
    fn trace(
        &self,
        reader: impl Read,
        format: TraceFormat,
        truncated: Option<String>,
    ) -> Result<Vec<Opened>, StorageError> {
        let charge = Charge::new(&self.meter, self.limits);
        let stream = charge.stream(reader);
        let read = match format {
            TraceFormat::Chrome => stepscope_interchange::chrome::read(stream),
            TraceFormat::Perfetto => {
                let unfold = |count| charge.unfold(count);
                stepscope_interchange::perfetto::read_charged(stream, &unfold)
            }
        };
        let path = self.host.display_path();
        if let Some(exceeded) = self.meter.exceeded.get() {
            return Err(exceeded.error(path));
        }
        let trace = read.map_err(|error| StorageError::NotATrace {
            path,
            detail: error.to_string(),
        })?;
        let problem = truncated.or(trace.problem);
        // What was charged for the conversion is that of the profiles from here on.
        drop(charge);
        let hosts = trace.hosts.into_iter().map(|host| {
            let reserved = self.reserved(&host.bytes)?;
            Ok(Opened {
                name: host.name,
                bytes: ProfileBytes::held_with(host.bytes, reserved, problem.clone()),
            })
        });
        hosts.collect()
    }

    /// Memory for bytes that are there already.
    fn reserved(&self, bytes: &[u8]) -> Result<Reserved, StorageError> {
        let mut reserved = Reserved::default();
        let grown = reserved.grow_to(bytes.len() as u64);
        grown.map_err(|short| Exceeded::Budget(short).error(self.host.display_path()))?;
        Ok(reserved)
    }

    pub(crate) fn unfold(
        &self,
        reader: impl Read,
        encoding: Encoding,
        expected: usize,
    ) -> Result<Vec<Opened>, StorageError> {
        let unfolded = decoder(encoding, reader, &self.meter, self.limits).map_err(
            StorageError::io("decompress the file", &self.host.display_path()),
        )?;
        self.take(unfolded, expected as u64, encoding.as_str(), 0)
    }

    /// Keeps what was collected, unless that is nothing. Fewer than `least` bytes count as
    /// truncated, even if the stream ended without an error.
    pub(crate) fn held(
        &self,
        collected: Collected,
        format: &'static str,
        least: u64,
    ) -> Result<ProfileBytes, StorageError> {
        let Collected {
            bytes,
            reserved,
            failure,
        } = collected;
        let path = self.host.display_path();
        if let Some(exceeded) = self.meter.exceeded.get() {
            return Err(exceeded.error(path));
        }
        let count = bytes.len();
        let truncated = match failure {
            Some(error) if count > 0 => {
                Some(cut_after(format, count as u64, &plain_reason(&error)))
            }
            Some(source) if source.raw_os_error().is_some() => {
                return Err(StorageError::Io {
                    action: "read the file",
                    path,
                    source,
                });
            }
            Some(error) => {
                return Err(StorageError::Corrupt {
                    path,
                    format,
                    detail: plain_reason(&error),
                });
            }
            None if (count as u64) < least => Some(format!(
                "the {format} is truncated: it has {count} of {least} bytes"
            )),
            None => None,
        };
        Ok(ProfileBytes::held_with(bytes, reserved, truncated))
    }

    pub(crate) fn read_error(&self) -> impl FnOnce(io::Error) -> StorageError {
        StorageError::io("read the archive", &self.host.path)
    }

    pub(crate) fn zip_error(&self, error: ZipError) -> StorageError {
        let path = self.host.display_path();
        match error {
            ZipError::Io(source) => StorageError::Io {
                action: "read the archive",
                path,
                source,
            },
            other => {
                let detail = other.to_string();
                StorageError::Corrupt {
                    path,
                    format: Format::Zip.as_str(),
                    detail,
                }
            }
        }
    }

    pub(crate) fn changed(&self) -> StorageError {
        StorageError::Corrupt {
            path: self.host.display_path(),
            format: "archive",
            detail: "its entries have changed since it was listed".to_owned(),
        }
    }
}

fn cut_after(format: &str, count: u64, reason: &str) -> String {
    format!("the {format} data is damaged or truncated after {count} bytes ({reason})")
}

/// A file's size, its first bytes, and its last four. Rewinds the file.
fn ends_of(file: &mut File) -> io::Result<(u64, Vec<u8>, Option<[u8; 4]>)> {
    let size_bytes = file.metadata()?.len();
    let head = read_head(&mut *file)?;
    let mut tail = [0; 4];
    let tail = match size_bytes.checked_sub(tail.len() as u64) {
        Some(position) => {
            file.seek(SeekFrom::Start(position))?;
            file.read_exact(&mut tail)?;
            Some(tail)
        }
        None => None,
    };
    file.seek(SeekFrom::Start(0))?;
    Ok((size_bytes, head, tail))
}
