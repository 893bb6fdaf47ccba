//! Ops that serve several paths: where they stand, and how that is shown.

use super::{Pass, Path, majority, paths};

/// A name stack, with all the paths it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged<'a> {
    /// The nearest scope that all paths lie in; of a single path, all of it.
    pub common: Vec<&'a str>,
    /// The paths in the order they are written, one for each op that was merged.
    pub paths: Vec<Path<'a>>,
}

impl Merged<'_> {
    /// The op serves several places: its paths differ in more than their pass.
    pub fn is_combined(&self) -> bool {
        let first = self.paths.first();
        self.paths
            .iter()
            .any(|path| first.is_some_and(|first| first.components != path.components))
    }

    /// The pass of most paths; of equally many, the first path's.
    pub fn pass(&self) -> Pass {
        majority(&self.paths)
    }

    /// `combined: 19 paths`, the component that stands for all that differs; none for one place.
    pub fn label(&self) -> Option<String> {
        self.is_combined()
            .then(|| format!("combined: {} paths", self.paths.len()))
    }

    /// The paths with their passes, as people read them: `jit(step)/layer_0/attn/dot_general`.
    pub fn lines(&self) -> Vec<String> {
        let lines = self.paths.iter();
        lines.map(|path| path.components.join("/")).collect()
    }
}

/// Reads a name stack.
pub fn merged(name_stack: &str) -> Merged<'_> {
    let paths = paths(name_stack);
    let mut common = paths
        .first()
        .map(|path| path.components.clone())
        .unwrap_or_default();
    for path in &paths {
        let shared = common
            .iter()
            .zip(&path.components)
            .take_while(|(a, b)| a == b);
        common.truncate(shared.count());
    }
    Merged { common, paths }
}

/// The paths of a name stack that serves several, one for each op that was merged; else none.
pub fn combined_paths(name_stack: &str) -> Vec<String> {
    let merged = merged(name_stack);
    if merged.is_combined() {
        merged.lines()
    } else {
        Vec::new()
    }
}

/// A name stack for people: as it is written, but one that serves several paths by what they have in
/// common and their number.
pub fn shown(name_stack: &str) -> String {
    if !name_stack.contains([':', ';']) {
        return name_stack.to_owned();
    }
    let merged = merged(name_stack);
    match merged.label() {
        Some(label) if merged.common.is_empty() => format!("({label})"),
        Some(label) => format!("{}/({label})", merged.common.join("/")),
        None if name_stack.contains(';') => first(name_stack).to_owned(),
        None => name_stack.to_owned(),
    }
}

/// The first of the paths that XLA joined, transformations and all.
fn first(name_stack: &str) -> &str {
    super::split(name_stack, b';')
        .first()
        .copied()
        .unwrap_or_default()
}
