//! Arguments that several commands have.

use std::path::PathBuf;

use clap::builder::Resettable;
use clap::{Arg, ArgAction, Args, Command, Id, value_parser};
use stepscope_analysis::{Declaration, Selection};

/// Rows that a table shows on a terminal unless `--limit` says otherwise.
pub(crate) const DEFAULT_LIMIT: usize = 50;

/// A question as a subcommand: its own options, the sessions it is about, and how to print.
pub(crate) fn question(declaration: &'static Declaration, sessions: [Arg; 2]) -> Command {
    let command = Command::new(declaration.name)
        .about(declaration.summary)
        .visible_aliases(declaration.aliases)
        .after_help(examples(declaration.examples))
        .args(sessions)
        .args(far_away())
        .args(formats())
        .arg(
            Arg::new("table")
                .long("table")
                .value_name("KEY")
                .conflicts_with("json")
                .help_heading("Output")
                .help("Print only this table of the report; an unknown name lists the tables"),
        )
        .arg(output())
        .arg(wide());
    with_options(command, declaration)
}

/// Adds the options of an analysis. An option of type FILE is passed as the file's text, because
/// analyses don't open files. An option that isn't part of the selection is listed with the
/// command's own options.
pub(crate) fn with_options(command: Command, declaration: &Declaration) -> Command {
    let selection = Selection::augment_args(Command::new("selection"));
    let selects = |id: &Id| {
        selection
            .get_arguments()
            .any(|argument| argument.get_id() == id)
    };
    let options = declaration.command();
    let own = options
        .get_arguments()
        .filter(|argument| !selects(argument.get_id()));
    own.fold(declaration.augment(command), |command, argument| {
        let names = argument.get_value_names().unwrap_or_default();
        let is_file = names.iter().any(|name| name == "FILE");
        command.mut_arg(argument.get_id(), |argument| {
            let argument = argument.help_heading(Resettable::Reset);
            if is_file {
                argument.value_parser(read_file)
            } else {
                argument
            }
        })
    })
}

/// A file of settings is read up to this size.
pub(crate) const MAX_SETTINGS_BYTES: u64 = 16 << 20;

fn read_file(path: &str) -> Result<String, String> {
    stepscope_storage::read_text(path.as_ref(), MAX_SETTINGS_BYTES).map_err(|error| {
        match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => error.to_string(),
        }
    })
}

fn examples(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    format!("Examples:\n{}", lines.join("\n"))
}

pub(crate) fn path() -> Arg {
    Arg::new("path")
        .value_name("PATH")
        .value_parser(value_parser!(PathBuf))
        .help(
            "Log directory, run directory, *.xplane.pb (.gz, .zst), viewer trace, memory.prof, \
            archive, folder of these, or URL",
        )
}

/// Options that apply when PATH is a URL.
pub(crate) fn far_away() -> [Arg; 2] {
    const HEADING: &str = "Remote";
    [
        flag(
            "anonymous",
            "Fetch URLs without credentials, for example from public buckets",
        )
        .env("STEPSCOPE_ANONYMOUS")
        .value_parser(clap::builder::FalseyValueParser::new())
        .hide_env_values(true)
        .help_heading(HEADING),
        Arg::new("cache-size")
            .long("cache-size")
            .value_name("SIZE")
            .env("STEPSCOPE_CACHE_SIZE")
            .hide_env_values(true)
            .value_parser(parse_size)
            .help_heading(HEADING)
            .help(
                "Maximum size of the local cache for remote files, such as 500M or 20G [default: \
                    10G]",
            ),
    ]
}

/// The command that runs Stepscope on a machine reached over ssh.
pub(crate) fn remote_command() -> Arg {
    Arg::new("remote-command")
        .long("remote-command")
        .value_name("COMMAND")
        .env("STEPSCOPE_REMOTE_COMMAND")
        .hide_env_values(true)
        .help_heading("Remote")
        .help("Command that runs stepscope on the ssh:// machine, if it is not on the PATH there")
}

fn parse_prefix(text: &str) -> Result<String, String> {
    stepscope_server::normal_prefix(text).ok_or_else(|| {
        "expected a path such as \
        /stepscope"
            .to_owned()
    })
}

pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    stepscope_remote::parse_size(text).ok_or_else(|| {
        "expected a size such as 500M or \
        20G"
        .to_owned()
    })
}

pub(crate) fn session() -> Arg {
    Arg::new("session")
        .long("session")
        .value_name("SESSION")
        .help("Session, by its name or number in `stepscope sessions` [default: the newest]")
}

pub(crate) fn check() -> Arg {
    flag("check", "Exit with code 4 if any verdict is bad")
}

pub(crate) fn formats() -> [Arg; 2] {
    [
        flag("json", "Print the report as JSON, the same as over HTTP").help_heading("Output"),
        flag(
            "csv",
            "Print a table as CSV (RFC 4180), with figures in the units of their keys",
        )
        .conflicts_with("json")
        .help_heading("Output"),
    ]
}

pub(crate) fn output() -> Arg {
    Arg::new("output")
        .long("output")
        .short('o')
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help_heading("Output")
        .help("Write to this file instead of standard output")
}

pub(crate) fn wide() -> Arg {
    flag(
        "wide",
        "Print all columns and full names, however wide the table gets",
    )
    .help_heading("Output")
}

pub(crate) fn serving() -> [Arg; 12] {
    const HEADING: &str = "Server";
    [
        Arg::new("port")
            .long("port")
            .short('p')
            .value_name("PORT")
            .value_parser(value_parser!(u16))
            .help_heading(HEADING)
            .help("Port; if taken, the next free one; 0 for any [default: 6006]"),
        Arg::new("host")
            .long("host")
            .value_name("ADDRESS")
            .default_value("127.0.0.1")
            .help_heading(HEADING)
            .help("Address to listen on; others than localhost can be reached from other machines"),
        flag(
            "bind_all",
            "Listen on all addresses; same as --host 0.0.0.0",
        )
        .alias("bind-all")
        .conflicts_with("host")
        .help_heading(HEADING),
        Arg::new("allow-host")
            .long("allow-host")
            .value_name("NAME")
            .action(ArgAction::Append)
            .help_heading(HEADING)
            .help(
                "With --no-token: host name by which a proxy on this machine, such as a notebook's, \
                 reaches the server",
            ),
        Arg::new("path-prefix")
            .long("path-prefix")
            .alias("path_prefix")
            .value_name("PATH")
            .value_parser(parse_prefix)
            .help_heading(HEADING)
            .help("Path under which a proxy serves the pages, such as /stepscope"),
        flag(
            "child",
            "For parent processes: print URL and token as one line of JSON; exit when standard \
                input closes",
        )
        .help_heading(HEADING),
        flag(
            "no-capture",
            "Disable captures from the pages, so that nothing is written at the path",
        )
        .help_heading(HEADING),
        Arg::new("allow-capture")
            .long("allow-capture")
            .value_name("HOST")
            .action(ArgAction::Append)
            .conflicts_with("no-capture")
            .help_heading(HEADING)
            .help(
                "Host, or HOST:PORT, that the pages and agents may capture; repeatable [default: \
                 any for the pages, none if other machines can reach the server]",
            ),
        Arg::new("source-root")
            .long("source-root")
            .value_name("FOLDER")
            .action(ArgAction::Append)
            .value_parser(value_parser!(PathBuf))
            .help_heading(HEADING)
            .help(
                "Folder whose source files the pages may show where an op comes from one; repeatable \
                 [default: none]",
            ),
        flag(
            "no-token",
            "Require no token: every user and program of this machine may read all sessions; only on \
             localhost",
        )
        .conflicts_with("token-file")
        .help_heading(HEADING),
        Arg::new("token-file")
            .long("token-file")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help_heading(HEADING)
            .help(
                "File with the token that requests must carry; or set STEPSCOPE_TOKEN [default: \
                 random]",
            ),
        // Known in order to explain why it is not accepted.
        Arg::new("token")
            .long("token")
            .value_name("TOKEN")
            .num_args(0..=1)
            .hide(true),
    ]
}

pub(crate) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}
