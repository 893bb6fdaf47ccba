//! Pages of a remote machine, shown here: the engine runs where the files are, and one `ssh`
//! connection carries its pages.
//!
//! ```text
//! browser ── 127.0.0.1:LOCAL ══ ssh ══ 127.0.0.1:REMOTE ── stepscope view --child
//!                                └── standard input of sh: its end ends everything there
//! ```

mod engine;
mod keep;
mod line;
mod place;
pub(crate) mod tunnel;

use std::path::Path;

use clap::ArgMatches;
use stepscope_remote::{Address, Scheme, is_url, ssh};
use stepscope_server::Token;

use super::token;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use engine::{Engine, Wanted};
use place::Place;

/// Shows what an `ssh://` URL names, using a remote engine. `None` if PATH is something else, or if
/// Stepscope is not installed there; then files are fetched and read here.
pub(crate) fn view(
    root: &Path,
    arguments: &ArgMatches,
    output: &Output,
) -> Result<Option<Exit>, Failure> {
    if !is_url(root) || arguments.get_flag("no-serve") || arguments.get_flag("child") {
        return Ok(None);
    }
    let address = Address::parse(&root.to_string_lossy())
        .map_err(|error| Failure::new(Exit::Usage, error.to_string()).hint(error.hint))?;
    if address.scheme != Scheme::Machine {
        return Ok(None);
    }
    let wanted = Wanted {
        path: address.path.clone(),
        session: arguments.get_one::<String>("session").cloned(),
        command: arguments.get_one::<String>("remote-command").cloned(),
        local_port: arguments.get_one::<u16>("port").copied(),
        remote_port: None,
        token: match token::chosen(arguments)? {
            Token::Given(token) => Some(token),
            // Other users of that machine must not get access.
            Token::Random | Token::Off => None,
        },
    };
    let (host, _) = ssh::host_and_port(&address.place);
    let connect = move |forward: &str| {
        let options = ["-o", "ExitOnForwardFailure=yes", "-L", forward];
        let mut command = ssh::command(&address.place, &options);
        command.arg("sh");
        command
    };
    let place = Place {
        url: root.display().to_string(),
        host,
        failure: |url, host, status, said| {
            let error = ssh::failure(url, host, status, said);
            Failure::new(Exit::Path, error.to_string()).hint(error.hint)
        },
    };
    let engine = match Engine::start(&place, &connect, &wanted)? {
        Engine::Running(running) => running,
        Engine::Missing(why) => {
            output.remark(&format!(
                "{why}; fetching its files to read them here instead"
            ));
            return Ok(None);
        }
    };
    keep::alive(engine, &place, &connect, &wanted, output).map(Some)
}
