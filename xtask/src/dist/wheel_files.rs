//! Adds files to a wheel that maturin built: the licenses of what is in it, and its bill of materials.
//!
//! ```text
//! stepscope-VERSION.dist-info/
//!     METADATA                            names license files, by PEP 639
//!     RECORD                              path,sha256=DIGEST,SIZE of every file
//!     licenses/THIRD-PARTY-LICENSES.txt   PEP 639
//!     sboms/stepscope.cdx.json            PEP 770
//! ```

use std::fs;
use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Where the texts of licenses go, in the folder of the wheel's metadata.
pub(super) const LICENSES: &str = "licenses/THIRD-PARTY-LICENSES.txt";
/// Where the bill of materials goes.
pub(super) const BILL: &str = "sboms/stepscope.cdx.json";

/// Adds both to the wheel at `path`.
pub(super) fn add(path: &Path, licenses: &str, bill: &str) -> Result<()> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let added = added(&bytes, licenses, bill);
    let added = added.with_context(|| format!("cannot add licenses to {}", path.display()))?;
    fs::write(path, added).with_context(|| format!("cannot write {}", path.display()))
}

fn added(wheel: &[u8], licenses: &str, bill: &str) -> Result<Vec<u8>> {
    let mut read = ZipArchive::new(Cursor::new(wheel))?;
    let names: Vec<String> = names(&read)?;
    let mut folders = names.iter().filter_map(|name| name.strip_suffix("/RECORD"));
    let folder = folders.next().context("the wheel has no RECORD")?;
    let metadata = format!("{folder}/METADATA");
    let record = format!("{folder}/RECORD");
    let files = [
        (format!("{folder}/{LICENSES}"), licenses.to_owned()),
        (format!("{folder}/{BILL}"), bill.to_owned()),
        (
            metadata.clone(),
            with_license_file(&text(&mut read, &metadata)?),
        ),
    ];
    let lines = text(&mut read, &record)?;
    let mut lines: Vec<String> = lines
        .lines()
        .filter(|line| !line.starts_with(&format!("{metadata},")))
        .map(str::to_owned)
        .collect();
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..read.len() {
        let file = read.by_index_raw(index)?;
        let is_rewritten = [&metadata, &record].contains(&&file.name()?.into_owned());
        if !is_rewritten {
            out.raw_copy_file(file)?;
        }
    }
    for (name, content) in &files {
        lines.insert(0, recorded(name, content));
        write(&mut out, name, content)?;
    }
    lines.sort();
    // By the specification of wheels it is the last file.
    write(&mut out, &record, &(lines.join("\n") + "\n"))?;
    Ok(out.finish()?.into_inner())
}

fn names(wheel: &ZipArchive<Cursor<&[u8]>>) -> Result<Vec<String>> {
    let names = wheel.file_names().map(|name| Ok(name?.into_owned()));
    names.collect()
}

fn text(wheel: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Result<String> {
    let mut text = String::new();
    let mut file = wheel.by_name(name).with_context(|| format!("no {name}"))?;
    file.read_to_string(&mut text)?;
    Ok(text)
}

/// The metadata with one more license file, after those that it names.
fn with_license_file(metadata: &str) -> String {
    let name = LICENSES.rsplit('/').next().unwrap_or(LICENSES);
    let at = metadata.rfind("\nLicense-File: ").map_or(0, |at| at + 1);
    let (before, after) = metadata.split_at(at);
    let (last, rest) = after.split_once('\n').unwrap_or((after, ""));
    format!("{before}{last}\nLicense-File: {name}\n{rest}")
}

/// The line of a file in RECORD.
fn recorded(name: &str, content: &str) -> String {
    let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(content.as_bytes()));
    format!("{name},sha256={digest},{}", content.len())
}

/// The same bytes each time: files of wheels have no time of their own.
fn write(out: &mut ZipWriter<Cursor<Vec<u8>>>, name: &str, content: &str) -> Result<()> {
    let options = SimpleFileOptions::default()
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    out.start_file(name, options)?;
    out.write_all(content.as_bytes())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: &str = "Metadata-Version: 2.4\nName: a\nLicense-File: LICENSE-APACHE\n\
                            License-File: LICENSE-MIT\nDescription-Content-Type: text/markdown\n\n\
                            Read me\n";

    #[test]
    fn files_are_added_and_recorded() {
        let mut out = ZipWriter::new(Cursor::new(Vec::new()));
        let record =
            "a/code.py,sha256=x,3\na-1.dist-info/METADATA,sha256=y,9\na-1.dist-info/RECORD,,\n";
        for (name, content) in [
            ("a/code.py", "abc"),
            ("a-1.dist-info/METADATA", METADATA),
            ("a-1.dist-info/RECORD", record),
        ] {
            write(&mut out, name, content).unwrap();
        }
        let wheel = out.finish().unwrap().into_inner();
        let bytes = added(&wheel, "Permission is granted", "{}").unwrap();
        assert_eq!(bytes, added(&wheel, "Permission is granted", "{}").unwrap());
        let mut read = ZipArchive::new(Cursor::new(bytes.as_slice())).unwrap();
        let names = names(&read).unwrap();
        assert_eq!(names.len(), 5);
        assert_eq!(names.last().unwrap(), "a-1.dist-info/RECORD");
        let licenses = "a-1.dist-info/licenses/THIRD-PARTY-LICENSES.txt";
        assert_eq!(text(&mut read, licenses).unwrap(), "Permission is granted");
        let metadata = text(&mut read, "a-1.dist-info/METADATA").unwrap();
        let license_lines =
            "License-File: LICENSE-MIT\nLicense-File: THIRD-PARTY-LICENSES.txt\nDescription";
        assert!(metadata.contains(license_lines), "{metadata}");
        let record = text(&mut read, "a-1.dist-info/RECORD").unwrap();
        // The SHA-256 of `{}`, as `printf '{}' | sha256sum` has it, in base64.
        let line = "a-1.dist-info/sboms/stepscope.cdx.json,sha256=RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o,2";
        assert!(record.lines().any(|one| one == line), "{record}");
        assert!(record.contains(&recorded("a-1.dist-info/METADATA", &metadata)));
        let mut listed: Vec<&str> = record
            .lines()
            .filter_map(|line| line.split(',').next())
            .collect();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        names.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, names, "every file once");
    }
}
