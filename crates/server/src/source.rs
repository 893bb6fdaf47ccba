//! Source lines to show: a few lines of files below folders that whoever started the server named.
//!
//! Off without such folders. A file is shown only if the session names it as the source of an op, and if
//! its real path (links resolved) is below one of the folders. A capture may come from another machine,
//! so leading folders of the recorded path are dropped until the rest exists below a folder:
//!
//! ```text
//! recorded   /app/model/layers.py        folder  /home/me/project
//! tried      /app/model/layers.py                only if it is below the folder
//!            /home/me/project/app/model/layers.py
//!            /home/me/project/model/layers.py    found
//! ```

use std::path::{Component, Path, PathBuf};

use stepscope_storage::read_bytes;

use crate::reports::SourceReport;

/// Larger files are not source code that people read.
const MAX_BYTES: u64 = 4 << 20;
/// Lines that are shown before and after the line.
const AROUND: usize = 8;
/// Longer lines are cut.
const MAX_CHARACTERS: usize = 400;
/// Folders of a recorded path that are dropped at most.
const MOST_DROPPED: usize = 32;

/// Why a source line is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unshown {
    /// No folder was named.
    Off,
    /// It is not `PATH:LINE`.
    NoLine,
    /// No file below the folders has this path.
    NotFound,
    /// The file could not be read, and why.
    Unreadable(String),
    /// The file has fewer lines.
    TooShort(usize),
}

/// The lines around a recorded source line.
pub(crate) fn excerpt(roots: &[PathBuf], recorded: &str) -> Result<SourceReport, Unshown> {
    if roots.is_empty() {
        return Err(Unshown::Off);
    }
    let (path, line) = split(recorded).ok_or(Unshown::NoLine)?;
    let found = find(roots, path).ok_or(Unshown::NotFound)?;
    let bytes = read_bytes(&found, MAX_BYTES).map_err(|e| Unshown::Unreadable(e.to_string()))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    if line == 0 || line > lines.len() {
        return Err(Unshown::TooShort(lines.len()));
    }
    let first = line.saturating_sub(AROUND).max(1);
    let last = line.saturating_add(AROUND).min(lines.len());
    Ok(SourceReport {
        path: found.to_string_lossy().into_owned(),
        line,
        first_line: first,
        lines: lines[first - 1..last]
            .iter()
            .map(|line| cut(line))
            .collect(),
    })
}

/// Path and line of `path:line` or `path:line:column`.
fn split(recorded: &str) -> Option<(&str, usize)> {
    let (rest, last) = recorded.rsplit_once(':')?;
    let last = last.parse().ok()?;
    match rest.rsplit_once(':') {
        Some((path, line)) if !path.is_empty() => match line.parse() {
            Ok(line) => Some((path, line)),
            Err(_) => Some((rest, last)),
        },
        _ => Some((rest, last)),
    }
}

/// The file below one of the folders, by its real path.
fn find(roots: &[PathBuf], recorded: &str) -> Option<PathBuf> {
    let recorded = recorded.replace('\\', "/");
    let path = Path::new(&recorded);
    if path.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    let names: Vec<&str> = recorded
        .split('/')
        .filter(|name| !name.is_empty())
        .collect();
    for root in roots {
        let Ok(root) = root.canonicalize() else {
            continue;
        };
        let below = |path: &Path| {
            let real = path.canonicalize().ok()?;
            (real.starts_with(&root) && real.is_file()).then_some(real)
        };
        if let Some(found) = path.is_absolute().then(|| below(path)).flatten() {
            return Some(found);
        }
        let kept = (0..names.len().min(MOST_DROPPED)).map(|dropped| names[dropped..].join("/"));
        if let Some(found) = kept.into_iter().find_map(|rest| below(&root.join(rest))) {
            return Some(found);
        }
    }
    None
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder() -> (tempfile::TempDir, Vec<PathBuf>) {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path().join("project/model");
        fs::create_dir_all(&project).expect("folders");
        let text: Vec<String> = (1..=40).map(|line| format!("line {line}")).collect();
        fs::write(project.join("layers.py"), text.join("\n")).expect("a file");
        fs::write(folder.path().join("secret.py"), "secret").expect("a file");
        let roots = vec![folder.path().join("project")];
        (folder, roots)
    }

    #[test]
    fn lines_around_a_line_are_found_wherever_the_program_ran() {
        let (folder, roots) = folder();
        let own = folder.path().join("project/model/layers.py");
        for recorded in [
            format!("{}:20", own.display()),
            "/app/model/layers.py:20".to_owned(),
            "/srv/x/app/model/layers.py:20:7".to_owned(),
            "model/layers.py:20".to_owned(),
            "C:\\app\\model\\layers.py:20".to_owned(),
        ] {
            let found = excerpt(&roots, &recorded).expect("it is there");
            assert_eq!((found.line, found.first_line), (20, 12), "{recorded}");
            assert_eq!(found.lines.len(), 17);
            assert_eq!(found.lines[8], "line 20");
        }
        let start = excerpt(&roots, "model/layers.py:1").expect("it is there");
        assert_eq!((start.first_line, start.lines.len()), (1, 9));
        let end = excerpt(&roots, "model/layers.py:40").expect("it is there");
        assert_eq!((end.first_line, end.lines.len()), (32, 9));
    }

    #[test]
    fn nothing_outside_of_the_folders_is_shown() {
        let (folder, roots) = folder();
        let secret = folder.path().join("secret.py");
        for recorded in [
            format!("{}:1", secret.display()),
            "../secret.py:1".to_owned(),
            "model/../../secret.py:1".to_owned(),
            "secret.py:1".to_owned(),
            "model:1".to_owned(),
        ] {
            assert_eq!(
                excerpt(&roots, &recorded),
                Err(Unshown::NotFound),
                "{recorded}"
            );
        }
        #[cfg(unix)]
        {
            let link = folder.path().join("project/link.py");
            std::os::unix::fs::symlink(&secret, link).expect("a link");
            assert_eq!(excerpt(&roots, "link.py:1"), Err(Unshown::NotFound));
        }
        assert_eq!(excerpt(&[], "model/layers.py:1"), Err(Unshown::Off));
    }

    #[test]
    fn lines_that_do_not_exist_are_errors() {
        let (_folder, roots) = folder();
        for line in ["0", "41", "18446744073709551615"] {
            let recorded = format!("model/layers.py:{line}");
            assert_eq!(excerpt(&roots, &recorded), Err(Unshown::TooShort(40)));
        }
        for recorded in ["", "layers.py", "layers.py:x", ":3"] {
            assert!(excerpt(&roots, recorded).is_err(), "{recorded}");
        }
    }
}
