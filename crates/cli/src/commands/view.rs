//! `stepscope view`: the report in the terminal, then all of it in the browser.

use std::net::{IpAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;

use clap::ArgMatches;
use stepscope_server::{Library, Ready, ServerOptions, serve};

use super::{path, report};
use crate::exit::{Exit, Failure};
use crate::open;
use crate::output::Output;

/// Prints the report and serves the sessions at the path.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let root = path(arguments, "path").or_else(|_| path(arguments, "logdir"))?;
    let wanted = arguments.get_one::<String>("session").map(String::as_str);
    let may_wait = wanted.is_none() && !arguments.get_flag("no-serve");
    if may_wait && is_without_files(root) {
        output.remark(&format!(
            "nothing in {} yet: what is captured into it appears in the pages",
            root.display()
        ));
        return start(Library::awaiting(root), None, arguments, output);
    }
    let found = open::find(root, output)?;
    let files = open::choose(&found, wanted, output)?;
    if arguments.get_flag("no-serve") {
        report::print(
            open::open(files, output)?,
            &report::Options::default(),
            output,
        )?;
        return Ok(Exit::Fine);
    }
    let library = Library::at(root)?;
    let number = if arguments.get_flag("no-report") {
        library.number_of(files)
    } else {
        let session = open::open_owned(files, output)?;
        report::print(&session, &report::Options::default(), output)?;
        library.adopt(files, session)
    };
    // The newest one opens at the bare address.
    let number = number.filter(|&number| wanted.is_some() && library.newest() != Some(number));
    if let Some(number) = number {
        library.begin_opening(number);
    }
    start(library, number, arguments, output)
}

/// A folder of nothing but empty folders, as a log directory is before the first capture. Anything
/// else without a profile is a mistake to be told.
fn is_without_files(root: &Path) -> bool {
    /// Folders looked into; a larger tree is somebody's data.
    const FOLDERS: usize = 64;
    let mut folders = vec![root.to_path_buf()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        seen += 1;
        let Ok(entries) = std::fs::read_dir(&folder) else {
            return false;
        };
        for entry in entries {
            let is_folder = entry.as_ref().is_ok_and(|entry| entry.path().is_dir());
            match entry {
                Ok(entry) if is_folder && seen < FOLDERS => folders.push(entry.path()),
                _ => return false,
            }
        }
    }
    true
}

/// Serves until Ctrl-C. `number` is the session that the printed address leads to.
pub(crate) fn start(
    library: Arc<Library>,
    number: Option<u32>,
    arguments: &ArgMatches,
    output: &Output,
) -> Result<Exit, Failure> {
    let options = options(arguments)?;
    let wanted_port = options.port;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve(library, options, |ready| {
        if wanted_port != 0 && ready.address.port() != wanted_port {
            output.remark(&format!("port {wanted_port} is taken"));
        }
        announce(ready, number, output);
    }));
    served.map_err(|error| {
        Failure::new(Exit::Failure, error.to_string())
            .hint("choose another with --port, or an address of this machine with --host")
    })?;
    output.remark("stopped");
    Ok(Exit::Fine)
}

fn announce(ready: &Ready, number: Option<u32>, output: &Output) {
    let place = number.map_or_else(String::new, |number| format!("/#/s/{number}/overview"));
    let url = match (ready.url.split_once("/?"), number) {
        // The token stands before the place in the page.
        (Some(_), Some(_)) => format!("{}{}", ready.url, place.trim_start_matches('/')),
        _ => format!("{}{place}", ready.url),
    };
    output.address(&url);
    if !ready.address.ip().is_loopback() {
        output.remark("other machines reach it too; the address carries the token they need");
    } else if std::env::var_os("SSH_CONNECTION").is_some() {
        let port = ready.address.port();
        output.remark(&format!(
            "from your own machine: ssh -L {port}:localhost:{port} THIS_MACHINE, then the same address"
        ));
    }
}

fn options(arguments: &ArgMatches) -> Result<ServerOptions, Failure> {
    let host = match arguments.get_one::<String>("host") {
        Some(_) if arguments.get_flag("bind_all") => "0.0.0.0",
        Some(host) => host,
        None => "127.0.0.1",
    };
    let allowed = arguments
        .get_many::<String>("allow-host")
        .unwrap_or_default();
    let defaults = ServerOptions::default();
    Ok(ServerOptions {
        address: address(host)?,
        port: arguments
            .get_one::<u16>("port")
            .copied()
            .unwrap_or(defaults.port),
        token: arguments.get_one::<String>("token").cloned(),
        allowed_hosts: allowed.cloned().collect(),
    })
}

/// The address of a name; IPv4 first, as TensorBoard does.
fn address(host: &str) -> Result<IpAddr, Failure> {
    if let Ok(address) = host.parse() {
        return Ok(address);
    }
    let unknown = |detail: String| {
        Failure::new(
            Exit::Usage,
            format!("--host {host} is no address of this machine{detail}"),
        )
        .hint("127.0.0.1 is for this machine only, 0.0.0.0 (--bind_all) for all")
    };
    let found = (host, 0)
        .to_socket_addrs()
        .map_err(|error| unknown(format!(" ({error})")))?;
    let mut addresses: Vec<IpAddr> = found.map(|address| address.ip()).collect();
    addresses.sort_by_key(|address| !address.is_ipv4());
    addresses
        .first()
        .copied()
        .ok_or_else(|| unknown(String::new()))
}
