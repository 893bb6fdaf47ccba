//! The wheel: one for all Pythons from 3.11 on, built by maturin. That of Linux is linked by Zig, so
//! that it runs on systems with an older glibc than this machine's.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::release::Release;
use super::target::VERSION;
use super::{bill, components, licenses, wheel_files};
use crate::{process, python};

/// The oldest systems that wheels of Linux run on: those with glibc 2.17, which Rust itself needs.
const MANYLINUX: &str = "manylinux2014";

/// Builds the wheel of the target into `dist/`.
pub(super) fn build(release: &Release) -> Result<()> {
    let tools = python::release_tools()?;
    for name in found(release)? {
        fs::remove_file(release.file(&name)).with_context(|| format!("cannot remove {name}"))?;
    }
    let out = release.folder();
    let out = out.to_string_lossy();
    let target = release.target.of_wheel();
    let mut arguments = vec!["-m", "maturin", "build", "--locked", "--profile", "dist"];
    arguments.extend(["--out", &out]);
    arguments.extend(target.arguments());
    if target.triple.contains("-linux-") {
        // Zig links for a target that is named.
        arguments.extend(["--zig", "--compatibility", MANYLINUX]);
        if target.arguments().is_empty() {
            arguments.extend(["--target", &target.triple]);
        }
    }
    process::run(&mut python::python_in(&tools, &arguments))?;
    let made = found(release)?;
    let [made] = made.as_slice() else {
        bail!("maturin did not leave one wheel in dist/: {made:?}");
    };
    let components = components::of(&release.root, &target, components::WHEEL)?;
    let (licenses, bill) = (
        licenses::text(&components),
        bill::text(&target, &components)?,
    );
    wheel_files::add(&release.file(made), &licenses, &bill)
}

/// Names of the wheels of the target in `dist/`.
pub(super) fn found(release: &Release) -> Result<Vec<String>> {
    let triple = release.target.of_wheel().triple;
    let entries = fs::read_dir(release.folder()).context("cannot list dist/")?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| is_of(name, &triple))
        .collect();
    names.sort();
    Ok(names)
}

/// Whether a file is our wheel for the target: `stepscope-0.1.0-cp311-abi3-PLATFORM.whl`, where the
/// platform has names of its own for systems and machines.
fn is_of(name: &str, triple: &str) -> bool {
    let machine = triple.split('-').next().unwrap_or_default();
    let (system, machine) = match machine {
        "x86_64" if triple.contains("windows") => ("win", "amd64"),
        "aarch64" if triple.contains("darwin") => ("macosx", "arm64"),
        machine if triple.contains("darwin") => ("macosx", machine),
        machine if triple.contains("windows") => ("win", machine),
        machine => ("linux", machine),
    };
    let is_wheel = Path::new(name).extension().is_some_and(|end| end == "whl");
    let platform = name.strip_prefix(&format!("stepscope-{VERSION}-cp311-abi3-"));
    platform.is_some_and(|name| is_wheel && name.contains(system) && name.contains(machine))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheels_are_told_apart_by_platform() {
        let name = |platform: &str| format!("stepscope-{VERSION}-cp311-abi3-{platform}.whl");
        let linux = name("manylinux_2_17_x86_64.manylinux2014_x86_64");
        let mac = name("macosx_11_0_arm64");
        let windows = name("win_amd64");
        assert!(is_of(&linux, "x86_64-unknown-linux-gnu"));
        assert!(!is_of(&linux, "aarch64-unknown-linux-gnu"));
        assert!(is_of(&mac, "aarch64-apple-darwin"));
        assert!(!is_of(&mac, "x86_64-apple-darwin"));
        assert!(is_of(&windows, "x86_64-pc-windows-msvc"));
        assert!(!is_of(&windows, "x86_64-unknown-linux-gnu"));
        assert!(!is_of(
            "stepscope-0.0.0-cp311-abi3-win_amd64.whl",
            "x86_64-pc-windows-msvc"
        ));
    }
}
