//! A number that changes with the sources of the engine: a roll-up that another engine made is not
//! used, also between releases.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// The crates that decide what an answer is, next to this one.
const ENGINE: [&str; 10] = [
    "wire",
    "xplane",
    "hlo",
    "pprof",
    "model",
    "analysis",
    "interchange",
    "riegeli",
    "storage",
    "export",
];

fn main() {
    let mut hasher = DefaultHasher::new();
    for name in ENGINE {
        let folder = Path::new("..").join(name).join("src");
        // Outside the repository the version alone identifies the engine.
        println!("cargo::rerun-if-changed={}", folder.display());
        hash(&folder, &mut hasher);
    }
    println!("cargo::rerun-if-changed=src");
    hash(Path::new("src"), &mut hasher);
    println!("cargo::rustc-env=STEPSCOPE_ENGINE={:016x}", hasher.finish());
}

fn hash(folder: &Path, hasher: &mut DefaultHasher) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            hash(&path, hasher);
        } else if let Ok(bytes) = fs::read(&path) {
            path.hash(hasher);
            bytes.hash(hasher);
        }
    }
}
