//! The archive with the programs. The same files give the same bytes: sorted, of nobody, with the
//! time of the commit.

use std::fs::{self, File};
use std::io::{BufWriter, Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use zip::write::SimpleFileOptions;

use super::release::Release;

/// Files of the repository that go along.
const ALONG: [&str; 5] = [
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "SECURITY.md",
];

/// One file of the archive.
struct Entry {
    /// Its path, with the archive's folder.
    path: String,
    mode: u32,
    bytes: Vec<u8>,
}

/// Writes the archive of the target.
pub(super) fn write(
    release: &Release,
    programs: &[PathBuf],
    bill: &str,
    licenses: &str,
) -> Result<()> {
    let entries = entries(release, programs, bill, licenses)?;
    let path = release.file(&release.target.archive());
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let out = BufWriter::new(file);
    let epoch_s = epoch_s(&release.root);
    if release.target.is_windows() {
        zipped(&entries, out)
    } else {
        tarred(&entries, epoch_s, out)
    }
}

fn entries(
    release: &Release,
    programs: &[PathBuf],
    bill: &str,
    licenses: &str,
) -> Result<Vec<Entry>> {
    let stem = release.target.stem();
    let entry = |name: &str, mode: u32, bytes: Vec<u8>| Entry {
        path: format!("{stem}/{name}"),
        mode,
        bytes,
    };
    let mut entries = vec![
        entry("THIRD-PARTY-LICENSES.txt", 0o644, licenses.into()),
        entry("stepscope.cdx.json", 0o644, bill.into()),
    ];
    for name in ALONG {
        entries.push(entry(name, 0o644, read(&release.root.join(name))?));
    }
    for program in programs {
        let name = program.file_name().context("a program has a name")?;
        entries.push(entry(&name.to_string_lossy(), 0o755, read(program)?));
    }
    entries.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(entries)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The time of the files, in seconds since 1970: `SOURCE_DATE_EPOCH`, or that of the last commit.
fn epoch_s(root: &Path) -> u64 {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok();
    let commit = || {
        let mut git = Command::new("git");
        git.args(["log", "-1", "--format=%ct"]).current_dir(root);
        String::from_utf8(git.output().ok()?.stdout).ok()
    };
    let text = given.or_else(commit);
    text.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

fn tarred(entries: &[Entry], epoch_s: u64, out: impl Write) -> Result<()> {
    let gzip = GzBuilder::new().mtime(0).write(out, Compression::best());
    let mut tar = tar::Builder::new(gzip);
    for entry in entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(entry.mode);
        header.set_mtime(epoch_s);
        tar.append_data(&mut header, &entry.path, entry.bytes.as_slice())?;
    }
    tar.into_inner()?.finish()?.flush()?;
    Ok(())
}

/// Times of this form have no time zone, so there is none to write.
fn zipped(entries: &[Entry], mut out: impl Write) -> Result<()> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let options = SimpleFileOptions::default()
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(entry.mode);
        zip.start_file(&entry.path, options)?;
        zip.write_all(&entry.bytes)?;
    }
    out.write_all(&zip.finish()?.into_inner())?;
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<Entry> {
        let entry = |path: &str, mode| Entry {
            path: path.to_owned(),
            mode,
            bytes: path.as_bytes().repeat(100),
        };
        vec![entry("folder/README.md", 0o644), entry("folder/run", 0o755)]
    }

    #[test]
    fn an_archive_is_the_same_twice_and_keeps_modes() {
        let make = || {
            let mut bytes = Vec::new();
            tarred(&some(), 1_700_000_000, &mut bytes).unwrap();
            bytes
        };
        let bytes = make();
        assert_eq!(bytes, make());
        let mut read = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
        let modes: Vec<u32> = read
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap().header().mode().unwrap())
            .collect();
        assert_eq!(modes, [0o644, 0o755]);
    }

    #[test]
    fn windows_gets_a_zip() {
        let mut bytes = Vec::new();
        zipped(&some(), &mut bytes).unwrap();
        let read = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let names: Vec<_> = read.file_names().map(Result::unwrap).collect();
        assert_eq!(names, ["folder/README.md", "folder/run"]);
    }
}
