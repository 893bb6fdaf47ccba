//! Runs this program again where there is no network but loopback, as far as the system can do that.

use std::env;
use std::net::UdpSocket;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;
use crate::tree;

/// The option with which this program calls itself.
pub(super) const INSIDE: &str = "--smoke-without-network";

/// On Linux: commands that give what follows a network of its own; whether one is allowed depends on
/// the system and the user.
const NAMESPACES: [&[&str]; 3] = [
    &["unshare", "--net"],
    &["unshare", "--map-root-user", "--net"],
    &[
        "sudo",
        "--non-interactive",
        "--preserve-env",
        "unshare",
        "--net",
    ],
];

/// Brings up loopback in the new network, then runs the rest.
const WITH_LOOPBACK: &str = "ip link set lo up && exec \"$@\"";

/// On macOS: everything is allowed except for the network beyond loopback.
const SANDBOX: &str = "(version 1)(allow default)(deny network-outbound (remote ip \"*:*\"))\
                       (allow network-outbound (remote ip \"localhost:*\"))";

/// Runs `cargo xtask dist` with the arguments and without a network.
///
/// # Errors
///
/// The run fails, or the system has no way to take the network away. Windows has none that needs no
/// set-up, so there the run keeps its network and says so.
pub(super) fn again(arguments: &[&str]) -> Result<()> {
    let own = env::current_exe().context("this program does not know where it is")?;
    let own = own.to_string_lossy();
    let mut words: Vec<&str> = Vec::new();
    if cfg!(target_os = "linux") {
        let namespace = NAMESPACES.iter().find(|words| is_allowed(words));
        words.extend(*namespace.context(
            "no namespace without a network can be made here: `unshare --net` is not allowed",
        )?);
        words.extend(["sh", "-c", WITH_LOOPBACK, "sh"]);
    } else if cfg!(target_os = "macos") {
        words.extend(["sandbox-exec", "-p", SANDBOX]);
    } else {
        println!("the network stays on: this system has no simple way to turn it off");
    }
    words.extend([&*own, "dist"]);
    words.extend(arguments);
    let (program, rest) = words.split_first().context("no program")?;
    process::run(&mut process::program(program, rest, &tree::root())).map(drop)
}

fn is_allowed(words: &[&str]) -> bool {
    let (program, rest) = words.split_first().unwrap_or((&"false", &[]));
    process::succeeds(Command::new(program).args(rest).args([
        "sh",
        "-c",
        WITH_LOOPBACK,
        "sh",
        "true",
    ]))
}

/// Fails where the network is still there. An address for documentation (RFC 5737) is asked for a
/// route; nothing is sent.
pub(super) fn check() -> Result<()> {
    let socket = UdpSocket::bind("0.0.0.0:0").context("no socket")?;
    if cfg!(target_os = "linux") && socket.connect("192.0.2.1:9").is_ok() {
        bail!("there is a route to other machines, so the network is not off");
    }
    Ok(())
}
