//! Checks that the source distribution of the Python package has everything that its build reads.
//!
//! maturin includes the crates and the Python files; anything elsewhere must be listed in
//! `pyproject.toml`, and only people who install from the archive would notice what is missing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use crate::tree::SourceFile;

/// One sentence for each file that the build reads but the distribution lacks.
pub(crate) fn violations(root: &Path, files: &[SourceFile]) -> Result<Vec<String>> {
    let text =
        fs::read_to_string(root.join("pyproject.toml")).context("cannot read pyproject.toml")?;
    let included = included(&text)?;
    let mut needed = embedded(files);
    needed.extend(inputs_of_the_page(root, files));
    let is_taken_along = |path: &str| path.starts_with("crates/") || path.starts_with("python/");
    let missing = needed
        .iter()
        .filter(|path| !is_taken_along(path) && !included.iter().any(|known| covers(known, path)));
    let told = missing.map(|path| {
        format!(
            "{path} is read by the build and missing under [tool.maturin] include in pyproject.toml"
        )
    });
    Ok(told.collect())
}

/// Paths and patterns of `[tool.maturin] include`.
fn included(pyproject: &str) -> Result<Vec<String>> {
    let table: toml::Table = pyproject.parse().context("pyproject.toml is no TOML")?;
    let entries = table
        .get("tool")
        .and_then(|tool| tool.get("maturin")?.get("include")?.as_array())
        .context("pyproject.toml has no [tool.maturin] include")?;
    let path = |entry: &toml::Value| Some(entry.get("path")?.as_str()?.to_owned());
    Ok(entries.iter().filter_map(path).collect())
}

fn covers(pattern: &str, path: &str) -> bool {
    match pattern.strip_suffix("**/*") {
        Some(folder) => path.starts_with(folder),
        None => pattern == path,
    }
}

/// Files that the crates embed: arguments of `include_str!` and `include_bytes!`.
fn embedded(files: &[SourceFile]) -> BTreeSet<String> {
    let is_source = |file: &&SourceFile| {
        let is_crate = file.path.starts_with("crates/") && file.has_extension(&["rs"]);
        is_crate && !file.is_below("tests") && !file.is_below("examples")
    };
    let mut found = BTreeSet::new();
    for file in files.iter().filter(is_source) {
        for call in ["include_str!(", "include_bytes!("] {
            let arguments = file.text.split(call).skip(1);
            let literals = arguments.filter_map(|rest| rest.trim_start().strip_prefix('"'));
            let paths = literals.filter_map(|rest| rest.split('"').next());
            found.extend(paths.map(|path| resolved(&file.path, path)));
        }
    }
    found
}

/// A path from a file, relative to the root.
fn resolved(file: &str, path: &str) -> String {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let mut whole = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => _ = whole.pop(),
            part => whole.push(part),
        }
    }
    let parts: Vec<_> = whole.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

/// Files of `ui/` that the page is built from, as the build script of the server lists them.
fn inputs_of_the_page(root: &Path, files: &[SourceFile]) -> Vec<String> {
    const SCRIPT: &str = "crates/server/build.rs";
    let script = files.iter().find(|file| file.path == SCRIPT);
    let list = script.and_then(|script| {
        let (_, list) = script.text.split_once("const INPUTS")?;
        list.split_once(';')?
            .1
            .split_once("];")
            .map(|(list, _)| list)
    });
    let names = list
        .into_iter()
        .flat_map(|list| list.split('"').skip(1).step_by(2));
    let paths = names.map(|name| format!("ui/{name}"));
    let (folders, single): (Vec<_>, Vec<_>) = paths.partition(|path| root.join(path).is_dir());
    let is_in = |file: &&SourceFile| {
        let is_below = |folder: &String| file.path.starts_with(&format!("{folder}/"));
        folders.iter().any(is_below)
    };
    let inside = files.iter().filter(is_in).map(|file| file.path.clone());
    let single = single.into_iter().filter(|path| root.join(path).is_file());
    inside.chain(single).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved_from_the_file_that_names_them() {
        assert_eq!(
            resolved(
                "crates/cli/src/commands/demo.rs",
                "../../../../fixtures/a/b.pb"
            ),
            "fixtures/a/b.pb"
        );
        assert_eq!(
            resolved("crates/a/src/lib.rs", "words.txt"),
            "crates/a/src/words.txt"
        );
    }

    #[test]
    fn patterns_cover_files_below_them() {
        assert!(covers("ui/src/**/*", "ui/src/views/a.tsx"));
        assert!(covers("ui/index.html", "ui/index.html"));
        assert!(!covers("ui/index.html", "ui/share.html"));
    }

    #[test]
    fn everything_that_the_build_reads_is_seen() {
        let root = crate::tree::root();
        let files = crate::tree::repository_files(&root).expect("a checkout");
        let embedded = embedded(&files);
        assert!(
            embedded.contains("python/stepscope/_probe.py"),
            "{embedded:?}"
        );
        let page = inputs_of_the_page(&root, &files);
        assert!(
            page.iter().any(|path| path == "ui/vite.share.config.ts"),
            "{page:?}"
        );
        assert!(page.len() > 100, "{}", page.len());
    }
}
