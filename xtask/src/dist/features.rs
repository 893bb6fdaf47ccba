//! The command without what Cargo features can leave out: each combination builds, runs, and says
//! how to get what it lacks.

use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

use crate::{process, tree};

/// What can be left out: the feature, and a command that needs it.
const FEATURES: [(&str, &[&str]); 3] = [
    ("remote", &["overview", "https://localhost:1/run.xplane.pb"]),
    (
        "capture",
        &["capture", "localhost:1", "--logdir", "target/none"],
    ),
    (
        "parquet",
        &[
            "export",
            "fixtures/demo-gpt-cpu",
            "--parquet",
            "target/none",
        ],
    ),
];

/// Builds the command without any feature, and with each alone, in the profile of tests.
pub(super) fn check() -> Result<()> {
    build(&[])?;
    let report = run(&["demo", "--no-serve"])?;
    if !report.status.success() {
        bail!("without features, the demo fails: {}", error_of(&report));
    }
    for (feature, arguments) in FEATURES {
        let output = run(arguments)?;
        let told = error_of(&output);
        if output.status.success() || !told.contains(&format!("--features {feature}")) {
            bail!(
                "without {feature}, `stepscope {}` does not say how to get it: {told}",
                arguments.join(" ")
            );
        }
        println!("without {feature}: {}", told.trim().replace('\n', " "));
    }
    for (feature, _) in FEATURES {
        build(&["--features", feature])?;
    }
    Ok(())
}

fn build(features: &[&str]) -> Result<()> {
    let mut arguments = vec!["build", "--locked", "--target-dir", "target/features"];
    arguments.extend(["--package", "stepscope-cli", "--no-default-features"]);
    arguments.extend(features);
    process::run(&mut process::cargo(&arguments)).map(drop)
}

fn run(arguments: &[&str]) -> Result<Output> {
    let name = format!("stepscope{}", std::env::consts::EXE_SUFFIX);
    let program = tree::root().join("target/features/debug").join(name);
    let mut command = Command::new(program);
    command.args(arguments).current_dir(tree::root());
    command.output().context("cannot run what was built")
}

fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
