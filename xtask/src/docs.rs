//! The documentation as a site: mdBook over the pages of `docs/` and those of the root, with the
//! table of contents that `docs/README.md` gives.
//!
//! The pages are read on GitHub too, so nothing in them is written for the site. `pages.rs` turns
//! links to files that are no pages into links to the repository; `check.rs` follows every other link
//! of the finished site.

mod check;
mod contents;
mod pages;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;
use crate::tree::{self, SourceFile};

/// The version of mdBook; another one may lay pages out differently.
const MDBOOK: &str = "0.5.4";

const STYLE: &str = include_str!("docs/site.css");

/// Builds the site into `target/docs`.
///
/// # Errors
///
/// mdBook is missing and cannot be installed, a page is not in the table of contents, or a link of
/// the site leads nowhere.
pub(crate) fn run() -> Result<()> {
    let root = tree::root();
    let mdbook = mdbook(&root)?;
    let book = root.join("target/docs-book");
    let out = root.join("target/docs");
    assemble(&root, &book)?;
    empty(&out)?;
    let mut command = process::program(&mdbook.to_string_lossy(), &["build"], &book);
    command.arg("--dest-dir").arg(&out);
    process::run(&mut command)?;
    let broken = check::broken_links(&out)?;
    for line in &broken {
        println!("{line}");
    }
    if !broken.is_empty() {
        bail!("{} links of the site lead nowhere", broken.len());
    }
    println!(
        "every link leads somewhere: {}",
        out.join("index.html").display()
    );
    Ok(())
}

/// mdBook of the right version: that of the path, or one installed with other tools.
fn mdbook(root: &Path) -> Result<PathBuf> {
    let tools = root.join("target/tools");
    let installed = tools
        .join("bin")
        .join(format!("mdbook{}", env::consts::EXE_SUFFIX));
    for program in [PathBuf::from("mdbook"), installed.clone()] {
        if is_wanted(&program) {
            return Ok(program);
        }
    }
    let tools = tools.to_string_lossy();
    let mut arguments = vec![
        "install",
        "mdbook",
        "--version",
        MDBOOK,
        "--locked",
        "--force",
    ];
    // Neither its server nor its watcher.
    arguments.extend([
        "--no-default-features",
        "--features",
        "search",
        "--root",
        &tools,
    ]);
    process::run(&mut process::cargo(&arguments))?;
    Ok(installed)
}

fn is_wanted(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    version.is_ok_and(|version| version == format!("mdbook v{MDBOOK}"))
}

/// Lays the sources of the site out in a folder.
fn assemble(root: &Path, book: &Path) -> Result<()> {
    empty(book)?;
    let source = book.join("src");
    let files = tree::repository_files(root)?;
    let is_page = |file: &&SourceFile| {
        let is_of_docs = file.path.starts_with("docs/") && file.has_extension(&["md"]);
        is_of_docs || pages::OF_THE_ROOT.contains(&file.path.as_str())
    };
    let found: Vec<&SourceFile> = files.iter().filter(is_page).collect();
    for page in &found {
        let text = pages::for_the_site(page, &found);
        write(&source.join(pages::place(&page.path)), &text)?;
    }
    let contents = contents::of(&found)?;
    write(&source.join("SUMMARY.md"), &contents)?;
    write(&book.join("site.css"), STYLE)?;
    write(&book.join("book.toml"), &settings())?;
    copy_images(&root.join("docs/images"), &source.join("docs/images"))
}

fn settings() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "[book]\n\
         title = \"Stepscope {version}\"\n\
         description = \"A profiler for JAX and XLA programs\"\n\
         language = \"en\"\n\
         src = \"src\"\n\n\
         [output.html]\n\
         default-theme = \"light\"\n\
         preferred-dark-theme = \"navy\"\n\
         additional-css = [\"site.css\"]\n\
         no-section-label = true\n\
         git-repository-url = \"{}\"\n\n\
         [output.html.playground]\n\
         runnable = false\n\n\
         [output.html.print]\n\
         enable = false\n\n\
         [output.html.search]\n\
         limit-results = 30\n\
         use-boolean-and = true\n",
        pages::REPOSITORY
    )
}

fn copy_images(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).context("cannot make the folder of pictures")?;
    for entry in fs::read_dir(from).context("cannot list docs/images")? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name())).context("cannot copy a picture")?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().context("a file has a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn empty(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_this_repository_has_a_place() {
        let folder = tempfile::tempdir().unwrap();
        assemble(&tree::root(), folder.path()).unwrap();
        let source = folder.path().join("src");
        let contents = fs::read_to_string(source.join("SUMMARY.md")).unwrap();
        assert!(contents.contains("(docs/guides/run.md)"), "{contents}");
        assert!(source.join("docs/guides/run.md").is_file());
        assert!(source.join("docs/images/overview-light.webp").is_file());
        let front = fs::read_to_string(source.join("index.md")).unwrap();
        let index = format!("]({})", pages::place("docs/README.md"));
        assert!(front.contains(&index), "links follow the places");
        let settings: toml::Table = settings().parse().unwrap();
        let title = settings["book"]["title"].as_str().unwrap();
        assert!(title.ends_with(env!("CARGO_PKG_VERSION")), "{title}");
    }
}
