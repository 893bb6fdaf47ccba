//! Which file of a crate uses which other one, as its paths say.
//!
//! A path counts as a use of the file that defines what it names: re-exports are followed, so that
//! a `mod.rs` that only passes names on does not seem to be used. Code for tests is left out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

mod paths;
mod resolve;

use paths::Mentions;

/// The files of a crate, and for each the files that it uses.
pub(crate) type Uses = BTreeMap<String, BTreeSet<String>>;

/// One module of a crate: a file, or a block within one.
struct Module {
    /// Path of the file from the crate's `src`.
    file: String,
    parent: Option<usize>,
    children: HashMap<String, usize>,
    mentions: Mentions,
}

/// The modules of a crate, the root first; a parent stands before its children.
#[derive(Default)]
struct Modules {
    all: Vec<Module>,
}

/// The uses between the files below a crate's `src`, from the root file down.
pub(crate) fn uses(src: &Path) -> Result<Uses> {
    let mut modules = Modules::default();
    let root = ["lib.rs", "main.rs"]
        .into_iter()
        .find(|name| src.join(name).exists());
    let root = root.with_context(|| format!("{} has no lib.rs or main.rs", src.display()))?;
    modules.read_file(src, Path::new(root), Path::new(""), None)?;
    let mut uses = Uses::new();
    for (number, module) in modules.all.iter().enumerate() {
        let targets = uses.entry(module.file.clone()).or_default();
        for target in modules.targets(number) {
            if modules.all[target].file != module.file {
                targets.insert(modules.all[target].file.clone());
            }
        }
    }
    Ok(uses)
}

impl Modules {
    /// Reads one file and those of its submodules.
    ///
    /// `folder` is where its submodules lie, from `src`.
    fn read_file(
        &mut self,
        src: &Path,
        file: &Path,
        folder: &Path,
        parent: Option<usize>,
    ) -> Result<usize> {
        let path = src.join(file);
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let parsed =
            syn::parse_file(&text).with_context(|| format!("cannot parse {}", path.display()))?;
        self.add(src, file, folder, parent, &parsed.items)
    }

    fn add(
        &mut self,
        src: &Path,
        file: &Path,
        folder: &Path,
        parent: Option<usize>,
        items: &[syn::Item],
    ) -> Result<usize> {
        let number = self.all.len();
        self.all.push(Module {
            file: file.to_string_lossy().replace('\\', "/"),
            parent,
            children: HashMap::new(),
            mentions: Mentions::of(items),
        });
        for item in items {
            let syn::Item::Mod(module) = item else {
                continue;
            };
            if paths::is_for_tests(&module.attrs) {
                continue;
            }
            let name = module.ident.to_string();
            let below = folder.join(&name);
            let child = if let Some((_, items)) = &module.content {
                self.add(src, file, &below, Some(number), items)?
            } else {
                let inner = file_of(src, file, folder, module);
                self.read_file(src, &inner, &below, Some(number))?
            };
            self.all[number].children.insert(name, child);
        }
        Ok(number)
    }
}

/// Where the file of a declared module lies, from `src`.
fn file_of(src: &Path, file: &Path, folder: &Path, module: &syn::ItemMod) -> PathBuf {
    if let Some(path) = paths::path_attribute(&module.attrs) {
        return file.parent().unwrap_or(Path::new("")).join(path);
    }
    let beside = folder.join(format!("{}.rs", module.ident));
    if src.join(&beside).exists() {
        beside
    } else {
        folder.join(module.ident.to_string()).join("mod.rs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes files and returns their uses, a line for each file.
    fn used(files: &[(&str, &str)]) -> Vec<String> {
        let src = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = src.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let uses = uses(src.path()).unwrap();
        let line = |(file, targets): (&String, &BTreeSet<String>)| {
            let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
            format!("{file}: {}", targets.join(" "))
        };
        uses.iter().map(line).collect()
    }

    #[test]
    fn paths_lead_to_the_file_that_defines_the_item() {
        let found = used(&[
            ("lib.rs", "mod a; mod b; pub use b::Thing;"),
            (
                "a.rs",
                "use crate::Thing; fn f() -> Thing { crate::b::make() }",
            ),
            ("b/mod.rs", "mod inner; pub use inner::{Thing, make};"),
            (
                "b/inner.rs",
                "pub struct Thing; pub fn make() -> Thing { Thing }",
            ),
        ]);
        assert_eq!(
            found,
            ["a.rs: b/inner.rs", "b/inner.rs: ", "b/mod.rs: ", "lib.rs: "]
        );
    }

    #[test]
    fn modules_macros_and_globs_are_followed() {
        let found = used(&[
            (
                "main.rs",
                "mod a; mod b; use b::*; fn main() { println!(\"{}\", a::N + M); }",
            ),
            ("a.rs", "pub const N: u8 = 1;"),
            (
                "b.rs",
                "pub const M: u8 = 1; use crate::a; fn f() { let _ = a::N; }",
            ),
        ]);
        assert_eq!(found, ["a.rs: ", "b.rs: a.rs", "main.rs: a.rs b.rs"]);
    }

    #[test]
    fn tests_do_not_count() {
        let found = used(&[
            ("lib.rs", "mod a; pub struct S;"),
            (
                "a.rs",
                "#[cfg(test)] mod tests { use crate::S; } #[cfg(test)] fn f(_: crate::S) {}",
            ),
        ]);
        assert_eq!(found, ["a.rs: ", "lib.rs: "]);
    }
}
