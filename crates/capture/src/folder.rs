//! The folder of a session: made for this capture alone, and its files written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::{Timestamp, ToSpan, tz::TimeZone};

use crate::failure::CaptureError;

/// Ids tried, a millisecond apart, before giving up.
const ATTEMPTS: i64 = 1000;
/// Characters of a name that an id keeps.
const NAME_LENGTH: usize = 80;

/// The folder of a session.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub(crate) session_id: String,
    pub(crate) path: PathBuf,
}

/// `<logdir>/plugins/profile`, absolute.
pub(crate) fn profiles(logdir: &Path) -> io::Result<PathBuf> {
    Ok(std::path::absolute(logdir)?.join("plugins").join("profile"))
}

impl Folder {
    /// Makes a folder that nobody has, named by the local time as JAX does it, to the millisecond.
    pub(crate) fn create(logdir: &Path, name: Option<&str>) -> Result<Self, CaptureError> {
        let failed = |source| CaptureError::Folder {
            path: logdir.to_path_buf(),
            source,
        };
        let profiles = profiles(logdir).map_err(failed)?;
        fs::create_dir_all(&profiles).map_err(failed)?;
        let now = Timestamp::now();
        for attempt in 0..ATTEMPTS {
            let session_id = session_id(now + attempt.milliseconds(), &TimeZone::system(), name);
            let path = profiles.join(&session_id);
            match fs::create_dir(&path) {
                Ok(()) => {
                    // Being allowed to make a folder is not being allowed to fill it.
                    let folder = Self { session_id, path };
                    folder.check_writable().map_err(failed)?;
                    return Ok(folder);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(failed(io::Error::from(io::ErrorKind::AlreadyExists)))
    }

    fn check_writable(&self) -> io::Result<()> {
        let probe = self.path.join(".stepscope");
        File::create(&probe)?.write_all(b"stepscope")?;
        fs::remove_file(probe)
    }

    /// The path of a host's file.
    pub(crate) fn profile(&self, stem: &str) -> PathBuf {
        self.path.join(format!("{stem}.xplane.pb"))
    }

    /// Removes the folder if it is empty, and says whether it is gone.
    pub(crate) fn remove_if_empty(&self) -> bool {
        fs::remove_dir(&self.path).is_ok()
    }
}

/// Writes a file under another name and renames it, so that nobody ever reads half of it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let written = File::create(&partial)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        // What is left of it is of no use; if even that fails there is nothing more to do.
        let _ = fs::remove_file(&partial);
    }
    written
}

/// `2026_11_21_14_05_09_123_name`.
fn session_id(at: Timestamp, zone: &TimeZone, name: Option<&str>) -> String {
    let time = at.to_zoned(zone.clone());
    let stamp = time.strftime("%Y_%m_%d_%H_%M_%S");
    let milliseconds = time.millisecond();
    match name.map(clean).filter(|name| !name.is_empty()) {
        Some(name) => format!("{stamp}_{milliseconds:03}_{name}"),
        None => format!("{stamp}_{milliseconds:03}"),
    }
}

/// Only letters, digits, `_`, `-` and `.`, fit for a file name on every system.
fn clean(name: &str) -> String {
    let is_kept = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
    let mut cleaned = String::new();
    for character in name.chars() {
        if is_kept(character) {
            cleaned.push(character);
        } else if !cleaned.ends_with('_') {
            cleaned.push('_');
        }
    }
    let cleaned = cleaned.trim_matches(['_', '.']);
    cleaned.chars().take(NAME_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_local_time_and_a_name() {
        let at: Timestamp = "2026-11-21T14:05:09.123Z".parse().expect("a time");
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        assert_eq!(session_id(at, &zone, None), "2026_11_21_15_05_09_123");
        assert_eq!(
            session_id(at, &TimeZone::UTC, Some("../slow step #7")),
            "2026_11_21_14_05_09_123_slow_step_7"
        );
        assert_eq!(
            session_id(at, &TimeZone::UTC, Some("/")),
            "2026_11_21_14_05_09_123"
        );
    }

    #[test]
    fn a_hundred_folders_at_once_are_a_hundred_folders() {
        let logdir = tempfile::tempdir().expect("a folder");
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let logdir = logdir.path().to_path_buf();
                std::thread::spawn(move || {
                    let make = |_| Folder::create(&logdir, None).expect("a folder").session_id;
                    (0..25).map(make).collect::<Vec<_>>()
                })
            })
            .collect();
        let mut ids: Vec<String> = threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("it ran"))
            .collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 100);
    }

    #[test]
    fn a_file_is_whole_or_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("vm.xplane.pb");
        write_whole(&path, b"all of it").expect("it is written");
        assert_eq!(fs::read(&path).expect("it is there"), b"all of it");
        let names: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(names.len(), 1);
        assert!(write_whole(&folder.path().join("no/such/folder"), b"x").is_err());
    }
}
