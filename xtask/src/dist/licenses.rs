//! The licenses of everything that is in the programs, as one text: each text once, with the parts
//! that it covers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::components::Component;

/// Beginnings of the names of files with license texts, in small letters.
const NAMES: [&str; 5] = ["licen", "copying", "notice", "unlicense", "copyright"];

const RULE: &str =
    "================================================================================";

/// The texts of all licenses.
pub(super) fn text(components: &[Component]) -> String {
    let mut covered: BTreeMap<String, Vec<&Component>> = BTreeMap::new();
    let mut without = Vec::new();
    for component in components.iter().filter(|component| !component.is_ours) {
        let texts = texts(&component.folder);
        if texts.is_empty() {
            without.push(component);
        }
        for text in texts {
            covered.entry(text).or_default().push(component);
        }
    }
    let mut all = String::from("Stepscope contains the following software of others.\n");
    // The text that covers most comes first.
    let mut covered: Vec<_> = covered.into_iter().collect();
    covered.sort_by_key(|(_, parts)| std::cmp::Reverse(parts.len()));
    for (text, parts) in covered {
        let _ = write!(all, "\n{RULE}\n");
        list(&parts, &mut all);
        let _ = write!(all, "\n{text}\n");
    }
    if !without.is_empty() {
        let _ = write!(all, "\n{RULE}\nWithout a text of their own:\n");
        list(&without, &mut all);
    }
    all
}

fn list(parts: &[&Component], all: &mut String) {
    for part in parts {
        let _ = writeln!(all, "{} {} ({})", part.name, part.version, part.license);
    }
}

/// The license texts in a folder, without the spaces around them.
fn texts(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_license = |path: &Path| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        NAMES.iter().any(|known| name.starts_with(known))
    };
    let paths = entries.map(|entry| entry.path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.is_file() && is_license(path))
        .collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| fs::read_to_string(path).ok();
    let texts = paths.iter().filter_map(read);
    texts
        .map(|text| text.trim().replace("\r\n", "\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::components::tests::component;

    #[test]
    fn one_text_covers_all_that_have_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut parts = [component("a", "MIT", &[]), component("b", "MIT", &[])];
        for part in &mut parts {
            part.folder = folder.path().join(&part.name);
            fs::create_dir(&part.folder).unwrap();
            fs::write(part.folder.join("LICENSE-MIT"), "Permission is granted\n").unwrap();
            fs::write(part.folder.join("lib.rs"), "not a license").unwrap();
        }
        let bare = component("c", "0BSD", &[]);
        let [a, b] = parts;
        let text = text(&[a, b, bare]);
        assert_eq!(text.matches("Permission is granted").count(), 1);
        assert!(
            text.contains("a 1.0.0 (MIT)\nb 1.0.0 (MIT)\n\nPermission"),
            "{text}"
        );
        assert!(
            text.ends_with("Without a text of their own:\nc 1.0.0 (0BSD)\n"),
            "{text}"
        );
        assert!(!text.contains("not a license"));
    }
}
