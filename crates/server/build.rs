//! Makes the built web UI available to this crate, as a folder in `STEPSCOPE_UI_DIR`.
//!
//! The UI comes from the first of these that exists: the folder named by `STEPSCOPE_UI_DIST`; a
//! page saying that it was left out (`STEPSCOPE_NO_UI=1`); a build of the repository's `ui/`; the
//! `ui-dist/` of a packaged crate.

use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "build/npm.rs"]
mod npm;

/// Files and folders of `ui/` that the built UI depends on.
const INPUTS: [&str; 9] = [
    "src",
    "public",
    "index.html",
    "share.html",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "vite.config.ts",
    "vite.share.config.ts",
];

const LEFT_OUT: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<title>Stepscope</title>
<h1>The web UI was left out of this build</h1>
<p>Reports are still served as JSON. To include the UI, install Node.js 20.19 or newer and build again
without the environment variable <code>STEPSCOPE_NO_UI</code>.</p>
</html>
";

fn main() {
    for name in ["STEPSCOPE_UI_DIST", "STEPSCOPE_NO_UI", "DOCS_RS"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    for input in ["build.rs", "build/npm.rs"] {
        println!("cargo::rerun-if-changed={input}");
    }
    match ui_folder() {
        Ok(folder) => println!("cargo::rustc-env=STEPSCOPE_UI_DIR={}", folder.display()),
        Err(message) => {
            let mut lines = message.lines();
            let first = lines.next().unwrap_or("the web UI could not be built");
            println!("cargo::error={first}");
            for line in lines {
                println!("cargo::error={line}");
            }
        }
    }
}

/// The folder with the UI to embed, built first if necessary.
fn ui_folder() -> Result<PathBuf, String> {
    let manifest_dir = folder_variable("CARGO_MANIFEST_DIR")?;
    let out_dir = folder_variable("OUT_DIR")?;
    if let Some(dist) = env::var_os("STEPSCOPE_UI_DIST") {
        // A relative path is relative to the repository's root, where commands are typed.
        let dist = manifest_dir.join("../..").join(dist);
        println!("cargo::rerun-if-changed={}", dist.display());
        return built_folder(&dist, "the folder named by STEPSCOPE_UI_DIST");
    }
    // docs.rs has no network and shows no pages.
    if env::var_os("STEPSCOPE_NO_UI").is_some_and(|value| value == "1")
        || env::var_os("DOCS_RS").is_some()
    {
        return left_out(&out_dir);
    }
    let ui = manifest_dir.join("../../ui");
    if ui.join("package.json").is_file() {
        let ui = fs::canonicalize(&ui).map_err(|error| format!("cannot open ui/: {error}"))?;
        return build(&ui, &out_dir)
            .map_err(|error| format!("{error}\n(STEPSCOPE_NO_UI=1 builds without the web UI)"));
    }
    let packaged = manifest_dir.join("ui-dist");
    if packaged.is_dir() {
        println!("cargo::rerun-if-changed={}", packaged.display());
        return built_folder(&packaged, "the ui-dist folder of this crate");
    }
    println!(
        "cargo::rerun-if-changed={}",
        ui.join("package.json").display()
    );
    println!("cargo::warning=neither ui/ nor ui-dist/ exists, so this build has no web UI");
    left_out(&out_dir)
}

/// Installs the UI's dependencies if needed and builds it into the output folder.
fn build(ui: &Path, out_dir: &Path) -> Result<PathBuf, String> {
    for input in INPUTS {
        let path = ui.join(input);
        // Cargo treats a missing path as changed on every run.
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    npm::check_tools()?;
    let _lock = npm::lock(ui)?;
    npm::install_if_stale(ui)?;
    let folder = out_dir.join("ui");
    let folder_text = folder
        .to_str()
        .ok_or("the path of the build folder is not valid Unicode")?;
    npm::run(
        ui,
        &[
            "run",
            "build",
            "--",
            "--outDir",
            folder_text,
            "--emptyOutDir",
        ],
    )?;
    npm::run(ui, &["run", "build:share", "--", "--outDir", folder_text])?;
    built_folder(&folder, "what `npm run build` wrote")
}

/// Returns the folder after checking that it has a start page.
fn built_folder(folder: &Path, what: &str) -> Result<PathBuf, String> {
    if folder.join("index.html").is_file() {
        fs::canonicalize(folder)
            .map_err(|error| format!("cannot open {what}: {error}: {}", folder.display()))
    } else {
        Err(format!("{what} has no index.html: {}", folder.display()))
    }
}

/// A folder with one page that says how to include the UI.
fn left_out(out_dir: &Path) -> Result<PathBuf, String> {
    let folder = out_dir.join("ui-left-out");
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(folder.join("index.html"), LEFT_OUT))
        .map_err(|error| format!("cannot write the placeholder page for the UI: {error}"))?;
    Ok(folder)
}

/// A folder that cargo passes to build scripts in a variable.
fn folder_variable(name: &str) -> Result<PathBuf, String> {
    env::var_os(name)
        .map(PathBuf::from)
        .ok_or_else(|| format!("cargo did not set {name}"))
}
