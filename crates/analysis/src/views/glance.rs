//! The common input of overview, verdict and advice: steps, busy times and ops, computed in parallel
//! and only once for a whole session.

use std::sync::Arc;

use stepscope_model::Session;

use crate::measuring::busy::{self, DeviceBusy};
use crate::measuring::selection::Selected;
use crate::measuring::steps::{DividedSteps, divide_steps, step_time};
use crate::measuring::steps::{StepBar, StepPart, StepTime, bars};
use crate::measuring::totals::{WorkTotals, work_totals};
use crate::views::ops::{AllOps, all_ops};

/// Steps, busy times and ops of a selection.
pub(crate) struct Glance {
    /// Statistics over the step times; none without steps.
    pub(crate) step_time: Option<StepTime>,
    /// Each step on each device.
    pub(crate) steps: Arc<DividedSteps>,
    /// Each step as the mean over hosts.
    pub(crate) bars: Vec<StepBar>,
    /// Each selected device.
    pub(crate) devices: Vec<DeviceBusy>,
    /// Their mean busy share: of the devices that work in the steps; without steps, of those that
    /// recorded work.
    pub(crate) busy_ratio: Option<f64>,
    /// Time of work by label.
    pub(crate) totals: Arc<Vec<WorkTotals>>,
    /// Every op.
    pub(crate) ops: Arc<AllOps>,
}

impl Glance {
    /// Computes it for a selection of steps, times, devices and hosts.
    pub(crate) fn of(session: &Session, selected: &Selected<'_>) -> Arc<Self> {
        if selected.is_everything() {
            return session
                .memo
                .get_or_compute(|| Self::take(session, selected));
        }
        Arc::new(Self::take(session, selected))
    }

    fn take(session: &Session, selected: &Selected<'_>) -> Self {
        // The steps cost most and need nothing from the ops, so they run side by side.
        let ((steps, devices), (totals, ops)) = rayon::join(
            || {
                let steps = divide_steps(session, selected);
                let devices = busy::devices(session, selected, &steps);
                (steps, devices)
            },
            || {
                let totals = work_totals(session, selected);
                let ops = all_ops(session, selected, &totals);
                (totals, ops)
            },
        );
        Self {
            step_time: step_time(session, selected),
            bars: bars::bars(session, &steps.rows),
            busy_ratio: busy::mean(&devices, &steps.rows),
            steps,
            devices,
            totals,
            ops,
        }
    }

    /// The mean step divided into its parts, in display order; empty without steps.
    pub(crate) fn step_parts(&self) -> Vec<StepPart> {
        bars::mean_parts(&self.steps.rows)
    }
}
