//! `cargo xtask`: the developer tasks of this repository.
//!
//! `test` is the whole check, and what continuous integration runs; the other commands are its
//! parts.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer tool talks to the terminal"
)]

use std::env;
use std::process::ExitCode;

use anyhow::{Result, bail};

mod bench;
mod check;
mod circles;
mod codegen;
mod counts;
mod dependencies;
mod dist;
mod docs;
mod fixtures;
mod fuzz;
mod house;
mod layers;
mod links;
mod modules;
mod mutate;
mod package;
mod process;
mod python;
mod setup;
mod soak;
mod tree;
mod unsafe_code;
mod versions;
mod words;

#[path = "../../crates/server/build/npm.rs"]
mod npm;

const USAGE: &str = "\
Developer tasks of Stepscope

cargo xtask test [--fast] [STAGE...]  the whole check, or only the named stages
                                      --fast leaves out the browser tests
cargo xtask lint                      formatting, clippy, layers and house rules
cargo xtask codegen [--check]         the TypeScript and Python of the report types, from Rust
cargo xtask bench [ARGUMENTS...]      the benches, arguments as for `cargo bench`
cargo xtask mutate [--files N] [--seed N]
                                      every question of mutated copies of the fixtures
cargo xtask soak [--minutes N]        many requests to one server: no errors, flat memory
cargo xtask fuzz [--minutes N] [TARGET...]
                                      the fuzz targets, or only the named ones; see fuzz/README.md
cargo xtask dist [--target TRIPLE] [programs|wheel|image...]
                                      what a release consists of, in dist/
cargo xtask dist --smoke              tries it, with the network off
cargo xtask dist --check-features     the command without what can be left out
cargo xtask docs                      the documentation as a site, in target/docs
cargo xtask fixtures                  the small captures that tests use
";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<ExitCode> {
    let Some((&task, rest)) = arguments.split_first() else {
        print!("{USAGE}\nstages of test: {}\n", check::stage_names());
        return Ok(ExitCode::SUCCESS);
    };
    match (task, rest) {
        ("-h" | "--help" | "help", _) => {
            print!("{USAGE}\nstages of test: {}\n", check::stage_names());
        }
        ("test", rest) => return check::test(rest),
        ("lint", []) => return Ok(check::lint()),
        ("codegen", []) => codegen::write()?,
        ("codegen", ["--check"]) => codegen::check()?,
        ("bench", rest) => bench::run(rest)?,
        ("mutate", rest) => mutate::run(rest)?,
        ("soak", rest) => soak::run(rest)?,
        ("fuzz", rest) => return fuzz::run(rest),
        ("docs", []) => docs::run()?,
        ("dist", rest) => dist::run(rest)?,
        ("fixtures", []) => print!("{}", fixtures::table(&tree::root())?),
        _ => bail!(
            "not a task: {}; `cargo xtask help` lists them",
            arguments.join(" ")
        ),
    }
    Ok(ExitCode::SUCCESS)
}
