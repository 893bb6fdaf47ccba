//! The small captures under `fixtures/`: a table of them, and the rules they must follow.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// All captures together must be smaller than this, so that a clone stays small.
const TOTAL_BYTES_MAX: u64 = 12 << 20;

/// One capture folder.
struct Fixture {
    name: String,
    files: usize,
    bytes: u64,
    /// Its description, from its row in `fixtures/README.md`; `None` if it has none.
    purpose: Option<String>,
}

/// The table of captures, with their sizes on disk.
pub(crate) fn table(root: &Path) -> Result<String> {
    let fixtures = read(root)?;
    let mut text = format!(
        "{:<24} {:>5} {:>10}  what it is\n",
        "fixture", "files", "bytes"
    );
    for fixture in &fixtures {
        let purpose = fixture
            .purpose
            .as_deref()
            .unwrap_or("(no row in fixtures/README.md)");
        writeln!(
            text,
            "{:<24} {:>5} {:>10}  {purpose}",
            fixture.name, fixture.files, fixture.bytes
        )?;
    }
    let bytes: u64 = fixtures.iter().map(|fixture| fixture.bytes).sum();
    let files: usize = fixtures.iter().map(|fixture| fixture.files).sum();
    writeln!(text, "{:<24} {files:>5} {bytes:>10}", "all")?;
    Ok(text)
}

/// Captures without a birth certificate, and captures that are too large together.
pub(crate) fn violations(root: &Path) -> Result<Vec<String>> {
    let fixtures = read(root)?;
    let mut found = Vec::new();
    for fixture in fixtures.iter().filter(|fixture| fixture.purpose.is_none()) {
        found.push(format!(
            "fixtures/{} has no row in fixtures/README.md",
            fixture.name
        ));
    }
    let bytes: u64 = fixtures.iter().map(|fixture| fixture.bytes).sum();
    if bytes > TOTAL_BYTES_MAX {
        found.push(format!(
            "fixtures/ holds {bytes} bytes, more than {TOTAL_BYTES_MAX}"
        ));
    }
    Ok(found)
}

fn read(root: &Path) -> Result<Vec<Fixture>> {
    let folder = root.join("fixtures");
    let readme =
        fs::read_to_string(folder.join("README.md")).context("cannot read fixtures/README.md")?;
    let mut fixtures = Vec::new();
    for entry in fs::read_dir(&folder).context("cannot list fixtures/")? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() && !name.starts_with(['.', '_']) {
            let (files, bytes) = size_of(&entry.path())?;
            fixtures.push(Fixture {
                purpose: purpose(&readme, &name),
                name,
                files,
                bytes,
            });
        }
    }
    fixtures.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(fixtures)
}

/// The number of files in a folder, and their bytes.
fn size_of(folder: &Path) -> Result<(usize, u64)> {
    let mut size = (0, 0);
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let entry = entry?;
        let (files, bytes) = if entry.file_type()?.is_dir() {
            size_of(&entry.path())?
        } else {
            (1, entry.metadata()?.len())
        };
        size = (size.0 + files, size.1 + bytes);
    }
    Ok(size)
}

/// The second cell of the first table row that names the fixture.
fn purpose(readme: &str, name: &str) -> Option<String> {
    let rows = readme.lines().filter(|line| line.starts_with('|'));
    let mut cells = rows.map(|row| row.split('|').map(str::trim).skip(1));
    cells.find_map(|mut cells| {
        let is_its_row = cells.next()?.trim_matches('`') == name;
        if is_its_row {
            cells.next().map(|cell| cell.replace(['*', '`'], ""))
        } else {
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_purpose_is_the_second_cell() {
        let readme =
            "# Fixtures\n| Fixture | What |\n|---|---|\n| `small` | a **small** one | more |\n";
        assert_eq!(purpose(readme, "small").as_deref(), Some("a small one"));
        assert_eq!(purpose(readme, "other"), None);
    }
}
