//! Circles of files: files that use each other, directly or through others.

use std::collections::{BTreeMap, BTreeSet};

use crate::modules::Uses;

/// The groups of files in which each one leads to every other, the largest first.
pub(crate) fn circles(uses: &Uses) -> Vec<Vec<String>> {
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
    search.found.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    search.found
}

/// A shortest way from a file of a circle back to itself, within the circle.
pub(crate) fn way_round(uses: &Uses, circle: &[String]) -> Vec<String> {
    let members: BTreeSet<&String> = circle.iter().collect();
    let ways = circle.iter().filter_map(|start| {
        let mut came_from: BTreeMap<&String, &String> = BTreeMap::new();
        let mut queue = std::collections::VecDeque::from([start]);
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
                self.found.push(circle.into_iter().map(str::to_owned).collect());
            }
        }
        low
    }
}
