//! Display order of tracks, and rows derived from program runs.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::nest::{Nester, Slice};
use super::runs::runs_by_device;
use super::steps::HostStep;
use crate::activity::Activity;
use crate::attribution::Attribution;
use crate::ids::{DeviceId, LabelId, ProgramId, StringId, TrackId};
use crate::label::{Class, Label, SliceKind};
use crate::session::{ProgramRun, Session};
use crate::track::{Origin, Track, TrackRole, distinct};

/// Devices first, then host threads, host by host; Python first among threads.
pub(super) fn display_key(session: &Session, track: &Track) -> impl Ord + use<> {
    let name = session.strings.get(track.name);
    let is_python = track.role == TrackRole::Python;
    (
        track.host,
        track.device.is_none(),
        track.device,
        !is_python,
        track.role,
        natural_key(name),
        track.line_id,
    )
}

/// Digits compare as numbers: `Stream #9` before `Stream #10`.
fn natural_key(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.len() - rest.trim_start_matches(|c: char| !c.is_ascii_digit()).len();
        let (word, tail) = rest.split_at(text);
        let digits = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, tail) = tail.split_at(digits);
        parts.push((word.to_owned(), number.parse().unwrap_or(u64::MAX)));
        rest = tail;
    }
    parts
}

/// Adds a row derived from the found runs to devices without a recorded row of program runs.
/// `annotations` keep their threads, which get other IDs.
pub(super) fn add_program_tracks(session: &mut Session, annotations: &mut [HostStep]) {
    let rows = session
        .tracks
        .iter()
        .filter(|track| track.role == TrackRole::Programs);
    let with_row: BTreeSet<DeviceId> = rows.filter_map(|track| track.device).collect();
    let missing: Vec<DeviceId> = session
        .device_ids()
        .filter(|device| !with_row.contains(device))
        .collect();
    if missing.is_empty() || session.program_runs.is_empty() {
        return;
    }
    let name = session.strings.intern("Program runs");
    let mut rows = Vec::new();
    let mut runs_of = runs_by_device(&session.program_runs, session.devices.len());
    let mut known: FxHashMap<ProgramId, LabelId> = FxHashMap::default();
    for device in missing {
        let mut labels = Vec::new();
        let mut nester = Nester::default();
        let runs = std::mem::take(&mut runs_of[device.index()]);
        for run in &runs {
            let label = *known.entry(run.program).or_insert_with(|| {
                let title = session.programs[run.program.index()].title();
                let title = session.strings.intern(&title);
                program_label(&mut session.labels, title, run)
            });
            let slice = Slice {
                start: run.span.start.0,
                duration: run.span.duration().0,
                label: label.0,
                event: u32::MAX,
            };
            nester.push(0, slice);
            labels.push(label);
        }
        if runs.is_empty() {
            continue;
        }
        let (lanes, nests) = nester.finish(1).into_lanes();
        let host = session.devices[device.index()].host;
        rows.push(Track {
            name,
            host,
            process: None,
            device: Some(device),
            role: TrackRole::Programs,
            line_id: 0,
            lanes,
            nests,
            labels: distinct(labels),
            samples: None,
            origin: Origin::default(),
        });
    }
    let moved = insert_tracks(session, rows);
    for step in annotations {
        step.track = moved[step.track.index()];
    }
}

fn program_label(labels: &mut Vec<Label>, name: StringId, run: &ProgramRun) -> LabelId {
    let label = Label {
        name,
        kind: SliceKind::ProgramRun,
        class: Class::Program,
        activity: Activity::None,
        op: None,
        attribution: Attribution::None,
        program: Some(run.program),
        launch: None,
        transfer: None,
        framework_op: None,
        framework_type: None,
    };
    let found = labels.iter().rposition(|other| *other == label);
    LabelId::from_index(found.unwrap_or_else(|| {
        labels.push(label);
        labels.len() - 1
    }))
}

/// Inserts rows at their positions and updates the IDs that refer to tracks: the new one of each is
/// returned.
fn insert_tracks(session: &mut Session, rows: Vec<Track>) -> Vec<TrackId> {
    let old_count = session.tracks.len();
    let mut all: Vec<(Option<usize>, Track)> = std::mem::take(&mut session.tracks)
        .into_iter()
        .enumerate()
        .map(|(i, t)| (Some(i), t))
        .collect();
    all.extend(rows.into_iter().map(|row| (None, row)));
    all.sort_by_cached_key(|(_, track)| display_key(session, track));
    let mut moved = vec![TrackId(0); old_count];
    for (position, (old, _)) in all.iter().enumerate() {
        if let Some(old) = old {
            moved[*old] = TrackId::from_index(position);
        }
    }
    session.tracks = all.into_iter().map(|(_, track)| track).collect();
    session.flows.move_tracks(|track| moved[track.index()]);
    for run in &mut session.program_runs {
        run.launched_on = run.launched_on.map(|track| moved[track.index()]);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::natural_key;

    #[test]
    fn digits_sort_as_numbers() {
        assert!(natural_key("Stream #9(Kernel)") < natural_key("Stream #10(Kernel)"));
        assert!(natural_key("a") < natural_key("b1"));
    }
}
