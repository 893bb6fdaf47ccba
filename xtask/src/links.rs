//! Links in our documents lead somewhere: to a file that is there and, after `#`, to one of its
//! headings. Paths below `docs/` that code names exist, and the index lists every page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use crate::tree::SourceFile;

/// The page from which every other page of the documentation is reached.
const INDEX: &str = "docs/README.md";

/// Extensions of the files below `docs/` that code may name.
const NAMED: [&str; 3] = [".md", ".webp", ".toml"];

/// One sentence for each link that leads nowhere and each page that the index lacks.
pub(crate) fn violations(root: &Path, files: &[SourceFile]) -> Vec<String> {
    let exists = |path: &str| root.join(path).exists();
    broken(files, &exists)
}

fn broken(files: &[SourceFile], exists: &impl Fn(&str) -> bool) -> Vec<String> {
    let (pages, others): (Vec<_>, Vec<_>) =
        files.iter().partition(|file| file.has_extension(&["md"]));
    let anchors: BTreeMap<&str, BTreeSet<String>> = pages
        .iter()
        .map(|page| (page.path.as_str(), anchors(&page.text)))
        .collect();
    let mut found = Vec::new();
    for page in &pages {
        for (number, link) in links(&page.text) {
            if let Some(fault) = fault(&page.path, &link, &anchors, exists) {
                found.push(format!("{}:{number} links to {link}: {fault}", page.path));
            }
        }
    }
    for file in others {
        for (number, path) in named_documents(&file.text) {
            if !exists(&path) {
                found.push(format!("{}:{number} names {path}: no such file", file.path));
            }
        }
    }
    found.extend(unlisted(&pages));
    found
}

/// What is wrong with a link, if anything.
fn fault(
    from: &str,
    link: &str,
    anchors: &BTreeMap<&str, BTreeSet<String>>,
    exists: &impl Fn(&str) -> bool,
) -> Option<&'static str> {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = target(from, path);
    if !exists(&target) {
        return Some("no such file");
    }
    let headings = anchors.get(target.as_str());
    let is_there = anchor.is_empty() || headings.is_none_or(|known| known.contains(anchor));
    (!is_there).then_some("no such heading")
}

/// The file that a relative link of a page means, as a path from the root.
pub(crate) fn target(from: &str, link: &str) -> String {
    if link.is_empty() {
        return from.to_owned();
    }
    let folder = Path::new(from).parent().unwrap_or(Path::new(""));
    let mut parts = Vec::new();
    for part in folder.join(link).components() {
        match part {
            Component::ParentDir => _ = parts.pop(),
            Component::CurDir => {}
            part => parts.push(part.as_os_str().to_string_lossy().into_owned()),
        }
    }
    parts.join("/")
}

/// Pages of the documentation that the index does not link to, other than those of a subject that
/// the index lists as one.
fn unlisted(pages: &[&SourceFile]) -> Vec<String> {
    let Some(index) = pages.iter().find(|page| page.path == INDEX) else {
        return Vec::new();
    };
    let links = links(&index.text).into_iter();
    let mut listed: BTreeSet<String> = links.map(|(_, link)| target(INDEX, &link)).collect();
    listed.insert(INDEX.to_owned());
    let mentions = |page: &&&SourceFile| {
        let subject = page.path.rsplit_once('/').map(|(folder, _)| folder);
        listed.contains(&page.path)
            || subject.is_some_and(|at| listed.contains(&format!("{at}.md")))
    };
    pages
        .iter()
        .filter(|page| page.path.starts_with("docs/") && !mentions(page))
        .map(|page| format!("{INDEX} does not list {}", page.path))
        .collect()
}

/// Links to files of the repository, each with its line. Code and links to elsewhere are left out.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let outside_code: String = line.split('`').step_by(2).collect();
        for rest in outside_code.split("](").skip(1) {
            let link = rest.split([')', ' ']).next().unwrap_or(rest);
            if !link.contains("://") && !link.starts_with("mailto:") {
                found.push((number, link.to_owned()));
            }
        }
    }
    found
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().to_lowercase();
        let kept = kept
            .chars()
            .filter(|at| at.is_alphanumeric() || "-_ ".contains(*at));
        let anchor = kept.collect::<String>().replace(' ', "-");
        let repeated = (1..).map(|count| format!("{anchor}-{count}"));
        let mut names = std::iter::once(anchor.clone()).chain(repeated);
        found.extend(names.find(|name| !found.contains(name)));
    }
    found
}

/// The lines of a page that stand outside fenced code, counted from one.
pub(crate) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    let numbered = text.lines().enumerate();
    numbered.filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((index + 1, line))
    })
}

/// Files below `docs/` that program text names, each with its line.
fn named_documents(text: &str) -> Vec<(usize, String)> {
    let in_path = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for (at, _) in line.match_indices("docs/") {
            let starts = !line[..at].chars().next_back().is_some_and(in_path);
            let path = line[at..].split(|letter| !in_path(letter)).next();
            let path = path.unwrap_or("").trim_end_matches('.');
            if starts && NAMED.iter().any(|extension| path.ends_with(extension)) {
                found.push((index + 1, path.to_owned()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    fn found(files: &[SourceFile]) -> Vec<String> {
        broken(files, &|path| files.iter().any(|file| file.path == path))
    }

    #[test]
    fn a_link_needs_its_file_and_its_heading() {
        let page = "# Two words, `code`\n# Same\n# Same\n[a](b/c.md) [b](b/c.md#the-end) \
                    [c](#two-words-code) [d](#same-1) [e](https://example.com/x)\n";
        let sound = [
            file("a.md", page),
            file("b/c.md", "[up](../a.md#same)\n## The end\n"),
        ];
        assert_eq!(found(&sound), [""; 0]);

        let page = "one\n[a](gone.md) [b](b/c.md#gone) [c](#same-2)\n# Same\n# Same\n";
        let astray = [file("a.md", page), file("b/c.md", "[up](a.md)")];
        assert_eq!(
            found(&astray),
            [
                "a.md:2 links to gone.md: no such file",
                "a.md:2 links to b/c.md#gone: no such heading",
                "a.md:2 links to #same-2: no such heading",
                "b/c.md:1 links to a.md: no such file",
            ]
        );
    }

    #[test]
    fn code_holds_no_links_and_no_headings() {
        let page = "`[a](gone.md)`\n```python\n# heading\nx[0](gone)\n```\n[b](#heading)\n";
        assert_eq!(
            found(&[file("a.md", page)]),
            ["a.md:6 links to #heading: no such heading"]
        );
    }

    #[test]
    fn documents_that_code_names_exist() {
        // In two halves, so that this file names none that is missing.
        let code = "//! See `DOCS/guides/a.md`.\n//! https://example.com/DOCS/gone.md\n\
                    //! DOCS/gone.md, DOCS/<name>.md, myDOCS/gone.md, DOCS/folder\n";
        let code = code.replace("DOCS", "docs");
        let there = format!("docs/{}", "guides/a.md");
        let files = [file("a.rs", &code), file(&there, "")];
        let expected = format!("a.rs:3 names docs/{}: no such file", "gone.md");
        assert_eq!(found(&files), [expected]);
    }

    #[test]
    fn the_index_lists_every_page_or_its_subject() {
        let page = |name: &str| file(&format!("docs/{name}"), "");
        let files = [
            file(INDEX, "[one](guides/one.md) [two](two.md)"),
            page("guides/one.md"),
            page("two.md"),
            page("two/part.md"),
            page("guides/three.md"),
            file("python/README.md", ""),
        ];
        let expected = format!("{INDEX} does not list docs/{}", "guides/three.md");
        assert_eq!(found(&files), [expected]);
    }
}
