//! Opening regular files only: a pipe, a socket or a device may let its reader wait forever.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a file for reading, if it is a regular one. Never waits for another process.
///
/// # Errors
///
/// Those of the system, and one of the kind [`io::ErrorKind::InvalidInput`] that says what is there
/// instead of a file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Asked before it is opened, because opening some devices does something.
    check(fs::metadata(path)?.file_type())?;
    let mut options = OpenOptions::new();
    options.read(true);
    // Should it become a pipe in between: without this, opening one waits for a writer.
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    check(file.metadata()?.file_type())?;
    Ok(file)
}

/// Opens a file for writing that is locked by those who write beside it, and makes it where it is
/// missing. Never waits for another process, unlike opening a pipe.
///
/// # Errors
///
/// Those of [`open_regular`].
pub fn open_lock(path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(metadata) => check(metadata.file_type())?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    check(file.metadata()?.file_type())?;
    Ok(file)
}

/// [`open_regular`], and how many bytes the file has.
pub(crate) fn open_sized(path: &Path) -> io::Result<(File, u64)> {
    let file = open_regular(path)?;
    let size_bytes = file.metadata()?.len();
    Ok((file, size_bytes))
}

/// The text of a regular file of a reasonable size: settings, not profiles.
///
/// # Errors
///
/// Those of [`open_regular`], and of the kind [`io::ErrorKind::FileTooLarge`] and
/// [`io::ErrorKind::InvalidData`] for a file that cannot be a text of settings.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let bytes = read_bytes(path, max_bytes)?;
    String::from_utf8(bytes).map_err(|_| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "stream did not contain valid UTF-8",
        )
    })
}

/// The bytes of a regular file, if they are at most so many.
///
/// # Errors
///
/// See [`read_text`].
pub fn read_bytes(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open_regular(path)?;
    file.take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        let message = format!("it has more than {max_bytes} bytes, too many for such a file");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

fn check(kind: FileType) -> io::Result<()> {
    let found = if kind.is_file() {
        return Ok(());
    } else if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    } else {
        name(kind)
    };
    let message = format!("it is {found}, not a file");
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

#[cfg(unix)]
fn name(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn name(_kind: FileType) -> &'static str {
    "something else"
}
