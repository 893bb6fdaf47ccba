//! `stepscope capture --continuous`: the hosts record continuously, and each Enter saves what they
//! have recorded.

use std::io::{BufRead, IsTerminal};
use std::time::Duration;

use clap::ArgMatches;
use stepscope_capture::{Cancel, Continuous, Request};
use tokio::sync::mpsc;

use super::bars::HostBars;
use super::ends::{Ends, exit};
use super::{arguments, tell};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Why a snapshot is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wake {
    Wanted,
    /// The last one: the user stops it, or the input has ended.
    Last,
}

/// Starts, takes snapshots on request, stops.
pub(super) fn run(
    arguments: &ArgMatches,
    request: &Request,
    bars: &HostBars,
    cancel: &Cancel,
    output: &Output,
) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(record(arguments, request, bars, cancel, output))
}

async fn record(
    arguments: &ArgMatches,
    request: &Request,
    bars: &HostBars,
    cancel: &Cancel,
    output: &Output,
) -> Result<Exit, Failure> {
    let is_left_over = arguments.get_flag("stop");
    let started = if is_left_over {
        Continuous::resume(request, bars, cancel).await
    } else {
        Continuous::start(request, bars, cancel).await
    };
    bars.finish();
    let mut continuous = started.map_err(|error| arguments::usage(&error))?;
    for host in continuous.failed() {
        if let Some(failure) = host.failure() {
            output.warn(&format!("{}: {failure}", host.address), failure.hint());
        }
    }
    if continuous.running() == 0 {
        return Ok(Exit::Failure);
    }
    let every = arguments::given(arguments, "every");
    if is_left_over {
        // The last snapshot is the only one.
        cancel.finish();
    } else {
        announce(every, output);
    }
    let mut left = arguments.get_one::<u32>("repeat").copied();
    let mut lines = (every.is_none() && !is_left_over).then(enters);
    let ends = Ends::default();
    let told = loop {
        let wake = next(every, lines.as_mut(), cancel).await;
        bars.restart();
        // Ctrl-C has already requested the end, so wait for this one.
        let taken = continuous.snapshot(bars, cancel).await;
        bars.finish();
        let told = match taken {
            Ok(outcome) => {
                ends.add(exit(&outcome));
                tell::outcome(&outcome, arguments, output)
            }
            Err(error) => Err(arguments::usage(&error)),
        };
        left = left.map(|left| left.saturating_sub(1));
        if wake == Wake::Last || left == Some(0) || told.is_err() || cancel.is_finishing() {
            break told;
        }
    };
    for host in continuous.stop().await {
        if let Some(failure) = host.failure() {
            output.warn(
                &format!("{}: could not be stopped: {failure}", host.address),
                failure.hint(),
            );
        }
    }
    told?;
    Ok(ends.exit())
}

fn announce(every: Option<Duration>, output: &Output) {
    output.remark(match every {
        Some(_) => "recording continuously; Ctrl-C takes a last snapshot and stops",
        None => "recording continuously; Enter takes a snapshot, Ctrl-C takes a last one and stops",
    });
    output.remark(
        "until then, these jobs cannot be captured otherwise, and their memory use may \
            grow",
    );
}

/// Waits for the next reason to take a snapshot.
async fn next(
    every: Option<Duration>,
    lines: Option<&mut mpsc::UnboundedReceiver<()>>,
    cancel: &Cancel,
) -> Wake {
    let timer = async {
        match every {
            Some(every) => tokio::time::sleep(every).await,
            None => std::future::pending().await,
        }
    };
    let line = async {
        match lines {
            Some(lines) => lines.recv().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = timer => Wake::Wanted,
        // The end of the input ends the recording.
        line = line => if line.is_some() { Wake::Wanted } else { Wake::Last },
        () = cancel.finishing() => Wake::Last,
    }
}

/// A message for each line of standard input; closed at its end.
fn enters() -> mpsc::UnboundedReceiver<()> {
    let (send, receive) = mpsc::unbounded_channel();
    let read = move || {
        let stdin = std::io::stdin();
        tracing::debug!(is_terminal = stdin.is_terminal(), "waiting for lines");
        for line in stdin.lock().lines() {
            if line.is_err() || send.send(()).is_err() {
                return;
            }
        }
    };
    // Without the thread no line arrives and the channel is closed: one snapshot, then the end.
    let _ = std::thread::Builder::new()
        .name("enter".to_owned())
        .spawn(read);
    receive
}
