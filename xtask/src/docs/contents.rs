//! The table of contents, from the tables of `docs/README.md`: a part for each of its headings.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail};

use super::pages::{self, OF_THE_ROOT};
use crate::links;
use crate::tree::SourceFile;

const INDEX: &str = "docs/README.md";

/// `SUMMARY.md`, as mdBook reads it.
///
/// # Errors
///
/// A page is in no table.
pub(super) fn of(found: &[&SourceFile]) -> Result<String> {
    let index = found.iter().find(|page| page.path == INDEX);
    let index = index.context("docs/README.md is missing")?;
    let mut contents = Contents {
        found,
        text: format!(
            "# Stepscope\n\n[Stepscope]({})\n[Documentation]({})\n",
            pages::place(OF_THE_ROOT[0]),
            pages::place(INDEX)
        ),
        listed: BTreeSet::from([INDEX.to_owned(), OF_THE_ROOT[0].to_owned()]),
    };
    let mut part = None;
    for line in index.text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            part = Some(title);
        } else if line.starts_with('|') {
            for (title, path) in links_of(line) {
                if let Some(title) = part.take() {
                    let _ = write!(contents.text, "\n# {title}\n\n");
                }
                contents.add(&title, &path);
            }
        }
    }
    contents.text.push_str("\n# About\n\n");
    for path in &OF_THE_ROOT[1..] {
        let title = contents.title_of(path);
        contents.add(&title, path);
    }
    contents.finished()
}

struct Contents<'a> {
    found: &'a [&'a SourceFile],
    text: String,
    listed: BTreeSet<String>,
}

impl Contents<'_> {
    /// Adds a page and, below it, those of the folder with its name. What is no page, or is listed
    /// already, adds nothing.
    fn add(&mut self, title: &str, path: &str) {
        let is_page = self.found.iter().any(|page| page.path == path);
        if !is_page || !self.listed.insert(path.to_owned()) {
            return;
        }
        let _ = writeln!(self.text, "- [{title}]({})", pages::place(path));
        let folder = path.trim_end_matches(".md");
        let is_below = |page: &&&SourceFile| {
            let parent = page.path.rsplit_once('/').map(|(folder, _)| folder);
            parent == Some(folder)
        };
        for page in self.found.iter().filter(is_below) {
            let title = self.title_of(&page.path);
            let _ = writeln!(self.text, "  - [{title}]({})", pages::place(&page.path));
            self.listed.insert(page.path.clone());
        }
    }

    /// The first heading of a page.
    fn title_of(&self, path: &str) -> String {
        let page = self.found.iter().find(|page| page.path == path);
        let mut lines = page.iter().flat_map(|page| page.text.lines());
        let title = lines.find_map(|line| line.strip_prefix("# "));
        title.unwrap_or(path).to_owned()
    }

    fn finished(self) -> Result<String> {
        let is_listed = |page: &&&SourceFile| self.listed.contains(&page.path);
        let missing: Vec<&str> = self
            .found
            .iter()
            .filter(|page| !is_listed(page))
            .map(|page| page.path.as_str())
            .collect();
        if !missing.is_empty() {
            bail!("no table of {INDEX} lists {}", missing.join(", "));
        }
        Ok(self.text)
    }
}

/// Titles and paths of the links in a row.
fn links_of(row: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = row;
    while let Some((before, after)) = rest.split_once("](") {
        let title = before.rsplit('[').next().unwrap_or(before);
        let link = after.split(')').next().unwrap_or(after);
        found.push((title.to_owned(), links::target(INDEX, link)));
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    const PAGES: &str = "# Documentation\n\nSee [terms](../GLOSSARY.md).\n\n## Guides\n\n\
                         | page | what |\n|---|---|\n\
                         | [Run](guides/run.md) | [a file](internals/layers.toml) |\n\n\
                         ## Reference\n\n\
                         | [heap](reference/analyses/heap.md), [files](reference/files.md) | costs |\n\
                         | [Differences](internals/differences.md) | all |\n";

    #[test]
    fn parts_and_pages_are_those_of_the_index() {
        let pages = [
            page(INDEX, PAGES),
            page("docs/guides/run.md", "# Run"),
            page("docs/internals/differences.md", "# Differences"),
            page("docs/internals/differences/memory.md", "# Memory"),
            page("docs/reference/analyses/heap.md", "# Heap"),
            page("docs/reference/files.md", "# Files"),
            page("GLOSSARY.md", "# Glossary"),
        ];
        let all: Vec<&SourceFile> = pages.iter().collect();
        let contents = of(&all).unwrap();
        let expected = "\n# Guides\n\n- [Run](docs/guides/run.md)\n\
                        \n# Reference\n\n- [heap](docs/reference/analyses/heap.md)\n\
                        - [files](docs/reference/files.md)\n\
                        - [Differences](docs/internals/differences.md)\n  \
                        - [Memory](docs/internals/differences/memory.md)\n\
                        \n# About\n\n- [Glossary](GLOSSARY.md)\n";
        assert!(contents.ends_with(expected), "{contents}");
        let lost = page("docs/guides/capture.md", "# Capture");
        let all: Vec<&SourceFile> = pages.iter().chain([&lost]).collect();
        assert!(
            of(&all)
                .unwrap_err()
                .to_string()
                .contains("guides/capture.md")
        );
    }
}
