//! Checksums of what was made for a target, as `sha256sum --check` reads them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest as _, Sha256};

use super::release::Release;

/// Writes the checksums of all files of the target, the wheels among them, and gives their names, sorted.
pub(super) fn write(release: &Release, wheels: Vec<String>) -> Result<Vec<String>> {
    let target = &release.target;
    let mut names = vec![target.archive(), target.bill(), target.image()];
    names.extend(wheels);
    names.retain(|name| release.file(name).is_file());
    names.sort();
    let lines: Result<Vec<String>> = names
        .iter()
        .map(|name| Ok(format!("{}  {name}\n", digest_of(&release.file(name))?)))
        .collect();
    fs::write(release.file(&target.sums()), lines?.concat()).context("cannot write checksums")?;
    Ok(names)
}

fn digest_of(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(digest(&bytes))
}

/// The SHA-256 of bytes, in hexadecimal.
pub(super) fn digest(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::target::Target;

    #[test]
    fn what_is_there_is_summed() {
        let folder = tempfile::tempdir().unwrap();
        let release = Release {
            root: folder.path().to_path_buf(),
            target: Target::named("x86_64-unknown-linux-musl"),
        };
        fs::create_dir(release.folder()).unwrap();
        fs::write(release.file(&release.target.bill()), "abc").unwrap();
        assert_eq!(
            write(&release, Vec::new()).unwrap(),
            [release.target.bill()]
        );
        let text = fs::read_to_string(release.file(&release.target.sums())).unwrap();
        // The digest of "abc" in FIPS 180-2, appendix B.1.
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(text, format!("{known}  {}\n", release.target.bill()));
    }
}
