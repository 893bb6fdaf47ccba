//! `stepscope attach`: requests a capture from a process that `stepscope run` started.
//!
//! Its hook listens on a socket that only its user can reach (`python/stepscope/attach.py`).

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Longest answer that is read, in bytes.
#[cfg(unix)]
const MOST_BYTES: u64 = 1 << 16;

/// The subcommand.
pub(crate) fn command() -> Command {
    Command::new("attach")
        .about("Capture a running process that `stepscope run` started")
        .after_help(
            "Examples:\n  # The next steps of a process, as its `stepscope run` planned them\n  \
             stepscope attach 4711\n  # Ten steps, then open the capture\n  \
             stepscope view \"$(stepscope attach 4711 --steps 10)\"\n\n\
             Prints the folder of the capture on standard output.",
        )
        .arg(
            Arg::new("pid")
                .value_name("PID")
                .required(true)
                .value_parser(value_parser!(u32).range(1..))
                .help("The process; `stepscope run` printed it"),
        )
        .arg(
            Arg::new("steps")
                .long("steps")
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..))
                .help("Number of steps [default: as planned by `stepscope run`]"),
        )
}

/// Asks, waits for the capture, and prints where it is.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let pid = arguments.get_one::<u32>("pid").copied().unwrap_or_default();
    let steps = arguments.get_one::<u32>("steps").copied();
    let request = serde_json::json!({ "steps": steps });
    let answer = ask(pid, &format!("{request}\n"))?;
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap_or_default();
    if let Some(captured) = answer["captured"].as_str() {
        output.remark(&format!("open it: `stepscope view {captured}`"));
        output.data(&format!("{captured}\n"))?;
        return Ok(Exit::Fine);
    }
    let why = answer["error"].as_str().unwrap_or("the process ended");
    Err(Failure::new(Exit::Failure, format!("process {pid}: {why}")))
}

#[cfg(unix)]
fn ask(pid: u32, request: &str) -> Result<String, Failure> {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    let mut stream = UnixStream::connect(socket(pid)?).map_err(|_| unreachable_process(pid))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.take(MOST_BYTES).read_to_string(&mut answer)?;
    Ok(answer)
}

#[cfg(not(unix))]
fn ask(pid: u32, _request: &str) -> Result<String, Failure> {
    Err(unreachable_process(pid))
}

/// The socket of a process, in a folder of this user: somebody else could put one elsewhere.
#[cfg(unix)]
fn socket(pid: u32) -> Result<PathBuf, Failure> {
    use std::os::unix::fs::MetadataExt as _;

    let home = std::env::var_os("HOME").map(PathBuf::from);
    let own = std::fs::metadata("/proc/self")
        .or_else(|error| std::fs::metadata(home.ok_or(error)?))?
        .uid();
    let folder = PathBuf::from(format!("/tmp/stepscope-{own}"));
    let about = std::fs::symlink_metadata(&folder).map_err(|_| unreachable_process(pid))?;
    if about.uid() != own || !about.is_dir() || about.mode() & 0o077 != 0 {
        let message = format!("{} is not private to this user", folder.display());
        return Err(Failure::new(Exit::Failure, message).hint("remove the folder"));
    }
    Ok(folder.join(format!("{pid}.sock")))
}

fn unreachable_process(pid: u32) -> Failure {
    let message = format!("process {pid} does not listen for captures");
    Failure::new(Exit::Failure, message).hint(
        "start it with `stepscope run -- PROGRAM`, and attach as the same user on the same machine, \
         once it has imported jax",
    )
}
