//! Files that are written completely or not at all, compressed if their names say so.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use stepscope_analysis::AnalysisError;
use stepscope_model::Session;

use crate::exit::{Exit, Failure};

/// Twice as fast as the default level, for files about 10 % larger.
const LEVEL: u32 = 3;

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

/// Writes to a temporary file in the same folder and renames it once complete. Returns the writer's
/// result and the size of the file.
pub(crate) fn write<T>(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<T>,
) -> Result<(T, u64), Failure> {
    let unfinished = Unfinished::beside(path);
    let failed = |error: io::Error| {
        Failure::new(
            Exit::Failure,
            format!("cannot write ({error}): {}", path.display()),
        )
    };
    let file = File::create(&unfinished.0).map_err(failed)?;
    let answer = if path.extension().is_some_and(|suffix| suffix == "gz") {
        let mut encoder = GzEncoder::new(file, Compression::new(LEVEL));
        let answer = write(&mut encoder).map_err(failed)?;
        encoder.finish().map_err(failed)?;
        answer
    } else {
        let mut file = file;
        write(&mut file).map_err(failed)?
    };
    let bytes = fs::metadata(&unfinished.0).map_err(failed)?.len();
    fs::rename(&unfinished.0, path).map_err(failed)?;
    Ok((answer, bytes))
}

/// A temporary file, removed on drop unless it was renamed.
struct Unfinished(PathBuf);

impl Unfinished {
    fn beside(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Self(path.with_file_name(format!(".{name}.{}.part", std::process::id())))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Does nothing once the file is renamed.
        let _ = fs::remove_file(&self.0);
    }
}
