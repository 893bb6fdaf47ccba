//! The container image: the static programs and roots of trust, nothing else. `Containerfile` says
//! how; the build needs no network, because it starts from an empty image.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::release::Release;
use super::target::VERSION;
use super::{bill, components, licenses, programs};
use crate::process;

/// The builders that are tried, in order.
const BUILDERS: [Builder; 3] = [
    ("docker", &["buildx", "build"]),
    ("podman", &["build"]),
    ("buildah", &["build"]),
];

/// Where systems keep the certificates of those who vouch for web servers.
const ROOTS_OF_TRUST: [&str; 3] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
];

/// Builds the image of the target into one file, an OCI archive.
pub(super) fn build(release: &Release) -> Result<()> {
    if !release.target.is_static_linux() {
        bail!(
            "an image needs static programs: cargo xtask dist --target {}-unknown-linux-musl image",
            env::consts::ARCH
        );
    }
    let context = context(release)?;
    let out = release.file(&release.target.image());
    first_that_builds(|builder| {
        // What a builder that failed left there is no image.
        let _ = fs::remove_file(&out);
        if !works(builder.0) {
            bail!("it does not work here");
        }
        process::run(&mut command(builder, release, &out, &context)).map(drop)
    })
}

/// A program that builds images, and what comes before the arguments that all of them understand.
type Builder = (&'static str, &'static [&'static str]);

/// Builds with one builder after another until one succeeds: a client may have a daemon that cannot
/// write an image into a file, as that of Docker with its default driver.
fn first_that_builds(mut build: impl FnMut(&Builder) -> Result<()>) -> Result<()> {
    let mut failures = Vec::new();
    for builder in &BUILDERS {
        match build(builder) {
            Ok(()) => return Ok(()),
            Err(error) => failures.push(format!("{}: {error:#}", builder.0)),
        }
    }
    bail!("no builder of images works here:\n{}", failures.join("\n"))
}

fn command(&(program, before): &Builder, release: &Release, out: &Path, context: &Path) -> Command {
    let file = release.root.join("Containerfile");
    let mut command = process::program(program, before, &release.root);
    command.arg("--file").arg(&file);
    command.args([
        "--label",
        &format!("org.opencontainers.image.version={VERSION}"),
    ]);
    if program == "docker" {
        command.arg("--provenance=false");
        command.arg(format!("--output=type=oci,dest={}", out.display()));
    } else {
        command.args(["--tag", &format!("oci-archive:{}:{VERSION}", out.display())]);
    }
    command.arg(context);
    command
}

/// Whether a builder can be asked; a client without its daemon cannot.
fn works(program: &str) -> bool {
    process::succeeds(Command::new(program).arg("info"))
}

/// The folder that the image is made from.
fn context(release: &Release) -> Result<PathBuf> {
    let built = programs::built(release)?;
    let context = built.join("image");
    let _ = fs::remove_dir_all(&context);
    anyones(&context.join("folders/tmp")).context("cannot make the folder of the image")?;
    for name in programs::names() {
        copy(&built.join(name), &context.join(name))?;
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&release.root.join(name), &context.join(name))?;
    }
    let components = components::of(&release.root, &release.target, components::PROGRAMS)?;
    let write = |name: &str, text: String| {
        fs::write(context.join(name), text).with_context(|| format!("cannot write {name}"))
    };
    write("THIRD-PARTY-LICENSES.txt", licenses::text(&components))?;
    write(
        "stepscope.cdx.json",
        bill::text(&release.target, &components)?,
    )?;
    let roots = ROOTS_OF_TRUST
        .iter()
        .map(Path::new)
        .find(|path| path.is_file());
    let roots = roots.context("this machine has no roots of trust (package ca-certificates)")?;
    copy(roots, &context.join("ca-certificates.crt"))?;
    Ok(context)
}

/// Makes a folder that anyone may write to, and where nobody may remove what others wrote.
fn anyones(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o1777))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::target::Target;

    #[test]
    fn programs_that_need_a_system_go_into_no_image() {
        let release = Release {
            root: crate::tree::root(),
            target: Target::named("x86_64-unknown-linux-gnu"),
        };
        let error = build(&release).unwrap_err().to_string();
        assert!(error.contains("-unknown-linux-musl image"), "{error}");
    }

    #[test]
    fn a_builder_that_fails_is_followed_by_the_next() {
        let mut tried = Vec::new();
        let built = first_that_builds(|(program, _)| {
            tried.push(*program);
            match *program {
                "docker" => bail!("the driver cannot export"),
                _ => Ok(()),
            }
        });
        assert!(built.is_ok());
        assert_eq!(tried, ["docker", "podman"]);
        let error = first_that_builds(|(program, _)| bail!("no {program}"));
        let error = error.unwrap_err().to_string();
        for (program, _) in BUILDERS {
            assert!(
                error.contains(&format!("{program}: no {program}")),
                "{error}"
            );
        }
    }

    #[test]
    fn the_image_copies_what_its_folder_has() {
        let text = fs::read_to_string(crate::tree::root().join("Containerfile")).unwrap();
        let copied = text.lines().filter_map(|line| line.strip_prefix("COPY "));
        let sources: Vec<&str> = copied
            .flat_map(|line| line.split_whitespace())
            .filter(|word| !word.starts_with(['/', '-']))
            .collect();
        let folder = [
            "stepscope",
            "stepscope-sql",
            "stepscope-fleet",
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "THIRD-PARTY-LICENSES.txt",
            "stepscope.cdx.json",
            "ca-certificates.crt",
            "folders",
        ];
        for name in folder {
            assert!(sources.contains(&name), "{name} is not copied: {sources:?}");
        }
        assert_eq!(sources.len(), folder.len(), "{sources:?}");
    }
}
