//! Pages as the site has them: at a place of their own, with links that lead there.

use std::path::Path;

use crate::links;
use crate::tree::SourceFile;

/// Pages of the root, in the order of the table of contents.
pub(super) const OF_THE_ROOT: [&str; 7] = [
    "README.md",
    "GLOSSARY.md",
    "SECURITY.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "STYLE.md",
    "CHANGELOG.md",
];

/// Where files that are no pages are looked at.
pub(super) const REPOSITORY: &str = "https://github.com/stepscope/stepscope";

/// The path of a page in the site's sources. mdBook calls the front page of a folder `index`.
pub(super) fn place(path: &str) -> String {
    match path.strip_suffix("README.md") {
        Some(folder) => format!("{folder}index.md"),
        None => path.to_owned(),
    }
}

/// A page with its links rewritten: to the places of other pages, and to the repository for files
/// that are no pages. Code stays as it is.
pub(super) fn for_the_site(page: &SourceFile, all: &[&SourceFile]) -> String {
    let mut text = String::with_capacity(page.text.len());
    let mut is_code = false;
    for line in page.text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            text.push_str(line);
            continue;
        }
        for (position, part) in line.split('`').enumerate() {
            if position > 0 {
                text.push('`');
            }
            // Every second part is code.
            if position % 2 == 0 {
                push_rewritten(part, page, all, &mut text);
            } else {
                text.push_str(part);
            }
        }
    }
    text
}

fn push_rewritten(part: &str, page: &SourceFile, all: &[&SourceFile], text: &mut String) {
    let mut rest = part;
    while let Some((before, after)) = rest.split_once("](") {
        text.push_str(before);
        text.push_str("](");
        let end = after.find([')', ' ']).unwrap_or(after.len());
        let (link, behind) = after.split_at(end);
        text.push_str(&rewritten(link, page, all));
        rest = behind;
    }
    text.push_str(rest);
}

fn rewritten(link: &str, page: &SourceFile, all: &[&SourceFile]) -> String {
    if link.contains("://") || link.starts_with(['#', '<']) || link.starts_with("mailto:") {
        return link.to_owned();
    }
    let (path, anchor) = match link.find('#') {
        Some(at) => link.split_at(at),
        None => (link, ""),
    };
    let target = links::target(&page.path, path);
    if all.iter().any(|page| page.path == target) {
        return format!("{}{anchor}", place(path));
    }
    if target.starts_with("docs/images/") {
        return link.to_owned();
    }
    let is_file = Path::new(&target).extension().is_some();
    let kind = if is_file { "blob" } else { "tree" };
    let version = env!("CARGO_PKG_VERSION");
    format!("{REPOSITORY}/{kind}/v{version}/{target}{anchor}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_or_to_the_repository() {
        let page = |path: &str, text: &str| SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let pages = [
            page(
                "docs/guides/run.md",
                "[up](../README.md#guides), ![p](../images/a.webp), [law](../../deny.toml), \
                 [code](../../crates), [here](#top), [far](https://a.b/c.md), `[x](../README.md)`\n\
                 ```\n[y](../README.md)\n```\n[z](../README.md)\n",
            ),
            page("docs/README.md", ""),
        ];
        let all: Vec<&SourceFile> = pages.iter().collect();
        let at = concat!("v", env!("CARGO_PKG_VERSION"));
        assert_eq!(
            for_the_site(&pages[0], &all),
            format!(
                "[up](../index.md#guides), ![p](../images/a.webp), \
                 [law]({REPOSITORY}/blob/{at}/deny.toml), [code]({REPOSITORY}/tree/{at}/crates), \
                 [here](#top), [far](https://a.b/c.md), `[x](../README.md)`\n\
                 ```\n[y](../README.md)\n```\n[z](../index.md)\n"
            )
        );
        assert_eq!(place("README.md"), "index.md");
    }
}
