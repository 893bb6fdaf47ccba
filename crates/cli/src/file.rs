//! Files that are written completely or not at all, compressed if their names say so; `-` is
//! standard output. What is not a regular file (a pipe, `/dev/null`) is written to, never replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;
use stepscope_analysis::AnalysisError;
use stepscope_model::Session;

use crate::exit::{Exit, Failure};

/// Twice as fast as the default level, for files about 10 % larger.
const LEVEL: u32 = 3;
/// Attempts to find a free name for a temporary file.
const MOST_NAMES: u32 = 100;

/// [`write`], unless a file of the session changes meanwhile.
pub(crate) fn write_of<T>(
    session: &Session,
    path: &Path,
    write_all: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>,
) -> Result<(T, u64), Failure> {
    let written = write(path, |out| {
        let answer = write_all(out)?;
        AnalysisError::if_changed(session).map_err(io::Error::other)?;
        Ok(answer)
    });
    written.or_else(|failure| {
        AnalysisError::if_changed(session)?;
        Err(failure)
    })
}

/// Writes to a temporary file in the same folder, and renames it once it is complete and on the
/// disk. Returns the writer's result and the number of bytes.
pub(crate) fn write<T>(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>,
) -> Result<(T, u64), Failure> {
    let is_packed = path.extension().is_some_and(|suffix| suffix == "gz");
    let failed = |error: io::Error| cannot_write(&error, path);
    match Place::of(path)? {
        Place::Output => packed(data_stream()?, is_packed, write).map_err(failed_output),
        Place::Stream => {
            let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
            packed(file, is_packed, write).map_err(failed)
        }
        Place::File(target) => {
            let (unfinished, file) = Unfinished::beside(&target).map_err(failed)?;
            if let Ok(old) = fs::metadata(&target) {
                // Who may read it stays as it was, from the first byte on.
                file.set_permissions(old.permissions()).map_err(failed)?;
            }
            let mut bytes = 0;
            let answer = packed(&file, is_packed, write).and_then(|(answer, written)| {
                bytes = written;
                file.sync_all()?;
                Ok(answer)
            });
            let answer = answer.map_err(failed)?;
            drop(file);
            fs::rename(&unfinished.0, &target).map_err(failed)?;
            sync_folder(&target);
            Ok((answer, bytes))
        }
    }
}

/// Standard output for the bytes of a file; not if somebody would have to read them.
fn data_stream() -> Result<BufWriter<io::Stdout>, Failure> {
    let stdout = io::stdout();
    if stdout.is_terminal() {
        let message = "standard output is a terminal, which cannot show this file";
        return Err(Failure::new(Exit::Usage, message)
            .hint("give a file instead of `-`, or redirect the output"));
    }
    Ok(BufWriter::with_capacity(1 << 20, stdout))
}

/// What a path names.
enum Place {
    /// Standard output.
    Output,
    /// A pipe or a device.
    Stream,
    /// A regular file, or nothing yet; links are followed.
    File(PathBuf),
}

impl Place {
    fn of(path: &Path) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            return Ok(Self::Output);
        }
        let Ok(found) = fs::metadata(path) else {
            return Ok(Self::File(path.to_owned()));
        };
        if found.is_file() {
            return Ok(Self::File(
                fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
            ));
        }
        if is_stream(&found) {
            return Ok(Self::Stream);
        }
        let what = if found.is_dir() {
            "a folder"
        } else {
            "not a regular file"
        };
        let message = format!("cannot write over what is {what}: {}", path.display());
        Err(Failure::new(Exit::Failure, message).hint("give the name of a new or a regular file"))
    }
}

#[cfg(unix)]
fn is_stream(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = found.file_type();
    kind.is_fifo() || kind.is_char_device()
}

#[cfg(not(unix))]
fn is_stream(_: &fs::Metadata) -> bool {
    false
}

/// Writes, compressed or not; returns the writer's result and how many bytes arrived.
fn packed<T>(
    out: impl Write + Send,
    is_packed: bool,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>,
) -> io::Result<(T, u64)> {
    let mut counted = Counted { out, bytes: 0 };
    let answer = if is_packed {
        let mut encoder = GzEncoder::new(&mut counted, Compression::new(LEVEL));
        let answer = write(&mut encoder)?;
        encoder.finish()?;
        answer
    } else {
        write(&mut counted)?
    };
    counted.flush()?;
    Ok((answer, counted.bytes))
}

/// A writer that counts.
struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn cannot_write(error: &io::Error, path: &Path) -> Failure {
    let message = format!("cannot write ({error}): {}", path.display());
    let failure = Failure::new(Exit::Failure, message);
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            failure.hint("free some space or choose another disk; nothing was left there")
        }
        _ => failure.hint("give a file in a folder that exists and is writable"),
    }
}

fn failed_output(error: io::Error) -> Failure {
    Failure::from(error)
}

/// So that the new name survives a loss of power, where the system can do that.
fn sync_folder(file: &Path) {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
}

/// Temporary files of this process that are not renamed yet.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file, removed on drop unless it was renamed.
struct Unfinished(PathBuf);

impl Unfinished {
    fn beside(path: &Path) -> io::Result<(Self, File)> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let process = std::process::id();
        for number in 0..MOST_NAMES {
            let path = path.with_file_name(format!(".{name}.{process}.{number}.part"));
            // Never through a link that somebody else put there.
            let created: io::Result<File> = unfinished(|all| {
                let file = OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .open(&path)?;
                all.push(path.clone());
                Ok(file)
            });
            match created {
                Ok(file) => return Ok((Self(path), file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Does nothing once the file is renamed.
        let _ = fs::remove_file(&self.0);
        unfinished(|all| all.retain(|path| *path != self.0));
    }
}

/// None is created or forgotten meanwhile.
fn unfinished<T>(change: impl FnOnce(&mut Vec<PathBuf>) -> T) -> T {
    change(&mut UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// From now on, Ctrl-C and SIGTERM remove temporary files before they end the process.
pub(crate) fn clean_up_on_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else {
            return;
        };
        // Caught from here on, not from when the thread begins.
        let stop = {
            let _inside = runtime.enter();
            stepscope_server::asked_to_stop()
        };
        let wait = move || {
            runtime.block_on(stop);
            unfinished(|all| {
                for path in all.drain(..) {
                    let _ = fs::remove_file(path);
                }
                // Before others may begin.
                std::process::exit(INTERRUPTED);
            });
        };
        // Without the thread, nobody hears a signal: systems that start none have other worries.
        let _ = std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(wait);
    });
}

/// What shells report for a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing_and_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        let failed = write(&path, |out| {
            out.write_all(b"new")?;
            Err::<(), _>(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert!(failed.unwrap_err().to_string().contains("cannot write"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn who_may_read_a_file_stays_as_it_was() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write(&path, |out| out.write_all(b"new")).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let failed = write(folder.path(), |_| Ok(())).unwrap_err();
        assert!(failed.to_string().contains("a folder"), "{failed}");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_devices_stay_devices() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.txt"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, |out| out.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        let device = folder.path().join("null");
        std::os::unix::fs::symlink("/dev/null", &device).unwrap();
        let ((), bytes) = write(&device, |out| out.write_all(b"new")).unwrap();
        assert_eq!(bytes, 3);
        assert!(is_stream(&fs::metadata("/dev/null").unwrap()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
