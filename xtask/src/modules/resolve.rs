//! From paths to the modules that define what they name.

use super::{Modules, paths::Import};

/// Re-exports of re-exports that are followed; more is a circle of them.
const HOPS_MAX: u8 = 16;

/// What a path leads to.
enum Target {
    Module(usize),
    /// An item, with the module that defines it.
    Item(usize),
}

impl Modules {
    /// The modules that define what a module's paths and imports name.
    pub(super) fn targets(&self, module: usize) -> Vec<usize> {
        let mentions = &self.all[module].mentions;
        let imported = mentions.imports.iter().filter(|import| !import.is_public);
        let imported = imported.map(|import| import.path.as_slice());
        let paths = mentions.paths.iter().map(Vec::as_slice);
        let items = imported.chain(paths).filter_map(|path| {
            match self.resolve(module, path, HOPS_MAX)? {
                Target::Item(target) => Some(target),
                // A module's name alone uses nothing of it.
                Target::Module(_) => None,
            }
        });
        items.collect()
    }

    fn resolve(&self, from: usize, path: &[String], hops: u8) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(from),
            "super" => Target::Module(self.all[from].parent?),
            name => self.lookup(from, name, hops)?,
        };
        while let (Target::Module(module), Some((name, tail))) = (&at, rest.split_first()) {
            at = match name.as_str() {
                "super" => Target::Module(self.all[*module].parent?),
                name => self.lookup(*module, name, hops)?,
            };
            rest = tail;
        }
        Some(at)
    }

    /// A name in the scope of a module: a submodule, an item, or what a `use` brought in.
    fn lookup(&self, module: usize, name: &str, hops: u8) -> Option<Target> {
        let here = &self.all[module];
        if let Some(child) = here.children.get(name) {
            return Some(Target::Module(*child));
        }
        if here.mentions.defined.contains(name) {
            return Some(Target::Item(module));
        }
        let hops = hops.checked_sub(1)?;
        let import = |import: &&Import| import.name.as_deref() == Some(name);
        if let Some(import) = here.mentions.imports.iter().find(import) {
            return self.resolve(module, &import.path, hops);
        }
        let globs = here
            .mentions
            .imports
            .iter()
            .filter(|import| import.name.is_none());
        globs
            .into_iter()
            .find_map(|glob| match self.resolve(module, &glob.path, hops)? {
                Target::Module(target) => self.lookup(target, name, hops),
                Target::Item(_) => None,
            })
    }
}
