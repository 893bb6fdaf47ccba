//! The order of files within a crate: no circles, and no use of a layer above.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use anyhow::Result;

use crate::layers::{Layers, Package};
use crate::modules::{self, Uses};

/// Every circle of files that `docs/internals/layers.toml` does not accept, every accepted one that
/// is gone, and every use of a layer above.
pub(crate) fn violations(
    root: &Path,
    layers: &Layers,
    packages: &[Package],
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for package in packages {
        let src = root.join(&package.folder).join("src");
        if !src.exists() {
            continue;
        }
        let uses = modules::uses(&src)?;
        for circle in circles(&uses) {
            let way = way_round(&uses, &circle);
            let key = format!("{}/src/{}", package.folder, way.join(" "));
            if layers.circles.contains_key(&key) {
                seen.insert(key);
            } else {
                found.push(format!(
                    "{} files of {} use each other in a circle, such as {key}; move what they share \
                     into a file of its own",
                    circle.len(),
                    package.folder
                ));
            }
        }
        if let Some(order) = layers.order_of(package) {
            found.extend(uses_upward(&uses, order, &package.folder));
        }
    }
    let gone = layers.circles.keys().filter(|key| !seen.contains(*key));
    found.extend(gone.map(|key| {
        format!("docs/internals/layers.toml accepts a circle that does not exist: {key}")
    }));
    Ok(found)
}

/// Uses of a layer by one that stands before it. A layer is a folder of `src`, or a file there.
fn uses_upward(uses: &Uses, order: &[String], folder: &str) -> Vec<String> {
    let place = |file: &str| {
        let first = file.split('/').next().unwrap_or(file);
        let layer = first.strip_suffix(".rs").unwrap_or(first);
        order.iter().position(|known| known == layer)
    };
    let mut found = Vec::new();
    for (file, targets) in uses {
        let Some(own) = place(file) else {
            found.push(format!(
                "{folder}/src/{file} is in no layer of docs/internals/layers.toml"
            ));
            continue;
        };
        for target in targets.iter().filter(|target| place(target) > Some(own)) {
            found.push(format!(
                "{folder}/src/{file} may not use {target}, which is in a layer above it"
            ));
        }
    }
    found
}

/// The groups of files in which each one leads to every other, the largest first.
fn circles(uses: &Uses) -> Vec<Vec<String>> {
    let mut search = Search {
        uses,
        index: BTreeMap::new(),
        low: BTreeMap::new(),
        stack: Vec::new(),
        found: Vec::new(),
    };
    for file in uses.keys() {
        search.visit(file);
    }
    search
        .found
        .sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    search.found
}

/// A shortest way from a file of a circle back to itself, within the circle.
fn way_round(uses: &Uses, circle: &[String]) -> Vec<String> {
    let members: BTreeSet<&String> = circle.iter().collect();
    let ways = circle.iter().filter_map(|start| {
        let mut came_from: BTreeMap<&String, &String> = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(file) = queue.pop_front() {
            for next in uses.get(file)?.iter().filter(|next| members.contains(next)) {
                if next == start {
                    let mut way = vec![start.clone()];
                    let mut at = file;
                    while at != start {
                        way.insert(1, at.clone());
                        at = came_from.get(at)?;
                    }
                    return Some(way);
                }
                if !came_from.contains_key(next) {
                    came_from.insert(next, file);
                    queue.push_back(next);
                }
            }
        }
        None
    });
    ways.min_by_key(Vec::len).unwrap_or_default()
}

/// Tarjan's search for strongly connected components.
struct Search<'a> {
    uses: &'a Uses,
    index: BTreeMap<&'a str, usize>,
    low: BTreeMap<&'a str, usize>,
    stack: Vec<&'a str>,
    found: Vec<Vec<String>>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, file: &'a str) -> usize {
        if let Some(index) = self.index.get(file) {
            let is_open = self.stack.contains(&file);
            return if is_open { *index } else { usize::MAX };
        }
        let index = self.index.len();
        self.index.insert(file, index);
        self.stack.push(file);
        let uses = self.uses;
        let mut low = index;
        for next in uses.get(file).into_iter().flatten() {
            low = low.min(self.visit(next));
        }
        self.low.insert(file, low);
        if low == index {
            let start = self.stack.iter().position(|open| *open == file);
            let circle = self.stack.split_off(start.unwrap_or(0));
            if circle.len() > 1 {
                self.found
                    .push(circle.into_iter().map(str::to_owned).collect());
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{layers, tree};

    /// Draws uses from lines of `file: file file`.
    fn drawn(lines: &[&str]) -> Uses {
        let line = |line: &&str| {
            let (file, targets) = line.split_once(':').unwrap();
            let targets = targets.split_whitespace().map(str::to_owned);
            (file.to_owned(), targets.collect())
        };
        lines.iter().map(line).collect()
    }

    #[test]
    fn circles_are_found_whatever_their_length() {
        let uses = drawn(&["a: b c", "b: c", "c:", "d: e", "e: f", "f: d a"]);
        assert_eq!(circles(&uses).len(), 1);
        assert_eq!(way_round(&uses, &circles(&uses)[0]), ["d", "e", "f"]);
        let two = drawn(&["a: b", "b: a c", "c: d", "d: c"]);
        assert_eq!(circles(&two).len(), 2);
    }

    #[test]
    fn a_use_of_a_layer_above_is_found() {
        let order = ["low".to_owned(), "high".to_owned()];
        let uses = drawn(&[
            "low/a.rs: low/b.rs high/c.rs",
            "high/c.rs: low/b.rs",
            "low/b.rs:",
        ]);
        assert_eq!(
            uses_upward(&uses, &order, "crates/x"),
            ["crates/x/src/low/a.rs may not use high/c.rs, which is in a layer above it"]
        );
        let unknown = uses_upward(&drawn(&["new.rs:"]), &order, "crates/x");
        assert_eq!(unknown.len(), 1, "{unknown:?}");
    }

    #[test]
    fn files_of_this_workspace_stand_in_order() {
        let root = tree::root();
        let layers = Layers::read(&root).unwrap();
        let packages = layers::packages(&root).unwrap();
        let found = violations(&root, &layers, &packages).unwrap();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
