//! The image, run by Podman, which takes it from its file.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::said::{REPORTED, said};
use crate::dist::release::Release;
use crate::process;

/// Runs the demo in the image of the target, without a network. Says so where there is nothing to try,
/// or nothing to try it with.
pub(super) fn tried(release: &Release) -> Result<()> {
    let image = release.file(&release.target.image());
    println!("image: {}", tried_with("podman", &image)?);
    Ok(())
}

fn tried_with(podman: &str, image: &Path) -> Result<&'static str> {
    if !image.is_file() {
        return Ok("none was made for this target");
    }
    if !process::succeeds(Command::new(podman).arg("info")) {
        return Ok("not tried, there is no Podman here");
    }
    let mut command = Command::new(podman);
    command.args(["run", "--rm", "--network", "none"]);
    command.arg(format!("oci-archive:{}", image.display()));
    let demo = said(command.args(["demo", "--no-serve"]))?;
    ensure!(
        demo.contains(REPORTED),
        "the demo of the image has no step time:\n{demo}"
    );
    Ok("ok")
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_demo_runs_in_the_image() {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("image.oci.tar");
        let podman = folder.path().join("podman");
        let program = podman.to_str().unwrap();
        let answering = |said: &str| {
            let text = format!("#!/bin/sh\necho \"$@\" >> '{program}.log'\necho '{said}'\n");
            fs::write(&podman, text).unwrap();
            fs::set_permissions(&podman, fs::Permissions::from_mode(0o755)).unwrap();
            tried_with(program, &image)
        };
        assert_eq!(
            answering(REPORTED).unwrap(),
            "none was made for this target"
        );
        fs::write(&image, "").unwrap();
        let nowhere = folder.path().join("nowhere");
        let missing = tried_with(nowhere.to_str().unwrap(), &image).unwrap();
        assert!(missing.starts_with("not tried"), "{missing}");
        assert_eq!(answering(REPORTED).unwrap(), "ok");
        let log = fs::read_to_string(format!("{program}.log")).unwrap();
        let archive = format!("oci-archive:{}", image.display());
        let line = format!("run --rm --network none {archive} demo --no-serve");
        assert!(log.contains(&line), "{log}");
        assert!(answering("nothing").is_err());
    }
}
