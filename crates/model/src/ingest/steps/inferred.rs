//! Steps if none are known: the period of the main function.

use super::evidence::{Evidence, Found, Steps, period};
use super::main_function::main_function;
use crate::ids::DeviceId;
use crate::ingest::runs::runs_by_device;
use crate::session::ProgramRun;
use crate::step::StepSpan;
use crate::units::Span;

/// The k-th run, on every device, of the main function's programs is step k, until the next run, or the
/// k-th round of several functions. The last one has no next: the end of its step is unknown, so it is cut.
pub(super) fn steps(evidence: &Evidence<'_>) -> Steps {
    let Some(main) = main_function(evidence) else {
        return Steps::new();
    };
    let mut steps = Steps::new();
    let runs_of = runs_by_device(evidence.runs, evidence.devices.len());
    for (position, device) in evidence.devices.iter().enumerate() {
        let id = DeviceId::from_index(position);
        let mut runs: Vec<&ProgramRun> = runs_of[position].iter().collect();
        runs.sort_by_key(|run| (run.span, run.program));
        let works = main.works(&runs);
        let is_first_cut = began_before(&works, &runs);
        for position in 0..works.len() {
            let Some((span, is_last)) = period(&works, position) else {
                continue;
            };
            let number = i64::try_from(position).unwrap_or(i64::MAX);
            let found: &mut Found = steps.entry((None, number, 0)).or_default();
            found.is_cut |= is_last || (is_first_cut && position == 0);
            found.spans.push(StepSpan {
                host: device.host,
                device: Some(id),
                span,
                work: works[position],
            });
        }
    }
    steps
}

/// Whether the first work began before the recording, so that an unknown part of it is missing: its call
/// was not recorded, though calls were.
fn began_before(works: &[Option<Span>], runs: &[&ProgramRun]) -> bool {
    let first = works.iter().flatten().next();
    let Some(first) = first.and_then(|work| runs.iter().find(|run| run.span.start == work.start))
    else {
        return false;
    };
    first.launched.is_none() && runs.iter().any(|run| run.launched.is_some())
}
