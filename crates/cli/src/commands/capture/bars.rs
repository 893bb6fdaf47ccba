//! One progress line per host, or sentences if standard error is not a terminal.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar};
use stepscope_analysis::telling::format as figures;
use stepscope_capture::{HostProgress, Phase, Progress, Request};

use crate::output::Output;

/// The lines of all hosts. Clones share them.
#[derive(Clone)]
pub(super) struct HostBars {
    names: Arc<Vec<String>>,
    /// Length of the window; `None` if it has no end.
    duration: Option<Duration>,
    output: Output,
    lines: Arc<Mutex<Lines>>,
}

struct Lines {
    group: Option<MultiProgress>,
    bars: Vec<ProgressBar>,
    /// What was already printed about each host when standard error is not a terminal; nothing is
    /// printed twice.
    told: Vec<Vec<String>>,
}

impl HostBars {
    pub(super) fn new(output: &Output, request: &Request, duration: Option<Duration>) -> Self {
        let names: Vec<String> = request.addresses.iter().map(ToString::to_string).collect();
        let lines = Lines {
            group: output.bars(),
            bars: Vec::new(),
            told: vec![Vec::new(); names.len()],
        };
        let bars = Self {
            names: Arc::new(names),
            duration,
            output: output.clone(),
            lines: Arc::new(Mutex::new(lines)),
        };
        bars.restart();
        bars
    }

    /// Starts over, for the next capture of a series.
    pub(super) fn restart(&self) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.told.fill(Vec::new());
        let Some(group) = lines.group.clone() else {
            return;
        };
        let widest = self.names.iter().map(String::len).max().unwrap_or(0);
        let bar = |name: &String| self.output.bar(&group, &format!("{name:<widest$}"));
        lines.bars = self.names.iter().map(bar).collect();
    }

    /// Removes the lines.
    pub(super) fn finish(&self) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.bars.drain(..).for_each(|bar| bar.finish_and_clear());
    }

    /// Prints something above the lines.
    pub(super) fn aside(&self, say: impl FnOnce()) {
        let group = self
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .group
            .clone();
        match group {
            Some(group) => group.suspend(say),
            None => say(),
        }
    }

    /// The position of the bar, out of 1000, and the words after it.
    fn words(&self, progress: &HostProgress) -> (u64, String) {
        let seconds = |duration: Duration| format!("{:.1} s", duration.as_secs_f64());
        let received = figures::bytes(progress.received_bytes as f64);
        match &progress.phase {
            Phase::Connecting => (0, "connecting".to_owned()),
            Phase::Busy => (0, "another capture is running, retrying".to_owned()),
            Phase::Waiting => (0, "waiting for the shared start time".to_owned()),
            Phase::Recording => match self.duration {
                None => (0, format!("recording for {}", seconds(progress.elapsed))),
                Some(duration) => {
                    let elapsed = progress.elapsed.min(duration);
                    let ratio = elapsed.as_secs_f64() / duration.as_secs_f64().max(1e-3);
                    let words = format!("recording {} of {}", seconds(elapsed), seconds(duration));
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a ratio of 0 to 1 in thousandths"
                    )]
                    let thousandths = (ratio.clamp(0.0, 1.0) * 1000.0) as u64;
                    (thousandths, words)
                }
            },
            Phase::Gathering => (
                1000,
                format!("collecting for {}", seconds(progress.elapsed)),
            ),
            Phase::Receiving => (1000, format!("received {received}")),
            Phase::Done => (1000, format!("wrote {received}")),
            Phase::Failed(reason) => (0, format!("failed: {reason}")),
        }
    }
}

impl Progress for HostBars {
    fn host(&self, index: usize, progress: &HostProgress) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let (thousandths, words) = self.words(progress);
        if lines.group.is_some() {
            if let Some(bar) = lines.bars.get(index) {
                bar.set_position(thousandths);
                bar.set_message(self.output.charset.text(&words));
            }
            return;
        }
        // The result says how it ended.
        let said = match (&progress.phase, self.duration) {
            (Phase::Recording, Some(duration)) => {
                format!("recording for {:.1} s", duration.as_secs_f64())
            }
            (Phase::Gathering, Some(_)) => "collecting the profile".to_owned(),
            (Phase::Busy, _) => words,
            _ => return,
        };
        let told = &mut lines.told[index];
        if !told.contains(&said) {
            self.output
                .remark(&format!("{}: {said}", self.names[index]));
            told.push(said);
        }
    }
}
