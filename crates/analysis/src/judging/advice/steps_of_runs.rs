//! In which step a program ran.

use std::collections::BTreeMap;

use stepscope_model::{DeviceId, ProgramRun};

use super::facts::Facts;
use crate::measuring::steps::StepParts;

/// The steps of each device in order.
pub(super) struct StepsOfRuns<'a>(BTreeMap<DeviceId, Vec<&'a StepParts>>);

impl<'a> StepsOfRuns<'a> {
    /// The selected steps.
    pub(super) fn of(facts: &'a Facts<'_>) -> Self {
        let mut of_device: BTreeMap<DeviceId, Vec<&StepParts>> = BTreeMap::new();
        for row in facts.rows() {
            if let Some(device) = row.device {
                of_device.entry(device).or_default().push(row);
            }
        }
        for rows in of_device.values_mut() {
            rows.sort_by_key(|row| row.span);
        }
        Self(of_device)
    }

    /// Steps of all devices.
    pub(super) fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// The step of its device in which a run starts.
    pub(super) fn step(&self, run: &ProgramRun) -> Option<&'a StepParts> {
        let rows = self.0.get(&run.device)?;
        let after = rows.partition_point(|row| row.span.start <= run.span.start);
        let row = rows[after.checked_sub(1)?];
        row.span.contains_instant(run.span.start).then_some(row)
    }
}
