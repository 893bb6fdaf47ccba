//! The layering test: every dependency between crates must be an arrow that
//! `docs/internals/layers.toml` allows.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, MetadataCommand};
use serde::Deserialize;

use crate::unsafe_code::Counted;

/// The content of `docs/internals/layers.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layers {
    tests_may_use: Vec<String>,
    pub(crate) crates: BTreeMap<String, Layer>,
    /// Path to the reason why the file is long.
    pub(crate) long_files: BTreeMap<String, String>,
    /// A circle of files, as the check prints it, to the reason why it is accepted.
    #[serde(default)]
    pub(crate) circles: BTreeMap<String, String>,
    /// Path to how often `unsafe` stands in the file, and why.
    #[serde(default)]
    pub(crate) unsafe_code: BTreeMap<String, Counted>,
}

/// What one crate may use.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layer {
    may_use: Vec<String>,
    #[serde(default)]
    tests_may_use: Vec<String>,
    #[serde(default)]
    never: Vec<String>,
    #[serde(default)]
    pub(crate) no_io: bool,
    /// Folders and files of `src`, each of which uses only itself and those before it.
    #[serde(default)]
    layers: Vec<String>,
    why: String,
}

/// A crate of the workspace and what it depends on, as its manifest says.
#[derive(Debug, Clone)]
pub(crate) struct Package {
    name: String,
    /// Path of the crate's folder from the root of the repository.
    pub(crate) folder: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone)]
struct Dependency {
    name: String,
    /// Needed by the crate's own tests only.
    for_tests: bool,
}

impl Layers {
    /// Reads `docs/internals/layers.toml`.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let path = root.join("docs/internals/layers.toml");
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("cannot understand {}", path.display()))
    }

    /// The order of a crate's layers, where it has one.
    pub(crate) fn order_of(&self, package: &Package) -> Option<&[String]> {
        let layer = self.crates.get(&package.name)?;
        (!layer.layers.is_empty()).then_some(layer.layers.as_slice())
    }

    /// The folders of the crates that do no I/O.
    pub(crate) fn folders_without_io(&self, packages: &[Package]) -> Vec<String> {
        let pure = |package: &&Package| {
            self.crates
                .get(&package.name)
                .is_some_and(|layer| layer.no_io)
        };
        packages
            .iter()
            .filter(pure)
            .map(|package| format!("{}/", package.folder))
            .collect()
    }
}

/// The crates of the workspace, from `cargo metadata`.
pub(crate) fn packages(root: &Path) -> Result<Vec<Package>> {
    let metadata = MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("cannot read the workspace with `cargo metadata`")?;
    let packages = metadata.packages.iter().map(|package| {
        let folder = package
            .manifest_path
            .parent()
            .map_or("", |folder| folder.as_str());
        let folder = folder
            .strip_prefix(metadata.workspace_root.as_str())
            .unwrap_or(folder);
        let dependencies = package.dependencies.iter().map(|dependency| Dependency {
            name: dependency.name.clone(),
            for_tests: dependency.kind == DependencyKind::Development,
        });
        Package {
            name: package.name.to_string(),
            folder: folder.trim_start_matches('/').to_owned(),
            dependencies: dependencies.collect(),
        }
    });
    Ok(packages.collect())
}

/// Every broken rule as one sentence, in the order of the crates; empty when all is well.
pub(crate) fn violations(layers: &Layers, packages: &[Package]) -> Vec<String> {
    let mut found = Vec::new();
    for package in packages {
        match layers.crates.get(&package.name) {
            Some(layer) => check_package(layers, layer, package, packages, &mut found),
            None => found.push(format!(
                "{} has no table in docs/internals/layers.toml",
                package.name
            )),
        }
    }
    for name in layers.crates.keys() {
        if !packages.iter().any(|package| package.name == *name) {
            found.push(format!(
                "docs/internals/layers.toml speaks of {name}, which is not in the workspace"
            ));
        }
    }
    found
}

fn check_package(
    layers: &Layers,
    layer: &Layer,
    package: &Package,
    packages: &[Package],
    found: &mut Vec<String>,
) {
    for dependency in &package.dependencies {
        let name = &dependency.name;
        let is_ours = packages.iter().any(|other| other.name == *name);
        let is_itself = package.name == *name;
        let is_support = layers.tests_may_use.contains(name) && !is_itself;
        let may_test = is_support || layer.tests_may_use.contains(name);
        let may_use = layer.may_use.contains(name) || (dependency.for_tests && may_test);
        if is_ours && !may_use {
            found.push(format!(
                "{} may not use {name}; its role: {}",
                package.name, layer.why
            ));
        }
        // Tests may use what the code may not: they read files and check against other decoders.
        if layer.never.contains(name) && !dependency.for_tests {
            found.push(format!(
                "{} must never use {name}; its role: {}",
                package.name, layer.why
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    const LAYERS: &str = r#"
        tests_may_use = ["testing"]
        [crates.low]
        may_use = []
        never = ["tokio"]
        why = "the bottom"
        [crates.high]
        may_use = ["low"]
        tests_may_use = ["far"]
        why = "the top"
        [crates.far]
        may_use = []
        why = "beside it"
        [crates.testing]
        may_use = []
        why = "test support"
        [long_files]
    "#;

    /// Draws a workspace from lines of `crate: dependency, dependency?`, where `?` marks one of its tests.
    fn workspace(lines: &[&str]) -> Vec<Package> {
        let package = |line: &&str| {
            let (name, list) = line.split_once(':').unwrap();
            let names = list
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty());
            Package {
                name: name.to_owned(),
                folder: format!("crates/{name}"),
                dependencies: names
                    .map(|name| Dependency {
                        name: name.trim_end_matches('?').to_owned(),
                        for_tests: name.ends_with('?'),
                    })
                    .collect(),
            }
        };
        lines.iter().map(package).collect()
    }

    fn check(lines: &[&str], expected: &[&str]) {
        let layers: Layers = toml::from_str(LAYERS).unwrap();
        assert_eq!(violations(&layers, &workspace(lines)), expected);
    }

    #[test]
    fn allowed_arrows_pass() {
        check(
            &[
                "low: serde, testing?, tokio?",
                "high: low, tokio, testing?, far?",
                "far:",
                "testing: prost",
            ],
            &[],
        );
    }

    #[test]
    fn an_arrow_upwards_is_found() {
        check(
            &["low: high", "high: low", "far:", "testing:"],
            &["low may not use high; its role: the bottom"],
        );
        check(
            &["low: high?", "high:", "far:", "testing:"],
            &["low may not use high; its role: the bottom"],
        );
    }

    #[test]
    fn what_only_tests_may_use_stays_in_them() {
        check(
            &["low: far?", "high: far", "far:", "testing:"],
            &[
                "low may not use far; its role: the bottom",
                "high may not use far; its role: the top",
            ],
        );
    }

    #[test]
    fn test_support_stays_in_tests_and_out_of_itself() {
        check(
            &["low: testing", "high:", "far:", "testing: testing?, low?"],
            &[
                "low may not use testing; its role: the bottom",
                "testing may not use testing; its role: test support",
                "testing may not use low; its role: test support",
            ],
        );
    }

    #[test]
    fn a_banned_dependency_is_found() {
        check(
            &["low: tokio", "high:", "far:", "testing:"],
            &["low must never use tokio; its role: the bottom"],
        );
    }

    #[test]
    fn the_list_and_the_workspace_agree() {
        check(
            &["low:", "far:", "testing:", "middle:"],
            &[
                "middle has no table in docs/internals/layers.toml",
                "docs/internals/layers.toml speaks of high, which is not in the workspace",
            ],
        );
    }

    #[test]
    fn this_workspace_keeps_its_layers() {
        let root = tree::root();
        let found = violations(&Layers::read(&root).unwrap(), &packages(&root).unwrap());
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
