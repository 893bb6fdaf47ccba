//! Steps as rows of their own, one for each device or host that took part, where none was recorded.

use stepscope_model::{DeviceId, HostId, Session, Span, TrackRole};

use super::Wanted;

/// The steps on one device or host, by start, none within another.
pub(super) struct StepRow {
    pub(super) host: HostId,
    pub(super) device: Option<DeviceId>,
    /// Number and time.
    pub(super) steps: Vec<(i64, Span)>,
}

/// All rows of steps that are wanted.
pub(super) fn step_rows(session: &Session, wanted: &Wanted) -> Vec<StepRow> {
    let mut rows: Vec<StepRow> = Vec::new();
    for &position in &wanted.steps {
        let Some(step) = session.steps.get(position) else {
            continue;
        };
        for on in &step.spans {
            let is_wanted = match on.device {
                Some(device) => wanted
                    .devices
                    .get(device.index())
                    .is_some_and(Option::is_some),
                None => wanted
                    .hosts
                    .get(on.host.index())
                    .is_some_and(Option::is_some),
            };
            if !is_wanted || is_recorded(session, on.device) {
                continue;
            }
            let place = (on.host, on.device);
            let row =
                if let Some(found) = rows.iter().position(|row| (row.host, row.device) == place) {
                    &mut rows[found]
                } else {
                    rows.push(StepRow {
                        host: on.host,
                        device: on.device,
                        steps: Vec::new(),
                    });
                    let last = rows.len() - 1;
                    &mut rows[last]
                };
            row.steps.push((step.number, on.span));
        }
    }
    for row in &mut rows {
        row.steps.sort_by_key(|(number, span)| (*span, *number));
        // One begins where the one before ends at the latest.
        for index in 1..row.steps.len() {
            let begin = row.steps[index].1.start;
            let before = &mut row.steps[index - 1].1;
            before.end = before.end.min(begin);
        }
    }
    rows.sort_by_key(|row| (row.host, row.device));
    rows
}

fn is_recorded(session: &Session, device: Option<DeviceId>) -> bool {
    let is_steps = |track: &&stepscope_model::Track| {
        track.role == TrackRole::Steps && track.device == device && device.is_some()
    };
    session.tracks.iter().any(|track| is_steps(&track))
}
