//! Installs the wheel as users do, with pip and with uv, and runs what it brings.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::said::{REPORTED, said};
use crate::python;

/// The first figure of the capture, read by the package.
const READ: &str = "import sys, stepscope; print(stepscope.open(sys.argv[1]).overview())";

/// The licenses and the bill of materials, where tools look for them in an installed package.
const LICENSED: &str = "from importlib.metadata import distribution
about = distribution('stepscope')
found = {path.name: path.locate().read_text(encoding='utf-8') for path in about.files
         if {'licenses', 'sboms'} & set(path.parts)}
assert {'LICENSE-APACHE', 'LICENSE-MIT', 'THIRD-PARTY-LICENSES.txt'} <= set(
    about.metadata.get_all('License-File')), about.metadata
print(sorted(found), 'pyo3' in found['THIRD-PARTY-LICENSES.txt'], 'pyo3' in found['stepscope.cdx.json'])";

/// Installs the wheel into a new environment, without an index, and uses the command and the package.
pub(super) fn with_pip(wheel: &Path, folder: &Path, capture: &Path) -> Result<()> {
    let environment = folder.join("environment");
    let mut venv = Command::new(python::usual()?);
    said(venv.args(["-m", "venv"]).arg(&environment))?;
    let python = python::program_in(&environment, "python");
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--no-index"]);
    said(install.arg(wheel))?;
    let mut command = Command::new(python::program_in(&environment, "stepscope"));
    let demo = said(command.args(["demo", "--no-serve"]))?;
    ensure!(
        demo.contains(REPORTED),
        "the demo of the wheel has no step time:\n{demo}"
    );
    // Somewhere else: in the root of the repository, Python would find the sources.
    let mut read = Command::new(&python);
    read.args(["-c", READ]).arg(capture).current_dir(folder);
    let overview = said(&mut read)?;
    ensure!(overview.contains(REPORTED), "the package reads {overview}");
    let mut licensed = Command::new(&python);
    licensed.args(["-c", LICENSED]).current_dir(folder);
    let licensed = said(&mut licensed)?;
    ensure!(licensed.contains("True True"), "licenses: {licensed}");
    Ok(())
}

/// Runs the command of the wheel without installing it first.
pub(super) fn with_uvx(wheel: &Path, folder: &Path) -> Result<()> {
    let tools = python::release_tools()?;
    let mut uvx = Command::new(python::program_in(&tools, "uvx"));
    uvx.args(["--offline", "--no-config", "--from"]).arg(wheel);
    uvx.args(["stepscope", "demo", "--no-serve"]);
    uvx.env("UV_CACHE_DIR", folder.join("uv"));
    uvx.env("UV_PYTHON", python::usual()?);
    uvx.env("UV_PYTHON_DOWNLOADS", "never");
    let demo = said(&mut uvx).context("uvx")?;
    ensure!(
        demo.contains(REPORTED),
        "the demo by uvx has no step time:\n{demo}"
    );
    Ok(())
}
