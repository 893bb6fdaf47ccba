//! The machine that a release is for, and the names of its files.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// The version of the workspace.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What programs are built for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// The name that rustc gives it, such as `x86_64-unknown-linux-musl`.
    pub(super) triple: String,
    /// Whether it was named. Without a name, cargo builds where it builds everything else.
    is_named: bool,
}

impl Target {
    pub(super) fn named(triple: &str) -> Self {
        Self {
            triple: triple.to_owned(),
            is_named: true,
        }
    }

    /// The target of this machine's compiler.
    pub(super) fn of_this_machine() -> Result<Self> {
        let output = Command::new("rustc").arg("-vV").output();
        let text = output.context("cannot run rustc")?.stdout;
        let text = String::from_utf8(text).context("rustc says something that is no text")?;
        let host = text.lines().find_map(|line| line.strip_prefix("host: "));
        Ok(Self {
            triple: host.context("rustc does not name its host")?.to_owned(),
            is_named: false,
        })
    }

    /// Arguments of cargo and maturin.
    pub(super) fn arguments(&self) -> Vec<&str> {
        if self.is_named {
            vec!["--target", &self.triple]
        } else {
            Vec::new()
        }
    }

    /// The folder in which cargo leaves programs of the profile `dist`.
    pub(super) fn built(&self, target_folder: &Path) -> PathBuf {
        if self.is_named {
            target_folder.join(&self.triple).join("dist")
        } else {
            target_folder.join("dist")
        }
    }

    pub(super) fn is_windows(&self) -> bool {
        self.triple.contains("windows")
    }

    /// Whether programs need nothing of the system but its kernel.
    pub(super) fn is_static_linux(&self) -> bool {
        self.triple.ends_with("-linux-musl")
    }

    /// The target of the wheel: Pythons of Linux use glibc, whatever the programs use.
    pub(super) fn of_wheel(&self) -> Self {
        match self.triple.strip_suffix("-linux-musl") {
            Some(machine) => Self::named(&format!("{machine}-linux-gnu")),
            None => self.clone(),
        }
    }

    /// The file name of a program.
    pub(super) fn program(&self, name: &str) -> String {
        if self.is_windows() {
            format!("{name}.exe")
        } else {
            name.to_owned()
        }
    }

    /// The beginning of all names, and the folder in the archive.
    pub(super) fn stem(&self) -> String {
        format!("stepscope-{VERSION}-{}", self.triple)
    }

    pub(super) fn archive(&self) -> String {
        let end = if self.is_windows() { "zip" } else { "tar.gz" };
        format!("{}.{end}", self.stem())
    }

    /// The bill of materials, in the form of CycloneDX.
    pub(super) fn bill(&self) -> String {
        format!("{}.cdx.json", self.stem())
    }

    pub(super) fn image(&self) -> String {
        format!("{}.oci.tar", self.stem())
    }

    pub(super) fn sums(&self) -> String {
        format!("{}.sha256", self.stem())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_version_and_target() {
        let linux = Target::named("aarch64-unknown-linux-musl");
        let stem = format!("stepscope-{VERSION}-aarch64-unknown-linux-musl");
        assert_eq!(linux.archive(), format!("{stem}.tar.gz"));
        assert_eq!(linux.sums(), format!("{stem}.sha256"));
        assert_eq!(linux.program("stepscope-sql"), "stepscope-sql");
        let windows = Target::named("x86_64-pc-windows-msvc");
        assert!(windows.archive().ends_with("-x86_64-pc-windows-msvc.zip"));
        assert_eq!(windows.program("stepscope"), "stepscope.exe");
    }

    #[test]
    fn wheels_of_linux_are_for_glibc() {
        let musl = Target::named("x86_64-unknown-linux-musl");
        assert!(musl.is_static_linux());
        assert_eq!(musl.of_wheel().triple, "x86_64-unknown-linux-gnu");
        let mac = Target::named("aarch64-apple-darwin");
        assert_eq!(mac.of_wheel(), mac);
    }

    #[test]
    fn this_machine_has_a_target() {
        let here = Target::of_this_machine().unwrap();
        assert!(here.triple.contains(std::env::consts::ARCH), "{here:?}");
        assert!(here.arguments().is_empty());
        assert!(here.built(Path::new("target")).ends_with("target/dist"));
    }
}
