//! Zip and tar: which profiles are in them. Entries are listed, not unpacked.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use zip::{CompressionMethod, ExtraField, ZipArchive};

use crate::compression::{Counting, Guarded, Meter, decoder};
use crate::encoding::Encoding;
use crate::error::{StorageError, plain_reason};
use crate::limits::Limits;
use crate::regular::open_regular;
use crate::sniff::{Content, content_within, read_head};

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
        let content = Content::of(&read_head(&mut *file)?);
        file.seek(SeekFrom::Start(0))?;
        Ok(match content {
            Content::Zip => Ok(Self::Zip),
            Content::Tar => Ok(Self::Tar(Encoding::Plain)),
            Content::Compressed(encoding) => {
                let within = content_within(encoding, &mut *file);
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
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) index: usize,
    pub(crate) size_bytes: u64,
    pub(crate) modified: Option<SystemTime>,
    /// Why it cannot be taken out.
    pub(crate) problem: Option<&'static str>,
}

/// The files in an archive, in the archive's order, and why there may be more.
pub(crate) struct Listing {
    pub(crate) entries: Vec<Entry>,
    pub(crate) cut: Option<Cut>,
}

/// Why a listing ends before the archive does.
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

/// Lists the files of an archive.
pub(crate) fn list(
    path: &Path,
    format: Format,
    bounds: &ListingLimits<'_>,
) -> Result<Listing, StorageError> {
    let file = open_regular(path).map_err(StorageError::io("open the archive", path))?;
    match format {
        Format::Zip => list_zip(file, path, bounds),
        Format::Tar(Encoding::Plain) => {
            let mut archive = tar::Archive::new(BufReader::new(file));
            let entries = archive.entries_with_seek();
            Ok(list_tar(
                entries.map_err(|error| corrupt(path, format, &error))?,
                bounds,
            ))
        }
        Format::Tar(encoding) => {
            let meter = Meter::default();
            let counting = Counting::new(file, &meter);
            let unfolded = decoder(encoding, counting, &meter, bounds.limits)
                .map_err(|error| corrupt(path, format, &error))?;
            let mut guarded = Guarded::new(unfolded, &meter, bounds.limits);
            guarded.max_produced = bounds.max_bytes;
            let mut archive = tar::Archive::new(guarded);
            let entries = archive
                .entries()
                .map_err(|error| corrupt(path, format, &error))?;
            let mut listing = list_tar(entries, bounds);
            if let Some(exceeded) = meter.exceeded.get() {
                listing.cut = Some(Cut::Limit(exceeded.message()));
            }
            Ok(listing)
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
    let mut listing = Listing {
        entries: Vec::new(),
        cut: None,
    };
    for index in 0..archive.len() {
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
        listing.entries.push(Entry {
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
        });
    }
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

fn list_tar<R: Read>(entries: tar::Entries<'_, R>, bounds: &ListingLimits<'_>) -> Listing {
    let mut listing = Listing {
        entries: Vec::new(),
        cut: None,
    };
    for (index, entry) in entries.enumerate() {
        if index >= bounds.max_entries {
            listing.cut = Some(too_many(bounds.max_entries));
            break;
        }
        match entry {
            Ok(entry) if is_file(&entry) => listing.entries.push(Entry {
                name: String::from_utf8_lossy(&entry.path_bytes()).into_owned(),
                index,
                size_bytes: entry.size(),
                modified: entry
                    .header()
                    .mtime()
                    .ok()
                    .and_then(|s| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(s))),
                problem: None,
            }),
            Ok(_) => {}
            Err(error) => {
                listing.cut = Some(Cut::Unreadable(plain_reason(&error)));
                break;
            }
        }
    }
    listing
}

fn is_file<R: Read>(entry: &tar::Entry<'_, R>) -> bool {
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
