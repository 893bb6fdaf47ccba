//! The rows of the report.

use stepscope_model::{DeviceId, HostId, Session};

use super::report::StepRow;
use crate::measuring::steps::{StepParts, outliers};

/// The report's rows. Outliers are determined among the steps of the same device.
pub(super) fn report_rows(session: &Session, all: &[StepParts]) -> Vec<StepRow> {
    let mut rows: Vec<StepRow> = all.iter().map(|parts| row(session, parts)).collect();
    let mut places: Vec<(HostId, Option<DeviceId>)> =
        all.iter().map(|parts| (parts.host, parts.device)).collect();
    places.sort_unstable();
    places.dedup();
    for place in places {
        let of_place: Vec<usize> = (0..all.len())
            .filter(|&index| (all[index].host, all[index].device) == place)
            .collect();
        let durations: Vec<f64> = of_place
            .iter()
            .map(|&index| rows[index].duration_ps as f64)
            .collect();
        for (&index, is_outlier) in of_place.iter().zip(outliers(&durations)) {
            rows[index].is_outlier = is_outlier;
        }
    }
    rows
}

fn row(session: &Session, parts: &StepParts) -> StepRow {
    let [
        device_compute_ps,
        collectives_ps,
        host_to_device_ps,
        device_to_host_ps,
        device_to_device_ps,
        python_callbacks_ps,
        input_wait_ps,
        compilation_ps,
        host_overhead_ps,
        idle_ps,
    ] = parts.lengths.parts_ps;
    StepRow {
        step: session.steps[parts.step].number,
        host: session.host(parts.host).name.clone(),
        device: parts
            .device
            .map(|id| session.device(id).name.clone())
            .unwrap_or_default(),
        start_ps: parts.span.start.0,
        duration_ps: parts.span.duration().0,
        busy_ps: parts.lengths.busy_ps,
        device_compute_ps,
        collectives_ps,
        host_to_device_ps,
        device_to_host_ps,
        device_to_device_ps,
        python_callbacks_ps,
        input_wait_ps,
        compilation_ps,
        host_overhead_ps,
        idle_ps,
        is_outlier: false,
    }
}
