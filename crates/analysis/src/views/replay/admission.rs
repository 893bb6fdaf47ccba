//! Whether a replay may be believed: it has to give every recorded step, from dependencies alone.

use stepscope_model::Session;

use super::Replay;
use super::effects::{Effects, Reading};
use super::run::Times;
use super::size::{slices, too_large};
use super::steps::{StepOn, WHOLE};
use crate::measuring::selection::Selected;
use crate::telling::format;

/// Largest accepted difference between a replayed and a recorded step, as a share of the step.
pub const MOST_ERROR: f64 = 0.005;
/// Largest accepted share of launches that were recorded after what they launched began.
const MOST_LATE: f64 = 0.01;

/// Steps of a selection, and whether the replay reproduces them.
pub struct Admission {
    /// Selected steps on selected devices, by step and device.
    pub steps: Vec<StepOn>,
    /// Largest error over the steps, 0..1.
    pub error_ratio: f64,
    /// Why answers from the replay are refused; a full sentence.
    pub refusal: Option<String>,
}

impl Admission {
    /// Judges the selected steps.
    pub fn of(session: &Session, replay: &Replay, selected: &Selected<'_>) -> Self {
        let positions = selected.step_positions();
        let is_selected = |one: &&StepOn| {
            selected.devices.contains(&one.device)
                && (one.step == WHOLE || positions.binary_search(&one.step).is_ok())
        };
        let steps: Vec<StepOn> = replay.steps.iter().filter(is_selected).copied().collect();
        let mut error_ratio = 0.0f64;
        let mut refusal = None;
        // Every reading has to agree with the recording; `Likely` is what the figures show.
        for reading in Reading::ALL {
            let own;
            let times: &Times = if reading == Reading::Likely {
                &replay.unchanged
            } else {
                own = replay.with(&Effects::none(), reading);
                &own
            };
            for one in &steps {
                let error = one.error(times);
                if error > MOST_ERROR && refusal.is_none() {
                    refusal = Some(beyond(session, replay, one, error));
                }
                error_ratio = error_ratio.max(error);
            }
        }
        let refusal = missing(session, &steps)
            .or_else(|| late(replay))
            .or(refusal);
        Self {
            steps,
            error_ratio,
            refusal,
        }
    }
}

fn missing(session: &Session, steps: &[StepOn]) -> Option<String> {
    if !steps.is_empty() {
        return None;
    }
    if let Some(why) = too_large(slices(session)) {
        return Some(why);
    }
    let has_work = session
        .device_ids()
        .any(|device| session.work_tracks(device).next().is_some());
    Some(if has_work {
        "No selected device worked in the selected steps, so there is nothing to replay.".to_owned()
    } else {
        "No device recorded work, so there is nothing to replay.".to_owned()
    })
}

fn late(replay: &Replay) -> Option<String> {
    let graph = &replay.graph;
    let is_late = graph.late_launches as f64 > MOST_LATE * graph.launches as f64;
    is_late.then(|| {
        format!(
            "{} of {} were recorded after what they launched began: the clocks of hosts and devices \
             disagree, and what waited for what cannot be told.",
            graph.late_launches,
            format::counted(graph.launches, "launch").replace("launchs", "launches"),
        )
    })
}

fn beyond(session: &Session, replay: &Replay, one: &StepOn, error: f64) -> String {
    let what = match session.steps.get(one.step) {
        Some(step) => format!("Step {}", step.number),
        None => "The recording".to_owned(),
    };
    let dropped = match replay.graph.dropped {
        0 => String::new(),
        count => format!(
            "; {} contradict one another",
            format::counted(count, "dependency").replace("dependencys", "dependencies")
        ),
    };
    format!(
        "{what} on {} takes {} in the replay and {} in the recording, {} off, which is more than \
         {}: the recording contradicts its own dependencies{dropped}.",
        session.device_title(one.device),
        format::duration_ps(one.length_ps(&replay.unchanged) as f64),
        format::duration_ps(one.span.duration().0 as f64),
        format::percent(error),
        format::percent(MOST_ERROR),
    )
}
