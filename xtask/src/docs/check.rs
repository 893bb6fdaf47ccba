//! Follows the links of the finished site: each leads to a file of the site and, after `#`, to an
//! element there. Links to elsewhere are not followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use crate::links;
use crate::tree::{self, SourceFile};

/// One line for each link that leads nowhere.
pub(super) fn broken_links(site: &Path) -> Result<Vec<String>> {
    let files = tree::text_files(site)?;
    let exists = |path: &str| site.join(path).is_file();
    Ok(broken(&files, &exists))
}

fn broken(files: &[SourceFile], exists: &impl Fn(&str) -> bool) -> Vec<String> {
    let pages: Vec<&SourceFile> = files
        .iter()
        // A stranger's address leads to it, so its links are absolute.
        .filter(|file| file.has_extension(&["html"]) && file.path != "404.html")
        .collect();
    let elements: BTreeMap<&str, BTreeSet<&str>> = pages
        .iter()
        .map(|page| (page.path.as_str(), values(&page.text, "id").collect()))
        .collect();
    let mut found = Vec::new();
    for page in &pages {
        for link in values(&page.text, "href").chain(values(&page.text, "src")) {
            if link.contains(':') || link.is_empty() {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = links::target(&page.path, path);
            let there = elements.get(target.as_str());
            let has_anchor = there.is_none_or(|known| anchor.is_empty() || known.contains(anchor));
            if !exists(&target) || !has_anchor {
                found.push(format!("{} links to {link}", page.path));
            }
        }
    }
    found
}

/// The values of an attribute, as they stand in the text.
fn values<'a>(html: &'a str, attribute: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    let start = format!(" {attribute}=\"");
    let starts: Vec<usize> = html
        .match_indices(&start)
        .map(|(at, _)| at + start.len())
        .collect();
    starts
        .into_iter()
        .filter_map(|at| html.get(at..)?.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_missing_files_and_elements_are_found() {
        let page = |path: &str, text: &str| SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let files = [
            page(
                "a/index.html",
                "<a href=\"../b.html#known\"></a><a href=\"../b.html#lost\"></a>\
                 <img src=\"gone.webp\"><a href=\"https://a.b/\"></a><a href=\"#here\"></a>\
                 <p id=\"here\">",
            ),
            page("b.html", "<h1 id=\"known\">"),
        ];
        let exists = |path: &str| files.iter().any(|file| file.path == path);
        let found = broken(&files, &exists);
        assert_eq!(
            found,
            [
                "a/index.html links to ../b.html#lost",
                "a/index.html links to gone.webp"
            ]
        );
    }
}
