//! Setup of the whole check: what must be on the machine, installed if that is safe to do.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};

use crate::{npm, process, tree};

/// Names of browsers that Playwright can control.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Servers that tests start on loopback: the program, and Debian's package.
const SERVERS: [(&str, &str); 2] = [("sshd", "openssh-server"), ("nginx", "nginx-light")];

/// Microsoft's emulator of Azure storage.
const AZURITE: &str = "azurite@3.35.0";

/// Makes sure that the Rust components, the UI's packages, and (for the browser tests) a browser
/// are installed.
pub(crate) fn run(needs_browser: bool) -> Result<()> {
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        ensure_component(component, subcommand)?;
    }
    let ui = tree::root().join("ui");
    npm::check_tools().map_err(|message| anyhow!(message))?;
    install_packages(&ui)?;
    ensure_servers()?;
    ensure_azurite()?;
    if needs_browser {
        let browser = ensure_browser()?;
        println!("browser: {}", browser.display());
    }
    Ok(())
}

/// The browser for the end-to-end tests, or `None` if none is installed.
pub(crate) fn browser() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let candidates = BROWSERS.iter().flat_map(|name| {
        env::split_paths(&path)
            .map(|folder| folder.join(name))
            .collect::<Vec<_>>()
    });
    candidates.into_iter().find(|candidate| candidate.is_file())
}

fn ensure_component(component: &str, subcommand: &str) -> Result<()> {
    if process::succeeds(&mut process::cargo(&[subcommand, "--version"])) {
        return Ok(());
    }
    let root = tree::root();
    let mut add = process::program("rustup", &["component", "add", component], &root);
    process::run(&mut add).with_context(|| {
        format!("{component} is missing; `rustup component add {component}` installs it")
    })?;
    Ok(())
}

fn install_packages(ui: &Path) -> Result<()> {
    // Held only while packages are installed: the server's build script takes the same lock.
    let _lock = npm::lock(ui).map_err(|message| anyhow!(message))?;
    if npm::install_if_stale(ui).map_err(|message| anyhow!(message))? {
        println!("installed the packages of the web UI");
    }
    Ok(())
}

fn ensure_browser() -> Result<PathBuf> {
    if let Some(found) = browser() {
        return Ok(found);
    }
    if !may_install() {
        bail!(
            "the browser tests need Chromium, and none of {} is on the PATH; install it, or run \
             `cargo xtask test --fast` to leave them out",
            BROWSERS.join(", ")
        );
    }
    apt_install(&["chromium"])?;
    browser().context("apt-get installed chromium, and it is still not on the PATH")
}

/// Finds a program by name: servers are in folders that only root has on the PATH.
pub(crate) fn server(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let more = ["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from);
    let folders = env::split_paths(&path).chain(more);
    folders
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

fn ensure_servers() -> Result<()> {
    let missing: Vec<&str> = SERVERS
        .iter()
        .filter(|(name, _)| server(name).is_none())
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !may_install() {
        bail!(
            "the tests of remote viewing start sshd and nginx on loopback; install {}",
            missing.join(" and ")
        );
    }
    // Debian starts servers when they are installed, unless this program exits with an error. Tests
    // start their own, with their own configuration.
    let policy = Path::new("/usr/sbin/policy-rc.d");
    let is_ours = !policy.exists();
    if is_ours {
        fs::write(policy, "#!/bin/sh\nexit 101\n")?;
        process::run(&mut process::program(
            "chmod",
            &["755", "/usr/sbin/policy-rc.d"],
            Path::new("/"),
        ))?;
    }
    let installed = apt_install(&missing);
    if is_ours {
        fs::remove_file(policy)?;
    }
    installed
}

/// Installs the emulator with other build artifacts: the pages don't use it.
fn ensure_azurite() -> Result<()> {
    let folder = tree::root().join("target/azurite");
    let mark = folder.join(AZURITE);
    if mark.is_file() {
        return Ok(());
    }
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
    let arguments = [
        "install",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        AZURITE,
    ];
    process::run(&mut process::program("npm", &arguments, &folder))?;
    fs::write(&mark, "").context("cannot mark the emulator as complete")
}

/// Whether this is a machine on which installing packages is expected: Debian, as root.
pub(crate) fn may_install() -> bool {
    is_debian() && is_root()
}

/// Installs packages of the system.
pub(crate) fn apt_install(packages: &[&str]) -> Result<()> {
    let root = tree::root();
    let install = [&["install", "-y"], packages].concat();
    for arguments in [&["update"][..], &install] {
        let mut command = process::program("apt-get", arguments, &root);
        process::run(command.env("DEBIAN_FRONTEND", "noninteractive"))?;
    }
    Ok(())
}

fn is_debian() -> bool {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    release.lines().any(|line| line == "ID=debian")
}

fn is_root() -> bool {
    let mut command = process::program("id", &["-u"], Path::new("/"));
    command
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
