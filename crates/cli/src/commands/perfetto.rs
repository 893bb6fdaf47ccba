//! `stepscope perfetto`: hands a session to ui.perfetto.dev, which fetches it from this machine.

use std::fs::{self, File};
use std::io;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use stepscope_analysis::AnalysisError;
use stepscope_interchange::write::{Wanted, write_perfetto};
use stepscope_model::{Reads, Session};
use stepscope_server::handover::{Handover, Offer, Outcome, PERFETTO_PORT};
use stepscope_server::new_token;
use stepscope_server::redirection::{Redirection, private_file};

use super::export;
use super::export::report::Report;
use super::open_session;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::open;
use crate::output::Output;

/// How many seconds to wait for the page.
const TIMEOUT: &str = "600";

/// The subcommand.
pub(crate) fn command() -> Command {
    let command = Command::new("perfetto")
        .about("Open a session, or part of it, in ui.perfetto.dev")
        .after_help(
            "Examples:\n  # The newest session\n  stepscope perfetto ./logs\n  \
             # Two steps, on a machine without a browser: forward port 9001, then open the link\n  \
             stepscope perfetto ./logs --steps 3..5 --no-open\n\n\
             The page itself is loaded from the internet. It fetches the trace from this machine, \
             and\nthe trace stays in your browser unless you press Share there.",
        )
        .arg(args::path().required(true))
        .arg(args::session())
        .arg(
            Arg::new("no-open")
                .long("no-open")
                .action(ArgAction::SetTrue)
                .help("Print the link without opening a browser"),
        )
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .value_name("SECONDS")
                .value_parser(value_parser!(u64))
                .default_value(TIMEOUT)
                .help("How long to wait for the page to fetch the trace"),
        )
        .arg(
            Arg::new("port")
                .long("port")
                .value_name("PORT")
                .value_parser(value_parser!(u16))
                .hide(true)
                .help("Port, for other viewers; ui.perfetto.dev only uses 9001"),
        );
    export::with_selection(command)
}

/// Serves the trace until it is fetched.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let port = arguments
        .get_one::<u16>("port")
        .copied()
        .unwrap_or(PERFETTO_PORT);
    // Before writing the trace: an occupied port should not cost minutes.
    let handover = bind(port)?;
    let session = open_session(arguments, Reads::Everything, output)?;
    open::warn(session, &[], output);
    let wanted = export::wanted(session, arguments)?;
    let (offer, report) = offer(handover, session, &wanted)?;
    output.remark(&report.sentence());
    output.link("Perfetto", offer.link());
    output.remark(
        "the page comes from the internet; it fetches the trace from this machine, and the trace \
         stays in your browser unless you press Share there",
    );
    let _page = if arguments.get_flag("no-open") {
        None
    } else {
        open_browser(offer.link())
    };
    let seconds = arguments.get_one::<u64>("timeout").copied().unwrap_or(600);
    match offer.serve(Duration::from_secs(seconds))? {
        Outcome::Fetched => {
            output.remark("fetched");
            Ok(Exit::Fine)
        }
        Outcome::TimedOut => Err(Failure::new(
            Exit::Failure,
            format!("the trace was not fetched within {seconds} s"),
        )
        .hint("open the link sooner, or increase --timeout SECONDS")),
    }
}

/// Binds the port.
pub(crate) fn bind(port: u16) -> Result<Handover, Failure> {
    Handover::bind(port).map_err(|error| {
        let message = format!("cannot listen on 127.0.0.1:{port} ({error})");
        Failure::new(Exit::Failure, message).hint(
            "ui.perfetto.dev only uses this port: stop the other `stepscope perfetto` or whatever \
             is listening there, or write a file with `stepscope export PATH --perfetto FILE` and open it \
             there",
        )
    })
}

/// Writes the trace to an unnamed file and offers it.
pub(crate) fn offer(
    handover: Handover,
    session: &Session,
    wanted: &Wanted,
) -> Result<(Offer, Report), Failure> {
    let name = format!(
        "stepscope-{}.pftrace",
        new_token().map_err(io::Error::other)?
    );
    let path = std::env::temp_dir().join(name);
    let mut file = private_file(&path)?;
    let written = write_perfetto(session, wanted, &mut file);
    drop(file);
    let opened = File::open(&path);
    // Nothing else needs the name, and no file is left behind, however this ends.
    let _ = fs::remove_file(&path);
    AnalysisError::if_changed(session)?;
    let (written, file) = (written?, opened?);
    let report = Report {
        written,
        file_bytes: file.metadata()?.len(),
    };
    Ok((handover.offer(&session.name, file)?, report))
}

/// Best effort: the link is printed in any case. It has a secret, so the browser is started with a
/// page that leads to it, which is kept until the trace was fetched.
fn open_browser(link: &str) -> Option<Redirection> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let page = Redirection::to(link).ok()?;
    let _ = Process::new(program)
        .arg(page.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Some(page)
}
