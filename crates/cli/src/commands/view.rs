//! `stepscope view`: the report in the terminal, then the pages in the browser.

use std::net::{IpAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;
use stepscope_catalog::Catalog;
use stepscope_mcp::{Agent, http_route};
use stepscope_server::{Library, Ready, ServerError, ServerOptions, Token, serve};

use super::{far, path, report, token};
use crate::exit::{Exit, Failure};
use crate::open;
use crate::output::Output;
use stepscope_model::Reads;
use stepscope_recorder::incident_count_at;
use stepscope_storage::StorageError;

/// Prints the report and serves the sessions at the path.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let root = path(arguments, "path").or_else(|_| path(arguments, "logdir"))?;
    let wanted = arguments.get_one::<String>("session").map(String::as_str);
    if let Some(ended) = far::view(root, arguments, output)? {
        return Ok(ended);
    }
    let may_wait = wanted.is_none() && !arguments.get_flag("no-serve");
    if may_wait && (is_without_files(root) || is_only_recorded(root)) {
        output.remark(&format!(
            "no sessions in {} yet: new captures will appear in the pages",
            root.display()
        ));
        return start(Library::awaiting(root), None, arguments, output);
    }
    let found = open::find(root, output)?;
    let files = open::choose(&found, wanted, output)?;
    if arguments.get_flag("no-serve") {
        report::print(
            open::open(files, Reads::Everything, output)?,
            &report::Options::default(),
            output,
        )?;
        return Ok(Exit::Fine);
    }
    let library = Library::holding(root, &found);
    let is_without_report = arguments.get_flag("no-report") || arguments.get_flag("child");
    let key = if is_without_report {
        library.key_of(files)
    } else {
        let session = open::open_owned(files, Reads::Everything, output)?;
        report::print(&session, &report::Options::default(), output)?;
        library.adopt(files, session)
    };
    // The newest session opens at the bare address.
    let key = key.filter(|key| wanted.is_some() && library.newest().as_ref() != Some(key));
    if let Some(key) = &key {
        library.begin_opening_if_here(key);
    }
    start(library, key.as_deref(), arguments, output)
}

/// A log directory in which the flight recorder left something and nobody a profile: the page of
/// incidents says what happened, such as a process that was killed before it captured anything.
fn is_only_recorded(root: &Path) -> bool {
    let has_no_profile = || {
        let found = stepscope_storage::find(root);
        matches!(found, Err(StorageError::NoProfiles { .. }))
    };
    incident_count_at(root).is_some() && has_no_profile()
}

/// A folder that contains only empty folders, like a log directory before the first capture.
/// Anything else without a profile is an error to report.
fn is_without_files(root: &Path) -> bool {
    /// Maximum number of folders to check; a larger tree contains data of the user.
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

/// Serves until Ctrl-C. `key` is the session that the printed address opens.
pub(crate) fn start(
    library: Arc<Library>,
    key: Option<&str>,
    arguments: &ArgMatches,
    output: &Output,
) -> Result<Exit, Failure> {
    let options = options(arguments)?;
    let catalog = Catalog::of_user();
    // What is wrong with a bucket is said here, rather than nowhere.
    catalog.summaries();
    open::warn_of_catalog(&catalog, output);
    library.use_catalog(catalog);
    if arguments.get_flag("no-capture") {
        library.refuse_captures();
    }
    let roots = arguments.get_many::<PathBuf>("source-root");
    let roots = roots.map(|roots| roots.cloned().collect());
    library.show_sources(checked_roots(roots.unwrap_or_default())?);
    if options.token != Token::Off && !options.allowed_hosts.is_empty() {
        output
            .remark("--allow-host only matters with --no-token: with the token, any name will do");
    }
    let wanted_port = options.port;
    let agent = agent_of(&library, &options.capture_hosts).map(Arc::new);
    let agents = agent.as_ref().map(http_route);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve(library, options, agents, |ready| {
        if let Some(agent) = &agent {
            agent.shown_at(&ready.url);
        }
        if wanted_port != 0 && ready.address.port() != wanted_port {
            output.remark(&format!("port {wanted_port} is taken"));
        }
        if arguments.get_flag("child") {
            tell_parent(ready, output);
        } else {
            announce(ready, key, output);
        }
    }));
    served.map_err(|error| {
        let hint = match error {
            ServerError::OpenToOthers(_) => {
                "leave out --no-token; or serve 127.0.0.1 to a proxy on this machine that asks for \
                 passwords, with --allow-host NAME"
            }
            _ => "choose another one with --port, or give an address of this machine with --host",
        };
        Failure::new(Exit::Failure, error.to_string()).hint(hint)
    })?;
    output.remark("stopped");
    Ok(Exit::Fine)
}

/// Who answers agents beside the pages. They capture only hosts that were named for it, the pages
/// without that too.
fn agent_of(library: &Arc<Library>, capture_hosts: &[String]) -> Option<Agent> {
    let agent = Agent::beside_pages(library.root_path()?, library);
    Some(match capture_hosts {
        [] => agent,
        hosts => agent.allowing_captures(hosts.to_vec()),
    })
}

/// The folders, if all exist: a mistyped one would only be noticed much later.
fn checked_roots(roots: Vec<PathBuf>) -> Result<Vec<PathBuf>, Failure> {
    match roots.iter().find(|root| !root.is_dir()) {
        None => Ok(roots),
        Some(missing) => {
            let message = format!("--source-root is not a folder: {}", missing.display());
            Err(Failure::new(Exit::Usage, message).hint("name the folder of the program's sources"))
        }
    }
}

/// One line of JSON for the parent process.
fn tell_parent(ready: &Ready, output: &Output) {
    let line = serde_json::json!({
        "url": ready.url,
        "port": ready.address.port(),
        "token": ready.token,
        "version": env!("CARGO_PKG_VERSION"),
    });
    // If the parent is gone, the input is closed, which ends this process.
    let _ = output.data(&format!("{line}\n"));
}

fn announce(ready: &Ready, key: Option<&str>, output: &Output) {
    let place = key.map_or_else(String::new, |key| format!("#/s/{key}/overview"));
    let url = match key {
        // The token comes before the fragment.
        Some(_) if ready.url.contains("/?") => format!("{}{place}", ready.url),
        Some(_) => format!("{}/{place}", ready.url.trim_end_matches('/')),
        None => ready.url.clone(),
    };
    output.address(&url);
    if !ready.address.ip().is_loopback() {
        output.remark("other machines can reach it too; the address contains the token they need");
    } else if is_wsl() {
        output.remark(
            "in Windows, open the same address with localhost for 127.0.0.1; if that does not \
             answer, use --bind_all and the address it prints (see `stepscope doctor`)",
        );
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
    let all = |name: &str| -> Vec<String> {
        let given = arguments.get_many::<String>(name).unwrap_or_default();
        given.cloned().collect()
    };
    let defaults = ServerOptions::default();
    Ok(ServerOptions {
        address: address(host)?,
        port: arguments
            .get_one::<u16>("port")
            .copied()
            .unwrap_or(defaults.port),
        token: token::chosen(arguments)?,
        allowed_hosts: all("allow-host"),
        capture_hosts: all("allow-capture"),
        path_prefix: arguments
            .get_one::<String>("path-prefix")
            .cloned()
            .unwrap_or_default(),
        ends_with_input: arguments.get_flag("child"),
    })
}

/// Whether this is Linux in Windows (WSL), whose browser sees other addresses.
fn is_wsl() -> bool {
    let version = std::fs::read_to_string("/proc/version").unwrap_or_default();
    version.to_lowercase().contains("microsoft")
}

/// The address of a host name; IPv4 first, as in TensorBoard.
fn address(host: &str) -> Result<IpAddr, Failure> {
    if let Ok(address) = host.parse() {
        return Ok(address);
    }
    let unknown = |detail: String| {
        Failure::new(
            Exit::Usage,
            format!("--host {host} is not an address of this machine{detail}"),
        )
        .hint("use 127.0.0.1 for this machine only, or 0.0.0.0 (--bind_all) for all")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_nothing_but_a_recorded_run_can_be_viewed() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = folder.path().join("record/run");
        std::fs::create_dir_all(run.join("incidents")).expect("created");
        std::fs::write(run.join("rank_0.ring"), "steps").expect("written");
        assert!(!is_without_files(folder.path()));
        assert!(is_only_recorded(folder.path()));
        assert!(
            !is_only_recorded(&run.join("incidents")),
            "nothing is recorded there"
        );
    }
}
