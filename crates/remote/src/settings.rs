//! Choices of the person, from the command line or the environment, for the whole process.

use std::fs::DirBuilder;
use std::hash::{BuildHasher as _, RandomState};
use std::path::PathBuf;
use std::sync::{OnceLock, RwLock};

/// Bytes that the cache may hold unless told otherwise.
const DEFAULT_CACHE_BYTES: u64 = 10 << 30;

/// What may be chosen. Whatever is not set here comes from the environment.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Bytes that the cache may hold; else `STEPSCOPE_CACHE_SIZE`, else 10 GiB.
    pub cache_bytes: Option<u64>,
    /// Ask without credentials; else whether `STEPSCOPE_ANONYMOUS` is set.
    pub is_anonymous: bool,
}

static CHOSEN: OnceLock<RwLock<Settings>> = OnceLock::new();

/// Sets the choices for everything that follows.
pub fn choose(settings: Settings) {
    let chosen = CHOSEN.get_or_init(RwLock::default);
    match chosen.write() {
        Ok(mut held) => *held = settings,
        Err(poisoned) => *poisoned.into_inner() = settings,
    }
}

fn chosen() -> Settings {
    let held = CHOSEN.get().and_then(|chosen| chosen.read().ok());
    held.map(|held| held.clone()).unwrap_or_default()
}

/// Whether no credentials are to be used.
pub(crate) fn is_anonymous() -> bool {
    chosen().is_anonymous || variable("STEPSCOPE_ANONYMOUS").is_some_and(|value| value != "0")
}

/// Bytes that the cache may hold.
pub(crate) fn cache_bytes() -> u64 {
    let from_environment = || parse_size(&variable("STEPSCOPE_CACHE_SIZE")?);
    chosen()
        .cache_bytes
        .or_else(from_environment)
        .unwrap_or(DEFAULT_CACHE_BYTES)
}

/// The folder of the cache: `STEPSCOPE_CACHE_DIR`, or `stepscope` where the system keeps caches of
/// this user. Without either, a folder of this process.
pub fn cache_folder() -> PathBuf {
    if let Some(folder) = variable("STEPSCOPE_CACHE_DIR") {
        return PathBuf::from(folder);
    }
    let home = || variable("HOME").map(PathBuf::from);
    let base = if cfg!(windows) {
        variable("LOCALAPPDATA").map(PathBuf::from)
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
            .or_else(|| home().map(|home| home.join(".cache")))
    };
    base.map_or_else(|| own_folder().clone(), |base| base.join("stepscope"))
}

/// Where nothing says where this user's files are: a new folder with a name that nobody can guess,
/// for this process only. It is made here, so that nobody else has made it.
fn own_folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let random = |part: u8| RandomState::new().hash_one((part, std::process::id()));
        let name = format!("stepscope-{:016x}{:016x}", random(0), random(1));
        let folder = std::env::temp_dir().join(name);
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        // If it cannot be made, writing to it fails, and says so.
        if let Err(error) = builder.create(&folder) {
            tracing::warn!(%error, "no folder for the cache");
        }
        folder
    })
}

/// A variable of the environment that is set to something.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Bytes of `500M`, `10G`, `2.5 GiB`, `1000000`; units are powers of 1024. None for anything else.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().ok()?;
    let unit = unit.trim().to_ascii_lowercase();
    let shift = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    let bytes = number * f64::from(2_u32).powi(shift);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "digits have no sign, and casts of floats saturate"
    )]
    Some(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse_size("10G"), Some(10 << 30));
        assert_eq!(parse_size(" 1.5 MiB "), Some(3 << 19));
        assert_eq!(parse_size("500mb"), Some(500 << 20));
        assert_eq!(parse_size("0"), Some(0));
        for wrong in ["", "G", "-1", "ten", "1X"] {
            assert_eq!(parse_size(wrong), None, "{wrong}");
        }
    }
}
