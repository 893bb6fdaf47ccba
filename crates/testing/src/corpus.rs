//! Where the real captures are: third-party ones in the corpus, our own in `fixtures/`, and the
//! answers of another profiler for each. If the corpus is absent, tests say that they are skipped.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::space::XSpace;

/// One recorded session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// The folder's name, e.g. `cpu-jax-mlp`.
    pub name: String,
    /// The log directory: what a user would hand to the profiler.
    pub folder: PathBuf,
    /// The `.xplane.pb` or `.xplane.pb.gz` of each host, in order of host name.
    pub hosts: Vec<PathBuf>,
    /// Whether the capture is ours and may be copied.
    pub own: bool,
}

/// Why a capture could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file is missing or unreadable, or its gzip stream is broken.
    #[error("cannot read {path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The bytes are not an XSpace.
    #[error("cannot decode {path}: {source}", path = path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        source: prost::DecodeError,
    },
}

/// The repository's root.
pub fn repository_root() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder
        .ancestors()
        .nth(2)
        .unwrap_or(crate_folder)
        .to_path_buf()
}

/// The corpus folder: `STEPSCOPE_CORPUS`, or `../shared/corpus` next to the repository. A relative
/// variable is relative to the repository's root, since tests run in crate folders.
pub fn corpus_folder() -> PathBuf {
    let folder = std::env::var_os("STEPSCOPE_CORPUS").unwrap_or_else(|| "../shared/corpus".into());
    repository_root().join(folder)
}

/// Every capture of the corpus, sorted by name; empty, with a printed line, if it is absent.
pub fn captures() -> Vec<Capture> {
    let folder = corpus_folder();
    let index = fs::read_to_string(folder.join("INDEX.md")).unwrap_or_default();
    captures_in(&folder, |name| is_own(&index, name))
}

/// The corpus capture with this name; `None`, with a printed line, if it is absent.
pub fn capture(name: &str) -> Option<Capture> {
    let found = captures().into_iter().find(|capture| capture.name == name);
    if found.is_none() {
        say_skipped(&format!(
            "no capture {name} in {}",
            corpus_folder().display()
        ));
    }
    found
}

/// Our own captures, committed under `fixtures/`.
pub fn fixtures() -> Vec<Capture> {
    captures_in(&repository_root().join("fixtures"), |_| true)
}

/// The captures of a folder of fixtures, such as `gpu-h100`.
pub fn fixtures_in(family: &str) -> Vec<Capture> {
    captures_in(&repository_root().join("fixtures").join(family), |_| true)
}

/// The fixture with this name.
pub fn fixture(name: &str) -> Option<Capture> {
    fixtures().into_iter().find(|capture| capture.name == name)
}

/// The other profiler's answer for a capture: `oracle/<capture>/<tool>.json` next to the corpus. A
/// second opinion, not the truth. `None`, with a printed line, if it is absent.
pub fn oracle_json(capture: &str, tool: &str) -> Option<serde_json::Value> {
    let corpus = corpus_folder();
    let path = corpus
        .parent()?
        .join("oracle")
        .join(capture)
        .join(format!("{tool}.json"));
    let Ok(text) = fs::read_to_string(&path) else {
        say_skipped(&format!("no answer {}", path.display()));
        return None;
    };
    serde_json::from_str(&text).ok()
}

/// The uncompressed bytes of an `.xplane.pb` or `.xplane.pb.gz`.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let io_error = |source| ReadError::Io {
        path: path.to_path_buf(),
        source,
    };
    let stored = fs::read(path).map_err(io_error)?;
    if !stored.starts_with(&[0x1f, 0x8b]) {
        return Ok(stored);
    }
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(&stored[..])
        .read_to_end(&mut bytes)
        .map_err(io_error)?;
    Ok(bytes)
}

/// One decoded host file.
pub fn read_space(path: &Path) -> Result<XSpace, ReadError> {
    let bytes = read_bytes(path)?;
    XSpace::from_bytes(&bytes).map_err(|source| ReadError::Decode {
        path: path.to_path_buf(),
        source,
    })
}

fn captures_in(folder: &Path, own: impl Fn(&str) -> bool) -> Vec<Capture> {
    let Ok(entries) = fs::read_dir(folder) else {
        say_skipped(&format!("no captures, {} is absent", folder.display()));
        return Vec::new();
    };
    let mut captures: Vec<Capture> = entries
        .filter_map(Result::ok)
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let (own, hosts) = (own(&name), host_files(&entry.path()));
            Capture {
                folder: entry.path(),
                own,
                hosts,
                name,
            }
        })
        .filter(|capture| !capture.hosts.is_empty())
        .collect();
    captures.sort_by(|a, b| a.name.cmp(&b.name));
    captures
}

/// Looks two levels down: `plugins/profile/<run>/<host>.xplane.pb[.gz]`.
fn host_files(folder: &Path) -> Vec<PathBuf> {
    let runs = fs::read_dir(folder.join("plugins/profile"))
        .into_iter()
        .flatten();
    let mut hosts: Vec<PathBuf> = runs
        .filter_map(Result::ok)
        .filter_map(|run| fs::read_dir(run.path()).ok())
        .flatten()
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|path| is_host_file(path))
        .collect();
    hosts.sort();
    hosts
}

fn is_host_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".xplane.pb") || name.ends_with(".xplane.pb.gz")
}

/// The corpus index marks our captures with `own` in the column that names their source.
fn is_own(index: &str, name: &str) -> bool {
    index
        .lines()
        .any(|row| row.starts_with(&format!("| `{name}` |")) && row.contains("| own |"))
}

/// Says that the running test checks less than it could. The line bypasses the capture of test
/// output, and `cargo xtask test` counts the test as skipped, not as passed.
pub fn say_skipped(reason: &str) {
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.file_name().unwrap_or_default().to_string_lossy();
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let line = format!("skipped {program}::{test}: {reason}\n");
    // If nobody reads the output, there is nobody to inform.
    let _ = io::stdout().lock().write_all(line.as_bytes());
}
