//! How long devices wait for the last one at each collective, where they compute nothing meanwhile.
//!
//! ```text
//! waits for the last      ██████████        from its own arrival to the last one
//! computes            █████████      ██
//! counts                       █████
//! ```
//!
//! A wait that computation hides costs nothing: devices that run a constant time apart show it at every
//! asynchronous collective. Where several are in flight, their common time counts once.

use stepscope_model::{DeviceId, Picos, SaturatingSum as _, Span};

use crate::measuring::communication::AllCommunication;
use crate::views::collectives::matching::{Arrivals, Wait};
use crate::views::collectives::{Evidence, Exchanges};

/// The waits at one matched collective.
pub(super) struct WaitsAt {
    /// Number of the instance.
    pub(super) instance: usize,
    pub(super) arrivals: Arrivals,
    /// Exposed wait of each member, in their order.
    pub(super) exposed_ps: Vec<i64>,
}

impl WaitsAt {
    /// Mean over the others of their wait for the last one.
    pub(super) fn caused_ps(&self) -> i64 {
        let others = i64::try_from(self.exposed_ps.len() - 1).unwrap_or(1);
        self.exposed_ps.iter().copied().saturating_sum() / others.max(1)
    }
}

/// The waits at the collectives of the selection, in the order of their last arrivals.
pub(super) fn waits(evidence: &Evidence<'_>) -> Vec<WaitsAt> {
    let session = evidence.session;
    let Exchanges {
        survey,
        matched,
        clocks,
    } = &*evidence.found;
    let communication = AllCommunication::of(session);
    let mut found: Vec<WaitsAt> = evidence
        .instances()
        .map(|(instance, members)| WaitsAt {
            instance,
            arrivals: members.arrivals(session, survey, clocks),
            exposed_ps: Vec::new(),
        })
        .collect();
    found.sort_by_key(|at| (at.arrivals.last_ps, at.instance));
    // Up to when the waits of each device have counted.
    let mut until = vec![Picos(i64::MIN); session.devices.len()];
    let mut spans: Vec<(DeviceId, Span)> = Vec::new();
    for at in &found {
        let members = matched.instances[at.instance].members.iter();
        spans.extend(members.map(|&member| {
            let occurrence = &survey.occurrences[member];
            let wait = Wait::of(session, clocks, occurrence, at.arrivals.last_ps);
            let until = &mut until[occurrence.device.index()];
            let start = occurrence.span.start;
            let span = Span {
                start: start.max(*until),
                end: start + Picos(wait.wait_ps),
            };
            if span.end > span.start {
                *until = span.end;
            }
            (occurrence.device, span)
        }));
    }
    let computed_ps = communication.computed_ps(session, &spans);
    let mut exposed = spans
        .iter()
        .zip(computed_ps)
        .map(|((_, span), computed_ps)| {
            let is_empty = span.end <= span.start;
            if is_empty {
                0
            } else {
                span.duration().0 - computed_ps
            }
        });
    for at in &mut found {
        let count = matched.instances[at.instance].members.len();
        at.exposed_ps = exposed.by_ref().take(count).collect();
    }
    found
}
