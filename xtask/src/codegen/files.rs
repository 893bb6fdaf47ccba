//! Generated files in memory, and how they differ from those that are committed.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use crate::tree;

/// File name to text.
pub(super) type Files = BTreeMap<String, String>;

/// Every file below a folder, by its relative path; empty if the folder does not exist.
pub(super) fn read(folder: &Path) -> Result<Files> {
    if !folder.is_dir() {
        return Ok(Files::new());
    }
    let files = tree::text_files(folder)?;
    Ok(files
        .into_iter()
        .map(|file| (file.path, file.text))
        .collect())
}

/// How committed files of a folder differ from fresh ones.
pub(super) fn differences(fresh: &Files, committed: &Files, folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in fresh {
        match committed.get(name) {
            None => found.push(format!("missing: {folder}/{name}")),
            Some(old) if old != text => found.push(format!("out of date: {folder}/{name}")),
            Some(_) => {}
        }
    }
    let gone = committed.keys().filter(|name| !fresh.contains_key(*name));
    found.extend(gone.map(|name| format!("no longer generated: {folder}/{name}")));
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
        let found = differences(&fresh, &committed, "folder");
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("out of date") && found[0].ends_with("A.ts"));
        assert!(found[1].starts_with("missing") && found[1].ends_with("C.ts"));
        assert!(found[2].starts_with("no longer") && found[2].ends_with("D.ts"));
    }
}
