//! Parts of paths.

use std::path::{Component, Path, PathBuf};

use stepscope_remote::hide_credentials;

/// A path or URL for people and programs to read: without the credentials of a URL.
pub fn shown(path: &Path) -> String {
    hide_credentials(&path.to_string_lossy()).into_owned()
}

/// The names in a path.
pub(crate) fn parts_of(path: &Path) -> Vec<String> {
    let normal = path.components().filter_map(|component| match component {
        Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
        _ => None,
    });
    normal.collect()
}

/// The folder of a file; `.` for a bare name.
pub(crate) fn parent_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) => parent.to_path_buf(),
        None => path.to_path_buf(),
    }
}
