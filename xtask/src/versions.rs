//! The JAX versions that the documentation lists as tested, from the pinned requirements.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The page with the passage.
const PAGE: &str = "docs/guides/capture.md";
const BEGIN: &str = "<!-- The versions that are tested, by `cargo xtask codegen`. -->\n";
const END: &str = "<!-- End of the versions. -->\n";
/// Requirements of the environments in which captures are tested, in order of jax.
const REQUIREMENTS: [&str; 3] = [
    "python/tests/requirements-oldest.txt",
    "python/tests/requirements.txt",
    "python/tests/requirements-newest.txt",
];

/// Writes the passage to the page.
pub(crate) fn write(root: &Path) -> Result<()> {
    let path = root.join(PAGE);
    fs::write(&path, fresh(root)?).with_context(|| format!("cannot write {PAGE}"))
}

/// What is wrong with the passage on the page, if anything.
pub(crate) fn violations(root: &Path) -> Result<Vec<String>> {
    let is_fresh = fs::read_to_string(root.join(PAGE))? == fresh(root)?;
    let stale =
        format!("{PAGE} names other versions of JAX than are tested; run `cargo xtask codegen`");
    Ok(if is_fresh { Vec::new() } else { vec![stale] })
}

/// The page with the current passage.
fn fresh(root: &Path) -> Result<String> {
    let page =
        fs::read_to_string(root.join(PAGE)).with_context(|| format!("cannot read {PAGE}"))?;
    let mut versions = Vec::new();
    for name in REQUIREMENTS {
        let text =
            fs::read_to_string(root.join(name)).with_context(|| format!("cannot read {name}"))?;
        versions.push(version_of_jax(&text).with_context(|| format!("{name} pins no jax"))?);
    }
    replace(&page, &passage(&versions))
}

/// The version pinned by `jax==` or `jax[extra]==`.
fn version_of_jax(requirements: &str) -> Option<String> {
    requirements.lines().find_map(|line| {
        let (name, version) = line.split_once("==")?;
        let name = name.split('[').next()?.trim();
        (name == "jax").then(|| version.trim().to_owned())
    })
}

fn passage(versions: &[String]) -> String {
    match versions {
        [all @ .., last] if !all.is_empty() => {
            format!(
                "Captures are tested with JAX {} and {last}.\n",
                all.join(", ")
            )
        }
        _ => format!("Captures are tested with JAX {}.\n", versions.concat()),
    }
}

/// `page` with the text between the two marks replaced.
fn replace(page: &str, passage: &str) -> Result<String> {
    let Some((before, rest)) = page.split_once(BEGIN) else {
        bail!("{PAGE} has no line {BEGIN:?}");
    };
    let Some((_, after)) = rest.split_once(END) else {
        bail!("{PAGE} has no line {END:?}");
    };
    Ok(format!("{before}{BEGIN}{passage}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_passage_names_what_is_pinned() {
        let pinned = ["jaxlib==0.1\njax==0.4.13\n", "# jax\njax[cpu]==0.12.0.1"];
        let versions = pinned.map(|text| version_of_jax(text).unwrap());
        assert_eq!(
            passage(&versions),
            "Captures are tested with JAX 0.4.13 and 0.12.0.1.\n"
        );
        assert_eq!(version_of_jax("numpy==1.26.4\n"), None);
    }

    #[test]
    fn the_rest_of_the_page_stays() {
        let page = format!("before\n{BEGIN}old\n{END}after\n");
        let written = replace(&page, "new\n").unwrap();
        assert_eq!(written, format!("before\n{BEGIN}new\n{END}after\n"));
        assert_eq!(replace(&written, "new\n").unwrap(), written);
        assert!(replace("no marks", "new\n").is_err());
    }

    #[test]
    fn the_page_is_fresh() {
        let root = crate::tree::root();
        assert_eq!(violations(&root).unwrap(), Vec::<String>::new());
    }
}
