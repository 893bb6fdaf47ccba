//! One query and its rows, and what is said besides.

use std::future;
use std::io::{self, IsTerminal as _};
use std::time::Instant;

use crate::engine::{Engine, QueryError};
use stepscope_storage::hide_credentials;
use tokio::runtime::Runtime;

use super::arguments::{Arguments, FINE, INTERRUPT, USAGE};
use super::write;

/// Asks one query and writes its rows.
pub(crate) fn answer(
    runtime: &Runtime,
    engine: &Engine,
    query: &str,
    arguments: &Arguments,
) -> i32 {
    let started = Instant::now();
    let written = runtime.block_on(async {
        let rows = engine.query(query).await?;
        let written = write::rows(rows, arguments, engine);
        if !engine.runs_elsewhere() {
            return written.await;
        }
        // Other machines would go on: dropping the rows ends their work.
        tokio::select! {
            written = written => written,
            () = interrupted() => Err(QueryError {
                message: INTERRUPTED.to_owned(),
                hint: String::new(),
            }),
        }
    });
    let remarks = engine.library().take_remarks();
    if !arguments.quiet {
        tell_remarks(&remarks);
    }
    match written {
        Ok(count) => {
            if !arguments.quiet && io::stderr().is_terminal() {
                let seconds = started.elapsed().as_secs_f64();
                let sessions = engine.library().sources().len();
                remark(&format!(
                    "{count} rows of {sessions} sessions in {seconds:.2} s"
                ));
            }
            FINE
        }
        Err(error) => fail(&error),
    }
}

/// Remarks that are printed one by one; more are counted.
const MOST_REMARKS: usize = 8;

fn tell_remarks(remarks: &[String]) {
    for text in remarks.iter().take(MOST_REMARKS) {
        remark(text);
    }
    if let Some(more) = remarks
        .len()
        .checked_sub(MOST_REMARKS)
        .filter(|more| *more > 0)
    {
        remark(&format!("{more} more remarks like these"));
    }
}

/// What a query says that a signal ended.
const INTERRUPTED: &str = "interrupted; the fleet starts no more of its tasks";

/// Waits for a signal that asks the process to end.
async fn interrupted() {
    // Without a handler, the signal ends the process as usual.
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let terminate = async {
            match signal(SignalKind::terminate()) {
                Ok(mut asked) => drop(asked.recv().await),
                Err(_) => future::pending::<()>().await,
            }
        };
        tokio::select! {
            () = interrupt => {}
            () = terminate => {}
        }
    }
    #[cfg(not(unix))]
    interrupt.await;
}

pub(crate) fn fail(error: &QueryError) -> i32 {
    if error.message == INTERRUPTED {
        return refuse(&error.message, "", INTERRUPT);
    }
    // Whoever read the rows left.
    if error.message == write::BROKEN_PIPE {
        return FINE;
    }
    refuse(&error.message, &error.hint, USAGE)
}

pub(crate) fn refuse(reason: &str, hint: &str, exit: i32) -> i32 {
    let reason = shown(reason);
    anstream::eprintln!("error: {reason}");
    if !hint.is_empty() {
        anstream::eprintln!("hint: {}", shown(hint));
    }
    exit
}

fn remark(text: &str) {
    anstream::eprintln!("{}", shown(text));
}

/// Without passwords and control characters.
fn shown(text: &str) -> String {
    let text = hide_credentials(text);
    let visible = |c: char| if c.is_control() && c != '\n' { ' ' } else { c };
    text.chars().map(visible).collect()
}
