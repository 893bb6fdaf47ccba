//! Licenses and sources of everything the project depends on, held to `deny.toml`. Advisories need a
//! network: `cargo deny check` reads the same file.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use cargo_metadata::{Metadata, MetadataCommand, Package};
use serde::Deserialize;

use spdx::{Expression, Licensee, ParseMode};

/// The part of `deny.toml` that is checked here.
#[derive(Deserialize)]
struct Rules {
    licenses: Licenses,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

/// Every dependency that `deny.toml` does not allow; empty when all is well.
pub(crate) fn violations(root: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(root.join("deny.toml")).context("deny.toml")?;
    let allowed = allowed(&text)?;
    let metadata = MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .other_options(["--locked".to_owned()])
        .exec()?;
    let mut found = of_crates(&metadata, &allowed);
    let lock =
        fs::read_to_string(root.join("ui/package-lock.json")).context("package-lock.json")?;
    found.extend(of_page(&lock, &allowed)?);
    Ok(found)
}

fn allowed(deny: &str) -> Result<Vec<Licensee>> {
    let rules: Rules = toml::from_str(deny).context("deny.toml")?;
    let parse = |text: &String| {
        Licensee::parse(text).map_err(|error| anyhow!("deny.toml, {text}: {}", error.reason))
    };
    rules.licenses.allow.iter().map(parse).collect()
}

fn of_crates(metadata: &Metadata, allowed: &[Licensee]) -> Vec<String> {
    let mut found = Vec::new();
    for package in &metadata.packages {
        let name = format!("{} {}", package.name, package.version);
        if let Some(problem) = license_problem(package.license.as_deref(), allowed) {
            found.push(format!("{name}: {problem}"));
        }
        if is_from_elsewhere(package) {
            found.push(format!("{name}: it does not come from crates.io"));
        }
    }
    found
}

/// Whether it is neither of this workspace nor of crates.io.
fn is_from_elsewhere(package: &Package) -> bool {
    let source = package.source.as_ref();
    source.is_some_and(|source| !source.is_crates_io())
}

/// Packages whose code is in the page; tools for building and testing it are not shipped.
fn of_page(lock: &str, allowed: &[Licensee]) -> Result<Vec<String>> {
    let lock: serde_json::Value = serde_json::from_str(lock).context("package-lock.json")?;
    let packages = lock["packages"].as_object().context("package-lock.json")?;
    let mut found = Vec::new();
    for (path, package) in packages {
        let is_shipped = !path.is_empty() && package["dev"] != true;
        if let Some(problem) = license_problem(package["license"].as_str(), allowed)
            && is_shipped
        {
            found.push(format!("{path}: {problem}"));
        }
    }
    Ok(found)
}

fn license_problem(license: Option<&str>, allowed: &[Licensee]) -> Option<String> {
    let Some(text) = license else {
        return Some("it names no license".to_owned());
    };
    let Ok(expression) = Expression::parse_mode(text, ParseMode::LAX) else {
        return Some(format!("its license cannot be read: {text}"));
    };
    let is_allowed = expression.evaluate(|wanted| {
        let mut licensees = allowed.iter();
        licensees.any(|licensee| licensee.satisfies(wanted))
    });
    (!is_allowed).then(|| format!("deny.toml does not allow its license, {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_an_expression_counts() {
        let allowed = allowed("[licenses]\nallow = ['MIT', 'Apache-2.0 WITH LLVM-exception']");
        let allowed = allowed.expect("licenses");
        let is_fine = |text| license_problem(Some(text), &allowed).is_none();
        assert!(is_fine("MIT"));
        assert!(is_fine("GPL-3.0-only OR MIT"));
        assert!(is_fine("Unlicense/MIT"));
        assert!(is_fine("Apache-2.0 WITH LLVM-exception"));
        assert!(!is_fine("Apache-2.0"));
        assert!(!is_fine("MIT AND GPL-3.0-only"));
        assert!(!is_fine("my own"));
        assert!(license_problem(None, &allowed).is_some());
    }

    #[test]
    fn tools_of_the_page_are_not_shipped() {
        let allowed = allowed("[licenses]\nallow = ['MIT']").expect("licenses");
        let lock = r#"{"packages": {
            "": {},
            "node_modules/a": {"license": "MIT"},
            "node_modules/b": {"license": "GPL-3.0-only", "dev": true},
            "node_modules/c": {"license": "GPL-3.0-only"}
        }}"#;
        let found = of_page(lock, &allowed).expect("a lock file");
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("node_modules/c: "), "{found:?}");
    }
}
