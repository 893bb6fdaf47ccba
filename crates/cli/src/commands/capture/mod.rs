//! `stepscope capture`: records running jobs and reports the result.

mod arguments;
mod bars;
mod continuous;
mod ends;
mod tell;

use std::cell::Cell;

use clap::ArgMatches;
use stepscope_capture::{Cancel, Outcome, Repetition, capture, capture_repeatedly};

pub(crate) use arguments::{command, parse_time};

use crate::exit::{Exit, Failure};
use crate::output::Output;
use bars::HostBars;
use ends::{Ends, exit};

/// Captures once, at intervals, or continuously.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let request = arguments::request(arguments)?;
    let cancel = Cancel::new();
    let is_continuous = arguments.get_flag("continuous") || arguments.get_flag("stop");
    let duration = Some(request.duration).filter(|_| !is_continuous);
    let bars = HostBars::new(output, &request, duration);
    end_on_signals(&cancel, output, &bars)?;
    if is_continuous {
        return continuous::run(arguments, &request, &bars, &cancel, output);
    }
    let Some(every) = arguments::given(arguments, "every") else {
        let outcome =
            capture(&request, &bars, &cancel).map_err(|error| arguments::usage(&error))?;
        bars.finish();
        tell::outcome(&outcome, arguments, output)?;
        return Ok(exit(&outcome));
    };
    let repetition = Repetition {
        every,
        times: arguments.get_one::<u32>("repeat").copied(),
    };
    let ends = Ends::default();
    let told: Cell<Result<(), Failure>> = Cell::new(Ok(()));
    let each = |outcome: Outcome| {
        bars.finish();
        ends.add(exit(&outcome));
        let result = tell::outcome(&outcome, arguments, output);
        if result.is_err() {
            // Standard output is closed: nobody reads the rest of the series.
            cancel.abort();
            told.set(result);
        }
        bars.restart();
    };
    capture_repeatedly(&request, repetition, &bars, &cancel, each)
        .map_err(|error| arguments::usage(&error))?;
    bars.finish();
    told.into_inner()?;
    Ok(ends.exit())
}

/// The first Ctrl-C (or SIGTERM) ends the capture and keeps what arrived; the second one aborts.
fn end_on_signals(cancel: &Cancel, output: &Output, bars: &HostBars) -> Result<(), Failure> {
    let (cancel, output, bars) = (cancel.clone(), output.clone(), bars.clone());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let wait = move || {
        runtime.block_on(async {
            stepscope_server::asked_to_stop().await;
            bars.aside(|| output.remark("ending the capture; press Ctrl-C again to abort"));
            cancel.finish();
            stepscope_server::asked_to_stop().await;
            cancel.abort();
        });
    };
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait)?;
    Ok(())
}
