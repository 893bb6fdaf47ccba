//! Zip and tar: which profiles are in them. Entries are listed, not unpacked.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use stepscope_remote::{TarEntry, each_tar_entry, each_tar_entry_of_file};
use zip::{CompressionMethod, ExtraField, ZipArchive};

use crate::compression::{Counting, Guarded, Meter, decoder};
use crate::encoding::Encoding;
use crate::error::{StorageError, plain_reason};
use crate::limits::Limits;
use crate::sniff::{Content, content_within, read_head};
use crate::stamp::Stamp;

/// Bytes of a name in an archive: more than any file system takes.
pub(crate) const LONGEST_NAME: usize = 4096;
/// Bytes of all names in an archive: those of a million files.
const MOST_NAME_BYTES: usize = 64 << 20;

/// An archive's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Zip,
    Tar(Encoding),
}

impl Format {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Zip => "zip archive",
            Self::Tar(Encoding::Plain) => "tar archive",
            Self::Tar(Encoding::Gzip) => "tar.gz archive",
            Self::Tar(Encoding::Zstd) => "tar.zst archive",
        }
    }

    /// The format of the archive that a file is by its content, if it is one. Leaves the file at
    /// its beginning.
    pub(crate) fn detect(file: &mut File) -> io::Result<Result<Self, Content>> {
        let size_bytes = file.metadata()?.len();
        let content = Content::of(&read_head(&mut *file)?);
        file.seek(SeekFrom::Start(0))?;
        Ok(match content {
            Content::Zip => Ok(Self::Zip),
            Content::Tar => Ok(Self::Tar(Encoding::Plain)),
            Content::Compressed(encoding) => {
                let within = content_within(encoding, &mut *file, size_bytes);
                file.seek(SeekFrom::Start(0))?;
                if within == Content::Tar {
                    Ok(Self::Tar(encoding))
                } else {
                    Err(content)
                }
            }
            other => Err(other),
        })
    }
}

/// One file in an archive.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) index: usize,
    pub(crate) size_bytes: u64,
    pub(crate) modified: Option<SystemTime>,
    /// Why it cannot be taken out.
    pub(crate) problem: Option<&'static str>,
}

/// The files in an archive, in the archive's order, and why there may be more.
#[derive(Default)]
pub(crate) struct Listing {
    pub(crate) entries: Vec<Entry>,
    pub(crate) cut: Option<Cut>,
    /// Entries that were looked at, files or not.
    pub(crate) seen: usize,
    /// Bytes of all names.
    pub(crate) name_bytes: usize,
    /// Files whose names are out of reason.
    left_out: usize,
}

/// Why a listing ends before the archive does, or is not all of it.
pub(crate) enum Cut {
    /// Damage, a missing end, or a bomb.
    Unreadable(String),
    /// A limit on entries or on bytes.
    Limit(String),
}

/// Bounds on one listing.
pub(crate) struct ListingLimits<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) max_entries: usize,
    pub(crate) max_bytes: Option<u64>,
}

/// Lists the files of an archive that is open.
pub(crate) fn read_listing(
    file: File,
    stamp: &Stamp,
    path: &Path,
    format: Format,
    bounds: &ListingLimits<'_>,
) -> Result<Listing, StorageError> {
    let mut listing = Listing::default();
    let listed = match format {
        Format::Zip => return list_zip(file, path, bounds),
        Format::Tar(Encoding::Plain) => {
            let file = BufReader::new(file);
            each_tar_entry_of_file(file, |index, entry| {
                listing.add_tar_entry(index, entry, bounds)
            })
        }
        Format::Tar(encoding) => {
            let meter = Meter::of(stamp.size_bytes);
            let counting = Counting::new(file, &meter);
            let unfolded = decoder(encoding, counting, &meter, bounds.limits)
                .map_err(|error| corrupt(path, format, &error))?;
            let mut guarded = Guarded::new(unfolded, &meter, bounds.limits);
            guarded.max_produced = bounds.max_bytes;
            let listed = each_tar_entry(guarded, |index, entry| {
                listing.add_tar_entry(index, entry, bounds)
            });
            if let Some(exceeded) = meter.exceeded.get() {
                listing.cut = Some(Cut::Limit(exceeded.message()));
            }
            listed
        }
    };
    listed.map_err(|error| corrupt(path, format, &error))?;
    listing.tell_left_out();
    Ok(listing)
}

impl Listing {
    /// Adds a file, unless its name is none that a writer of captures gives: those may be long, and
    /// the folders in them many.
    fn add(&mut self, entry: Entry, bounds: &ListingLimits<'_>) -> ControlFlow<()> {
        let folders = entry.name.split('/').filter(|part| !part.is_empty());
        let is_deep = folders.count() > bounds.limits.max_depth.saturating_add(1);
        if is_deep || entry.name.len() > LONGEST_NAME {
            self.left_out += 1;
            return ControlFlow::Continue(());
        }
        self.name_bytes += entry.name.len();
        if self.name_bytes > MOST_NAME_BYTES {
            let mebibytes = MOST_NAME_BYTES >> 20;
            self.cut = Some(Cut::Limit(format!(
                "the search ended after {mebibytes} MiB of names in the archive"
            )));
            return ControlFlow::Break(());
        }
        self.entries.push(entry);
        ControlFlow::Continue(())
    }

    /// Says that files were left out, unless something worse is said.
    fn tell_left_out(&mut self) {
        if self.left_out > 0 && self.cut.is_none() {
            self.cut = Some(Cut::Limit(format!(
                "{} entries with very long names, or very deep in folders, are left out",
                self.left_out
            )));
        }
    }

    fn add_tar_entry<R: Read>(
        &mut self,
        index: usize,
        entry: io::Result<&mut TarEntry<'_, R>>,
        bounds: &ListingLimits<'_>,
    ) -> ControlFlow<()> {
        self.seen = index + 1;
        if index >= bounds.max_entries {
            self.cut = Some(too_many(bounds.max_entries));
            return ControlFlow::Break(());
        }
        match entry {
            Ok(entry) if is_file(entry) => {
                let entry =
                    Entry {
                        name: String::from_utf8_lossy(&entry.path_bytes()).into_owned(),
                        index,
                        size_bytes: entry.size(),
                        modified: entry.header().mtime().ok().and_then(|s| {
                            SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(s))
                        }),
                        problem: None,
                    };
                self.add(entry, bounds)
            }
            Ok(_) => ControlFlow::Continue(()),
            Err(error) => {
                self.cut = Some(Cut::Unreadable(plain_reason(&error)));
                ControlFlow::Break(())
            }
        }
    }
}

fn list_zip(file: File, path: &Path, bounds: &ListingLimits<'_>) -> Result<Listing, StorageError> {
    let corrupt_zip = |error: zip::result::ZipError| StorageError::Corrupt {
        path: path.to_path_buf(),
        format: Format::Zip.as_str(),
        detail: error.to_string(),
    };
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(corrupt_zip)?;
    let mut listing = Listing::default();
    for index in 0..archive.len() {
        listing.seen = index + 1;
        if listing.entries.len() >= bounds.max_entries {
            listing.cut = Some(too_many(bounds.max_entries));
            break;
        }
        let entry = match archive.by_index_raw(index) {
            Ok(entry) => entry,
            Err(error) => {
                listing.cut = Some(Cut::Unreadable(error.to_string()));
                break;
            }
        };
        if !entry.is_file() {
            continue;
        }
        let supported = matches!(
            entry.compression(),
            CompressionMethod::Stored | CompressionMethod::Deflated
        );
        let entry = Entry {
            name: zip_name(&entry),
            index,
            size_bytes: entry.size(),
            modified: zip_time(&entry),
            problem: if entry.encrypted() {
                Some("encrypted inside its archive")
            } else if !supported {
                Some("packed by a zip method that is not read; only stored and deflated are")
            } else {
                None
            },
        };
        if listing.add(entry, bounds).is_break() {
            break;
        }
    }
    listing.tell_left_out();
    Ok(listing)
}

pub(crate) fn zip_name<R: Read>(entry: &zip::read::ZipFile<'_, R>) -> String {
    match entry.name() {
        Ok(name) => name.into_owned(),
        Err(_) => String::from_utf8_lossy(entry.name_raw()).into_owned(),
    }
}

/// The entry's time in UTC where the archive keeps it. The older field is local time of the
/// machine that made the archive, taken for UTC for want of better.
fn zip_time<R: Read>(entry: &zip::read::ZipFile<'_, R>) -> Option<SystemTime> {
    let exact = entry.extra_data_fields().find_map(|field| match field {
        ExtraField::ExtendedTimestamp(timestamp) => timestamp.mod_time(),
        _ => None,
    });
    if let Some(seconds) = exact {
        return Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.into()));
    }
    let local = entry.last_modified()?;
    let local = DateTime::new(
        local.year().cast_signed(),
        local.month().cast_signed(),
        local.day().cast_signed(),
        local.hour().cast_signed(),
        local.minute().cast_signed(),
        local.second().cast_signed(),
        0,
    );
    let taken_for_utc = local.ok()?.to_zoned(TimeZone::UTC).ok()?;
    Some(taken_for_utc.timestamp().into())
}

fn is_file<R: Read>(entry: &TarEntry<'_, R>) -> bool {
    let kind = entry.header().entry_type();
    kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse()
}

fn too_many(max_entries: usize) -> Cut {
    Cut::Limit(format!(
        "the search ended after {max_entries} of the archive's entries"
    ))
}

fn corrupt(path: &Path, format: Format, error: &io::Error) -> StorageError {
    let detail = plain_reason(error);
    StorageError::Corrupt {
        path: path.to_path_buf(),
        format: format.as_str(),
        detail,
    }
}
