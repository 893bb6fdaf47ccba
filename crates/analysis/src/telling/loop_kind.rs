//! How the loop of a program with annotated steps runs them: whether it waits for its devices, and where. Steps
//! last accordingly, and the notes say so.

use stepscope_model::{Session, Step};

use crate::measuring::lead::{hardly_runs_ahead, is_done_before_next};
use crate::measuring::selection::{counted_steps, main_series};

/// How the program's loop runs its steps.
pub(super) enum LoopKind {
    /// No device work belongs to the steps.
    HostOnly,
    /// It waits for the device in every step.
    Waits,
    /// It waits for the device after the annotation that launched the work.
    EndsWithWork,
    /// It waits in every step, but not for the last of its work.
    LeavesLittle,
    /// It begins the next step when the device is done, and waits outside of annotations.
    WaitsOutside,
    /// It dispatches steps ahead.
    RunsAhead,
}

impl LoopKind {
    pub(super) fn of(session: &Session) -> Self {
        let counted = counted_steps(session);
        let series = main_series(session);
        let spans = || counted.iter().flat_map(|&step| &session.steps[step].spans);
        if spans().all(|on| on.work.is_none()) {
            Self::HostOnly
        } else if spans().any(|on| on.device.is_none()) {
            Self::Waits
        } else if ends_with_work(session, &counted) {
            Self::EndsWithWork
        } else if hardly_runs_ahead(session, series, &counted) {
            Self::LeavesLittle
        } else if is_done_before_next(session, series, &counted) {
            Self::WaitsOutside
        } else {
            Self::RunsAhead
        }
    }

    /// `6 steps, annotated as …`, with how long they last and why.
    pub(super) fn told(&self, annotated: &str) -> String {
        let lasts = match self {
            Self::HostOnly => return format!("{annotated} on the host."),
            Self::Waits => "The loop waits for that work, so a step is as long as its annotation.",
            Self::EndsWithWork => {
                "The loop waits for that work after the annotation, so a step lasts from the end of the \
                 work before to the end of its own."
            }
            Self::LeavesLittle => {
                "The loop waits for most of that work, so a step lasts about as long as its annotation: on \
                 a device it begins when the work before it is done and its annotation has begun."
            }
            Self::WaitsOutside => {
                "That work ends before the next annotation begins, so the host does not run ahead. A step \
                 does not last as long as its annotation: on a device it begins when the work before it is \
                 done and its annotation has begun."
            }
            Self::RunsAhead => {
                "The host runs ahead of the devices, so a step does not last as long as its annotation: on \
                 a device it begins when the work before it is done and its annotation has begun."
            }
        };
        format!("{annotated}; device work belongs to the step that launched it. {lasts}")
    }
}

/// Whether every step, also the last one, is known to end with its own work. In a loop that runs ahead,
/// the last one is cut or ends with its annotation.
fn ends_with_work(session: &Session, counted: &[usize]) -> bool {
    let main = main_series(session);
    let has_work = |step: &&Step| step.spans.iter().any(|on| on.work.is_some());
    let mut own = session.steps.iter().filter(|step| step.series == main);
    let last = own.rfind(has_work);
    last.is_some_and(|step| !step.is_cut)
        && counted.iter().all(|&step| {
            let spans = || session.steps[step].spans.iter();
            let works = spans().filter_map(|on| on.work);
            works.map(|work| work.end).max() == spans().map(|on| on.span.end).max()
        })
}
