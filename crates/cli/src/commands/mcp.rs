//! `stepscope mcp`: sessions for agents, over standard input and output.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use stepscope_mcp::{Agent, serve_stdio};

use crate::args::far_away;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// The subcommand.
pub(crate) fn command() -> Command {
    Command::new("mcp")
        .about("Answer agents about sessions, over the Model Context Protocol")
        .after_help(
            "Examples:\n  # In the settings of an agent: the command, and the folders it may read\n  \
             stepscope mcp ./logs\n  # For Claude Code\n  claude mcp add stepscope -- stepscope mcp \
             ./logs\n  # Links in answers lead to pages that `stepscope view ./logs` serves\n  \
             stepscope mcp ./logs --page http://127.0.0.1:6006\n  # Agents may also record \
             programs of this machine\n  stepscope mcp ./logs --allow-capture localhost\n\n\
             Agents read sessions below ROOT and nothing else: a session with a link that leads out \
             of it is left out. They write nothing, unless --allow-capture lets them record new \
             sessions.",
        )
        .arg(
            Arg::new("root")
                .value_name("ROOT")
                .num_args(0..)
                .value_parser(value_parser!(PathBuf))
                .help("Folders, files or URLs whose sessions may be read [default: .]"),
        )
        .arg(
            Arg::new("page")
                .long("page")
                .value_name("URL")
                .value_parser(parse_page)
                .help("Address at which `stepscope view ROOT` serves the pages, for links in answers"),
        )
        .arg(
            Arg::new("allow-capture")
                .long("allow-capture")
                .value_name("HOST")
                .action(ArgAction::Append)
                .help(
                    "Host, or HOST:PORT, that agents may capture into the first ROOT; repeatable \
                     [default: none]",
                ),
        )
        .args(far_away())
}

fn parse_page(text: &str) -> Result<String, String> {
    let is_address = text.starts_with("http://") || text.starts_with("https://");
    is_address
        .then(|| text.to_owned())
        .ok_or_else(|| "expected an address such as http://127.0.0.1:6006".to_owned())
}

/// Serves until the input ends.
pub(crate) fn run(arguments: &ArgMatches, _output: &Output) -> Result<Exit, Failure> {
    let given = arguments.get_many::<PathBuf>("root").unwrap_or_default();
    let mut roots: Vec<PathBuf> = given.cloned().collect();
    if roots.is_empty() {
        roots.push(PathBuf::from("."));
    }
    let page = arguments.get_one::<String>("page").map(String::as_str);
    if page.is_some() && roots.len() > 1 {
        let message = "--page needs a single ROOT: the pages show one path";
        return Err(Failure::new(Exit::Usage, message));
    }
    let missing = roots
        .iter()
        .find(|root| !stepscope_remote::is_url(root) && !root.exists());
    if let Some(missing) = missing {
        let message = format!("nothing at this path: {}", missing.display());
        return Err(Failure::new(Exit::Path, message).hint("give folders that exist"));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let mut agent = Agent::new(&roots, page);
    if let Some(hosts) = arguments.get_many::<String>("allow-capture") {
        agent = agent.allowing_captures(hosts.cloned().collect());
    }
    let served = runtime.block_on(serve_stdio(agent));
    // A read of standard input cannot be canceled.
    runtime.shutdown_background();
    served.map_err(|error| Failure::new(Exit::Failure, error.to_string()))?;
    Ok(Exit::Fine)
}
