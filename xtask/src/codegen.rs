//! What follows from Rust and is committed with its users: the TypeScript and Python of the report
//! types, and the columns of tables in the page and the docs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

mod declared;
mod docs;
mod python;
mod rust_types;
mod tables;

use crate::counts::Counts;
use crate::{process, tree, versions};

/// Where the UI keeps the generated types.
const COMMITTED: &str = "ui/src/wire/generated";

/// Writes the generated types into the UI and the Python package, and columns into the docs; drops
/// types whose Rust type is gone.
pub(crate) fn write() -> Result<()> {
    let root = tree::root();
    let (fresh, others) = generate(&root, EXPORTING)?;
    let committed = root.join(COMMITTED);
    if committed.is_dir() {
        fs::remove_dir_all(&committed).with_context(|| format!("cannot empty {COMMITTED}"))?;
    }
    for (name, text) in &fresh {
        let path = committed.join(name);
        let folder = path.parent().unwrap_or(&committed);
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    println!("{} types in {COMMITTED}", fresh.len());
    versions::write(&root)?;
    for (path, text) in &others {
        fs::write(root.join(path), text).with_context(|| format!("cannot write {path}"))?;
        println!("{path}");
    }
    Ok(())
}

/// Fails when the committed types are not what Rust says now.
pub(crate) fn check() -> Result<()> {
    let root = tree::root();
    // The whole workspace, as `cargo test` builds it, so that a check compiles nothing twice.
    let (fresh, others) = generate(&root, &["--workspace", "--bins"])?;
    let mut differences = differences(&fresh, &read(&root.join(COMMITTED))?);
    for (path, text) in &others {
        if fs::read_to_string(root.join(path)).ok().as_ref() != Some(text) {
            differences.push(format!("out of date: {path}"));
        }
    }
    differences.extend(astray(&root)?);
    if differences.is_empty() {
        return Ok(());
    }
    for line in &differences {
        println!("{line}");
    }
    bail!("the generated types are not fresh; run `cargo xtask codegen`")
}

/// The crates that have types of the page, as arguments of cargo.
const EXPORTING: &[&str] = &[
    "-p",
    "stepscope-analysis",
    "-p",
    "stepscope-export",
    "-p",
    "stepscope-server",
];

/// File name to text.
type Files = BTreeMap<String, String>;

/// TypeScript as ts-rs exports it now, by file name; Python and pages of the docs, by path. The exports are tests: those that ts-rs writes, and
/// one that writes the list of analyses.
fn generate(root: &Path, packages: &[&str]) -> Result<(Files, Files)> {
    let folder = root.join("target/xtask/generated");
    if folder.is_dir() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    let registry = root.join("target/xtask/registry.json");
    let mut command = process::cargo(&["test", "--quiet"]);
    command
        .args(packages)
        .args(["--lib", "--test=registry_export", "export_bindings"])
        .env("TS_RS_EXPORT_DIR", &folder)
        .env("STEPSCOPE_REGISTRY_EXPORT", &registry);
    process::run_counting(&mut command, &mut Counts::default())?;
    let mut fresh = read(&folder)?;
    if fresh.is_empty() {
        bail!("no Rust type is exported to TypeScript");
    }
    let tables = declared::Registry::read(&registry)?;
    fresh.insert(
        tables::NAME.to_owned(),
        tables::generate(&tables, &page_sources(root)?)?,
    );
    let within = |folder: &'static str, files: Files| {
        let files = files.into_iter();
        files.map(move |(name, text)| (format!("{folder}/{name}"), text))
    };
    let python = within(python::FOLDER, python::generate(root, &registry)?);
    let docs = within(docs::FOLDER, docs::generate(root, &tables)?);
    Ok((fresh, python.chain(docs).collect()))
}

/// What people wrote of the page, one file after another.
fn page_sources(root: &Path) -> Result<String> {
    let files = tree::text_files(&root.join("ui/src"))?;
    let written = files
        .iter()
        .filter(|file| !file.is_below("generated") && !file.path.contains(".test."));
    Ok(written.map(|file| file.text.as_str()).collect())
}

/// Folders in which ts-rs leaves types where nobody tells it where to: nothing reads them.
fn astray(root: &Path) -> Result<Vec<String>> {
    let crates = root.join("crates");
    let folders = fs::read_dir(&crates).context("cannot list crates")?;
    let bindings = folders
        .filter_map(Result::ok)
        .map(|folder| folder.path().join("bindings"))
        .filter(|folder| folder.exists());
    Ok(bindings
        .map(|folder| format!("delete {}", folder.display()))
        .collect())
}

/// Every file below a folder, by its path from there; nothing where the folder is missing.
fn read(folder: &Path) -> Result<BTreeMap<String, String>> {
    if !folder.is_dir() {
        return Ok(BTreeMap::new());
    }
    let files = tree::text_files(folder)?;
    Ok(files
        .into_iter()
        .map(|file| (file.path, file.text))
        .collect())
}

fn differences(
    fresh: &BTreeMap<String, String>,
    committed: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in fresh {
        match committed.get(name) {
            None => found.push(format!("missing: {COMMITTED}/{name}")),
            Some(old) if old != text => found.push(format!("out of date: {COMMITTED}/{name}")),
            Some(_) => {}
        }
    }
    let gone = committed.keys().filter(|name| !fresh.contains_key(*name));
    found.extend(gone.map(|name| format!("no longer generated: {COMMITTED}/{name}")));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_difference_is_named() {
        let map = |pairs: &[(&str, &str)]| {
            pairs
                .iter()
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                .collect()
        };
        let fresh = map(&[("A.ts", "new"), ("B.ts", "same"), ("C.ts", "added")]);
        let committed = map(&[("A.ts", "old"), ("B.ts", "same"), ("D.ts", "left over")]);
        let found = differences(&fresh, &committed);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("out of date") && found[0].ends_with("A.ts"));
        assert!(found[1].starts_with("missing") && found[1].ends_with("C.ts"));
        assert!(found[2].starts_with("no longer") && found[2].ends_with("D.ts"));
    }
}
