//! Captures at intervals: a window every ten minutes, say, each a session of its own.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::cancel::Cancel;
use crate::capture::{capture_async, runtime};
use crate::failure::CaptureError;
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::request::Request;

/// How often, and how many times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repetition {
    /// From the start of one capture to the start of the next. A capture that takes longer is
    /// followed by the next at once, and no start is made up for.
    pub every: Duration,
    /// How many captures; without end where none is given.
    pub times: Option<u32>,
}

impl Repetition {
    /// The start after `last` that is not past at `now`.
    fn next(self, last: Instant, now: Instant) -> Instant {
        (last + self.every).max(now)
    }
}

/// Captures again and again until the times are over or `cancel` says so, and tells each outcome.
/// A capture in which no host answers does not end the series: jobs are restarted.
///
/// Gives the number of captures made. An error ends the series.
pub fn capture_repeatedly(
    request: &Request,
    repetition: Repetition,
    progress: &(impl Progress + ?Sized),
    cancel: &Cancel,
    mut each: impl FnMut(Outcome),
) -> Result<u32, CaptureError> {
    let runtime = runtime()?;
    let mut made = 0;
    let mut start = Instant::now();
    while repetition.times.is_none_or(|times| made < times) && !cancel.is_finishing() {
        if made > 0 {
            start = repetition.next(start, Instant::now());
            let is_ended = runtime.block_on(async {
                tokio::select! {
                    () = sleep_until(start) => false,
                    () = cancel.finishing() => true,
                }
            });
            if is_ended {
                break;
            }
        }
        made += 1;
        each(runtime.block_on(capture_async(request, progress, cancel))?);
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_keep_their_distance_and_none_is_made_up_for() {
        let every = Duration::from_secs(10);
        let repetition = Repetition { every, times: None };
        let start = Instant::now();
        let seconds = |count| start + Duration::from_secs(count);
        assert_eq!(repetition.next(start, seconds(3)), seconds(10));
        assert_eq!(repetition.next(start, seconds(25)), seconds(25));
    }
}
