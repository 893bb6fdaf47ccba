//! What the programs are made of: crates that are linked into them, and packages of the page.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, NodeDep, PackageId};
use serde_json::Value;

use super::target::Target;

/// The crates of the programs; everything else is found from them.
pub(super) const PROGRAMS: &[&str] = &["stepscope-cli", "stepscope-sql", "stepscope-fleet"];
/// The crate of the wheel.
pub(super) const WHEEL: &[&str] = &["stepscope-python"];

/// One crate or package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Component {
    pub(super) name: String,
    pub(super) version: String,
    /// An SPDX expression.
    pub(super) license: String,
    /// Its package URL, which is its name everywhere in the bill.
    pub(super) purl: String,
    /// SHA-256 of what the registry hands out, in hexadecimal; npm has other digests.
    pub(super) sha256: Option<String>,
    /// Package URLs of what it uses.
    pub(super) uses: BTreeSet<String>,
    /// Where its license texts are.
    pub(super) folder: PathBuf,
    pub(super) is_ours: bool,
}

/// All components of what is made from these crates, sorted by package URL.
pub(super) fn of(root: &Path, target: &Target, roots: &[&str]) -> Result<Vec<Component>> {
    let metadata = MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .other_options(vec![
            "--locked".to_owned(),
            "--filter-platform".to_owned(),
            target.triple.clone(),
        ])
        .exec()
        .context("cannot ask cargo for the dependencies")?;
    let lock = fs::read_to_string(root.join("Cargo.lock")).context("Cargo.lock")?;
    let mut all = crates(&metadata, roots, &checksums(&lock)?)?;
    let lock = fs::read_to_string(root.join("ui/package-lock.json"));
    all.extend(packages(
        &root.join("ui"),
        &lock.context("package-lock.json")?,
    )?);
    all.sort_by(|left, right| left.purl.cmp(&right.purl));
    Ok(all)
}

/// Checksums by name and version.
type Checksums = BTreeMap<(String, String), String>;

fn checksums(lock: &str) -> Result<Checksums> {
    let lock: toml::Table = lock.parse().context("Cargo.lock is no TOML")?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let entry = |package: &toml::Value| {
        let text = |key: &str| Some(package.get(key)?.as_str()?.to_owned());
        Some(((text("name")?, text("version")?), text("checksum")?))
    };
    let packages = packages.context("Cargo.lock has no packages")?;
    Ok(packages.iter().filter_map(entry).collect())
}

/// The crates that are linked into the programs, also through macros; not those of tests and builds.
fn crates(metadata: &Metadata, roots: &[&str], checksums: &Checksums) -> Result<Vec<Component>> {
    let resolve = metadata.resolve.as_ref().context("no dependencies")?;
    let nodes: BTreeMap<&PackageId, _> =
        resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let is_linked = |dependency: &&NodeDep| {
        let mut kinds = dependency.dep_kinds.iter();
        kinds.any(|kind| kind.kind == DependencyKind::Normal)
    };
    let mut next: Vec<&PackageId> = metadata
        .packages
        .iter()
        .filter(|package| roots.contains(&package.name.as_str()))
        .map(|package| &package.id)
        .collect();
    let mut found = BTreeMap::new();
    while let Some(id) = next.pop() {
        let node = nodes.get(id).context("a crate without a place")?;
        let linked = node.deps.iter().filter(is_linked);
        let linked: Vec<&PackageId> = linked.map(|dependency| &dependency.pkg).collect();
        if found.insert(id, linked.clone()).is_none() {
            next.extend(linked);
        }
    }
    let purl = |id: &PackageId| {
        let package = &metadata[id];
        format!("pkg:cargo/{}@{}", package.name, package.version)
    };
    let component = |(id, linked): (&&PackageId, &Vec<&PackageId>)| {
        let package = &metadata[*id];
        let (name, version) = (package.name.to_string(), package.version.to_string());
        let license = package.license.as_deref().unwrap_or("NOASSERTION");
        let folder = package.manifest_path.parent();
        Component {
            sha256: checksums.get(&(name.clone(), version.clone())).cloned(),
            // Crates from before SPDX expressions were required separate licenses with a slash.
            license: license
                .replace('/', " OR ")
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
            purl: purl(id),
            uses: linked.iter().map(|id| purl(id)).collect(),
            folder: folder
                .map(|folder| folder.as_std_path().to_path_buf())
                .unwrap_or_default(),
            is_ours: package.source.is_none(),
            name,
            version,
        }
    };
    Ok(found.iter().map(component).collect())
}

/// The packages whose code is in the page.
fn packages(ui: &Path, lock: &str) -> Result<Vec<Component>> {
    let lock: Value = serde_json::from_str(lock).context("package-lock.json")?;
    let packages = lock["packages"].as_object().context("package-lock.json")?;
    let is_shipped = |path: &str, package: &Value| !path.is_empty() && package["dev"] != true;
    let purl = |path: &str, package: &Value| {
        let name = path.rsplit("node_modules/").next().unwrap_or(path);
        let version = package["version"].as_str().unwrap_or_default();
        // The `@` of a scope is written as `%40` in package URLs.
        (
            name.to_owned(),
            version.to_owned(),
            format!("pkg:npm/{}@{version}", name.replace('@', "%40")),
        )
    };
    let mut found = Vec::new();
    for (path, package) in packages {
        if !is_shipped(path, package) {
            continue;
        }
        let (name, version, own) = purl(path, package);
        let wanted = package["dependencies"].as_object();
        let uses = wanted.into_iter().flatten().filter_map(|(wanted, _)| {
            // Packages lie beside or below the one that uses them.
            let places = [
                format!("{path}/node_modules/{wanted}"),
                format!("node_modules/{wanted}"),
            ];
            let place = places.iter().find(|place| packages.contains_key(*place))?;
            Some(purl(place, &packages[place]).2)
        });
        found.push(Component {
            license: package["license"]
                .as_str()
                .unwrap_or("NOASSERTION")
                .to_owned(),
            purl: own,
            sha256: None,
            uses: uses.collect(),
            folder: ui.join(path),
            is_ours: false,
            name,
            version,
        });
    }
    Ok(found)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A component with a license and what it uses.
    pub(in crate::dist) fn component(name: &str, license: &str, uses: &[&str]) -> Component {
        Component {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: license.to_owned(),
            purl: format!("pkg:cargo/{name}@1.0.0"),
            sha256: Some("00".repeat(32)),
            uses: uses
                .iter()
                .map(|name| format!("pkg:cargo/{name}@1.0.0"))
                .collect(),
            folder: PathBuf::new(),
            is_ours: false,
        }
    }

    #[test]
    fn linked_crates_are_found_and_those_of_tests_are_not() {
        let target = Target::named("x86_64-unknown-linux-musl");
        let all = of(&crate::tree::root(), &target, PROGRAMS).unwrap();
        let find = |name: &str| all.iter().find(|component| component.name == name);
        let model = find("stepscope-model").expect("our own crates");
        assert!(model.is_ours && model.sha256.is_none());
        let datafusion = find("datafusion").expect("the engine of queries");
        assert!(datafusion.sha256.is_some());
        assert!(find("insta").is_none() && find("stepscope-testing").is_none());
        assert!(find("windows-sys").is_none(), "of another target");
        let known: BTreeSet<&str> = all
            .iter()
            .map(|component| component.purl.as_str())
            .collect();
        assert_eq!(known.len(), all.len(), "everything once");
        let mut used = all.iter().flat_map(|component| &component.uses);
        assert!(used.all(|purl| known.contains(purl.as_str())));
        let of_wheel = of(&crate::tree::root(), &target, WHEEL).unwrap();
        let has = |name: &str| of_wheel.iter().any(|component| component.name == name);
        assert!(
            has("pyo3") && !has("datafusion"),
            "queries are another program"
        );
        assert!(has("solid-js"), "the page is in the wheel, too");
    }

    #[test]
    fn packages_of_the_page_are_found_and_its_tools_are_not() {
        let lock = r#"{"packages": {
            "": {},
            "node_modules/@a/b": {"version": "2.0.0", "license": "MIT", "dependencies": {"c": "1"}},
            "node_modules/c": {"version": "1.1.0", "license": "ISC"},
            "node_modules/d": {"version": "1.0.0", "license": "MIT", "dev": true}
        }}"#;
        let found = packages(Path::new("ui"), lock).unwrap();
        let purls: Vec<&str> = found.iter().map(|package| package.purl.as_str()).collect();
        assert_eq!(purls, ["pkg:npm/%40a/b@2.0.0", "pkg:npm/c@1.1.0"]);
        assert!(found[0].uses.contains("pkg:npm/c@1.1.0"));
    }
}
