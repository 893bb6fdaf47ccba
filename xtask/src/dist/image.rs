//! The container image: the static programs and roots of trust, nothing else. `Containerfile` says
//! how; the build needs no network, because it starts from an empty image.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::programs;
use super::release::Release;
use super::target::VERSION;
use crate::process;

/// Programs that build images, with what comes before the arguments that all of them understand.
const BUILDERS: [(&str, &[&str]); 3] = [
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
    let builder = BUILDERS.iter().find(|(program, _)| works(program));
    let Some((program, before)) = builder else {
        let names = BUILDERS.map(|(program, _)| program).join(", ");
        bail!("no builder of images works here: {names}");
    };
    let out = release.file(&release.target.image());
    let file = release.root.join("Containerfile");
    let mut command = process::program(program, before, &release.root);
    command.arg("--file").arg(&file);
    command.args([
        "--label",
        &format!("org.opencontainers.image.version={VERSION}"),
    ]);
    if *program == "docker" {
        command.arg("--provenance=false");
        command.arg(format!("--output=type=oci,dest={}", out.display()));
    } else {
        let _ = fs::remove_file(&out);
        command.args(["--tag", &format!("oci-archive:{}:{VERSION}", out.display())]);
    }
    command.arg(&context);
    process::run(&mut command).map(drop)
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
            "ca-certificates.crt",
            "folders",
        ];
        for name in folder {
            assert!(sources.contains(&name), "{name} is not copied: {sources:?}");
        }
        assert_eq!(sources.len(), folder.len(), "{sources:?}");
    }
}
