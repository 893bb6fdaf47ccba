//! How long a device pauses between programs, although it has work: each program is handed over by itself,
//! so with fewer of them there are fewer such pauses.
//!
//! ```text
//! device    [ run ██ ██ ]....[ run ██ ]..[ run ██ ]
//!                  ^          ^^^^          ^^           within a program, and between programs
//! ```

use stepscope_model::{DeviceId, Picos, ProgramRun, Span};

use crate::judging::advice::facts::Facts;
use crate::measuring::interval::Intervals;
use crate::measuring::pauses::Pauses;
use crate::measuring::steps::StepParts;

/// The mean over the steps of a device before runs that `counts` accepts, in picoseconds.
pub(super) fn pauses_between_ps(
    facts: &Facts<'_>,
    device: DeviceId,
    counts: impl Fn(&ProgramRun) -> bool,
) -> f64 {
    let session = facts.session;
    let runs = session.program_runs.iter();
    let mut runs: Vec<&ProgramRun> = runs.filter(|run| run.device == device).collect();
    runs.sort_by_key(|run| run.span);
    let mut ended = Picos(i64::MIN);
    let mut before: Vec<Span> = Vec::new();
    for run in runs {
        if ended < run.span.start && counts(run) {
            before.push(Span::new(ended, run.span.start));
        }
        ended = ended.max(run.span.end);
    }
    let pauses = Pauses::of(session);
    let between = pauses.of_device(session, device);
    let between = between.intersect(&Intervals::union_of(before));
    let own = facts.rows().iter().filter(|row| row.device == Some(device));
    let own: Vec<&StepParts> = own.collect();
    let times = own.iter().map(|row| {
        let within = between.duration_within(row.span).0;
        within.min(row.lengths.paused_ps) as f64
    });
    times.sum::<f64>() / own.len().max(1) as f64
}
