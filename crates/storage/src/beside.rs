//! Text files next to sessions: results of benchmarks, and histories of runs.

use std::fs::{metadata, read_dir};
use std::path::{Path, PathBuf};

use crate::budget::Reserved;
use crate::regular::read_text;

/// Larger files are neither benchmarks nor histories, and neither is more than this in all.
const LARGEST: u64 = 64 << 20;
/// Benchmarks that are read.
const MOST_TEXTS: usize = 1000;
/// Files and folders of one folder that are looked at: of others nothing is said.
const MOST_ENTRIES: usize = 10_000;

/// The text of a file that is not a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextBeside {
    /// The file's path relative to the searched one; its name if that is the file itself.
    pub name: String,
    /// Its contents.
    pub text: String,
}

/// The benchmarks at a path: a JSON file itself, or `results*.json` and `scaling_*.json` in a
/// folder and its direct subfolders, as our examples write them. Unreadable files are skipped, and
/// so is what exceeds 64 MiB or 1,000 files in all.
pub fn benchmarks_at(path: &Path) -> Vec<TextBeside> {
    let direct = within(path);
    let below = direct.iter().flat_map(|entry| within(entry));
    let named = below.chain(direct.iter().cloned()).filter(|path| {
        let name = file_name(path);
        is_json(path) && (name.starts_with("results") || name.starts_with("scaling_"))
    });
    let mut found: Vec<PathBuf> = named.collect();
    if is_json(path) {
        found.push(path.to_owned());
    }
    found.sort();
    let (mut texts, mut held) = (Vec::new(), Reserved::default());
    let mut left = LARGEST;
    for file in found.iter().take(MOST_TEXTS) {
        // What is left out is as unreadable as a larger file.
        let size_bytes = metadata(file).map_or(0, |metadata| metadata.len());
        let fits = size_bytes <= left && held.grow_to(LARGEST - left + size_bytes).is_ok();
        let text = fits.then(|| text_of(path, file, left)).flatten();
        left -= text.as_ref().map_or(0, |one| one.text.len() as u64);
        texts.extend(text);
    }
    texts
}

/// Names of the files in a folder that may be histories of runs: `*.jsonl`.
pub fn histories_at(folder: &Path) -> Vec<String> {
    let files = within(folder).into_iter().filter(|path| {
        let suffix = path.extension().and_then(|suffix| suffix.to_str());
        suffix == Some("jsonl") && is_json(path)
    });
    let mut names: Vec<String> = files.map(|path| file_name(&path)).collect();
    names.sort();
    names
}

/// The text of a history in a folder, by a name from [`histories_at`]; `None` for other names.
pub fn history_at(folder: &Path, name: &str) -> Option<TextBeside> {
    let is_listed = histories_at(folder).iter().any(|known| known == name);
    is_listed.then(|| text_of(folder, &folder.join(name), LARGEST))?
}

fn text_of(root: &Path, file: &Path, most: u64) -> Option<TextBeside> {
    let text = read_text(file, most).ok()?;
    let below = file.strip_prefix(root).ok();
    let name = below.filter(|below| below.components().next().is_some());
    let name = name.map_or_else(|| file_name(file), |below| below.display().to_string());
    Some(TextBeside { name, text })
}

fn within(folder: &Path) -> Vec<PathBuf> {
    let entries = read_dir(folder).into_iter().flatten().flatten();
    let entries = entries.take(MOST_ENTRIES);
    entries.map(|entry| entry.path()).collect()
}

/// Chrome traces are JSON too, but larger.
fn is_json(path: &Path) -> bool {
    let is_named = path
        .extension()
        .is_some_and(|suffix| suffix == "json" || suffix == "jsonl");
    let is_trace = file_name(path).contains("trace.json");
    let size = metadata(path).ok().filter(std::fs::Metadata::is_file);
    is_named && !is_trace && size.is_some_and(|file| file.len() <= LARGEST)
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benchmarks_of_any_number_and_size_are_few_in_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        for number in 0..6 {
            let path = folder.path().join(format!("results_{number}.json"));
            let file = std::fs::File::create(path).expect("a file");
            // A hole, so that the test writes nothing.
            file.set_len(20 << 20).expect("a size");
        }
        let texts = benchmarks_at(folder.path());
        assert_eq!(texts.len(), 3);
        for number in 0..MOST_TEXTS + 5 {
            let path = folder.path().join(format!("results_0{number}.json"));
            std::fs::write(path, "1").expect("a file");
        }
        assert_eq!(benchmarks_at(folder.path()).len(), MOST_TEXTS);
    }

    #[test]
    fn texts_beside_sessions_are_told_from_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, name).expect("a file");
        };
        for name in [
            "2gpu/results_2gpu.json",
            "scaling_adam.json",
            "nightly.jsonl",
            "host.trace.json",
            "notes.txt",
            "2gpu/deep/results.json",
        ] {
            write(name);
        }
        let texts = benchmarks_at(folder.path());
        let names: Vec<&str> = texts.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["2gpu/results_2gpu.json", "scaling_adam.json"]);
        assert_eq!(histories_at(folder.path()), ["nightly.jsonl"]);
        let history = history_at(folder.path(), "nightly.jsonl").expect("it is listed");
        assert_eq!(history.text, "nightly.jsonl");
        for other in [
            "../nightly.jsonl",
            "notes.txt",
            "2gpu/results_2gpu.json",
            "",
        ] {
            assert_eq!(history_at(folder.path(), other), None, "{other}");
        }
        let alone = benchmarks_at(&folder.path().join("nightly.jsonl"));
        assert_eq!(alone[0].name, "nightly.jsonl");
    }
}
