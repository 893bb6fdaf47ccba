//! Notes of `regions`: what was left out, and how much of the device time is known.

use std::collections::BTreeSet;

use stepscope_model::{LabelId, Session, StepOrigin, TrackId};

use super::launches::{Launches, Placed};
use super::names::{NONE, Names};
use super::report::RegionRow;
use super::{GroupBy, KindFilter, RegionsOptions};
use crate::measuring::activity::host_tracks;
use crate::measuring::selection::Selected;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::recording;

/// Number of names listed before the rest is counted.
const SHOWN: usize = 3;

/// What notes are based on.
pub(super) struct Facts<'a> {
    pub(super) session: &'a Session,
    pub(super) selected: &'a Selected<'a>,
    pub(super) options: &'a RegionsOptions,
    pub(super) launches: &'a Launches,
    pub(super) rows: &'a [RegionRow],
    pub(super) placed: Placed,
}

impl Facts<'_> {
    pub(super) fn notes(&self, hidden: &[LabelId]) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.rows.is_empty() {
            notes.push(self.empty());
        }
        notes.extend(self.hidden(hidden));
        if !self.rows.is_empty() {
            notes.extend(self.device());
            notes.extend(self.steps());
            notes.extend(self.context());
        }
        notes
    }

    fn empty(&self) -> Note {
        let session = self.session;
        let text = match self.options.kind {
            _ if !self.selected.is_everything() => "No region starts in this selection.",
            KindFilter::User => {
                "The program opened no region: no annotation and no Python function was recorded on \
                 host threads."
            }
            KindFilter::Annotation => "No annotation was recorded on host threads.",
            KindFilter::Python => "No Python function was recorded: the Python tracer was off.",
            KindFilter::Runtime | KindFilter::All => "Nothing was recorded on host threads.",
        };
        let note = Note::warning("no-regions", text);
        match self.options.kind {
            _ if !self.selected.is_everything() => note,
            KindFilter::User | KindFilter::Annotation => {
                note.with_code(recording::region(session, "\"forward_pass\""))
            }
            KindFilter::Python => note.with_code(recording::python_frames(session)),
            KindFilter::Runtime | KindFilter::All => {
                note.with_code(recording::host_threads(session))
            }
        }
    }

    fn hidden(&self, hidden: &[LabelId]) -> Option<Note> {
        if hidden.is_empty() || self.options.kind != KindFilter::User {
            return None;
        }
        let note = Note::info(
            "regions-hidden",
            format!(
                "Hidden: {} of the runtime, such as {}. Their time belongs to the regions around them.",
                format::counted(hidden.len(), "name"),
                format::shortened(self.session.label_name(hidden[0])),
            ),
        );
        Some(note.with_hint("`--kind all` shows them"))
    }

    fn device(&self) -> Vec<Note> {
        let (session, placed) = (self.session, self.placed);
        let mut notes = Vec::new();
        if placed.total_ps == 0 {
            notes.push(Note::info(
                "device-time-unknown",
                "Device time is unknown: no work of the selected devices and programs was recorded.",
            ));
            return notes;
        }
        if !placed.is_whole() {
            let ratio = placed.placed_ps as f64 / placed.total_ps as f64;
            let found = if placed.placed_ps == 0 {
                "Device time is unknown: no launch of device work was found on a thread with regions"
                    .to_owned()
            } else {
                format!(
                    "Launches were found for {} of the device time on threads with regions; for \
                     regions without a launch, device time is unknown",
                    format::percent(ratio)
                )
            };
            notes.push(Note::warning(
                "launches-unplaced",
                format!("{found}.{}", self.why()),
            ));
        }
        if !self.launches.in_order.is_empty() {
            let devices = self.launches.in_order.iter();
            let titles: Vec<String> = devices.map(|&id| session.device_title(id)).collect();
            notes.push(Note::info(
                "launches-inferred",
                format!(
                "The launching call of each program run on {} is inferred: calls of a function and \
                 runs of its program were matched in order.",
                listed(titles)
            )));
        }
        notes
    }

    fn why(&self) -> String {
        let session = self.session;
        let bare = &self.launches.bare_threads;
        if bare.is_empty() {
            return " Calls have no run or correlation id, and their number differs from the number of \
                    program runs."
                .to_owned();
        }
        let names: BTreeSet<&str> = bare
            .iter()
            .map(|&track| session.text(session.track(track).name))
            .collect();
        let names = names.into_iter().map(str::to_owned).collect();
        format!(
            " The profiler recorded launches on separate threads: {}.",
            listed(names)
        )
    }

    fn steps(&self) -> Option<Note> {
        let is_of_devices = matches!(
            self.session.step_origin,
            Some(StepOrigin::StepLine | StepOrigin::ProgramRuns)
        );
        let has_figures = self.rows.iter().any(|row| row.step_ps.is_some());
        (is_of_devices && has_figures).then(|| {
            Note::info(
                "steps-of-devices",
                "Steps are those of the devices: a region belongs to the step that the device was in \
                 when the region started.",
            )
            .with_code(recording::steps(self.session))
        })
    }

    fn context(&self) -> Option<Note> {
        let is_context = |row: &RegionRow| row.count == 0;
        (self.options.by == GroupBy::Stack && self.rows.iter().any(is_context)).then(|| {
            Note::info(
                "context-rows",
                "Rows with a count of 0 are not selected themselves; they enclose selected regions, \
                 and their time is that of the selected regions below them.",
            )
        })
    }
}

/// Labels of hidden runtime regions on threads of the selected hosts, by name.
pub(super) fn hidden(session: &Session, selected: &Selected<'_>, names: &Names) -> Vec<LabelId> {
    let hosts = selected.hosts.iter();
    let tracks = hosts.flat_map(|&host| host_tracks(session, host));
    let labels = tracks.flat_map(|track: TrackId| session.track(track).labels.iter().copied());
    let is_hidden = |label: &LabelId| {
        let label = names.label(*label);
        label.is_region && !label.is_of_program && label.region == NONE
    };
    let mut hidden: Vec<LabelId> = labels.filter(is_hidden).collect();
    hidden.sort_unstable_by_key(|&label| session.label_name(label));
    hidden.dedup_by_key(|label| session.label_name(*label));
    hidden
}

/// `a, b, c and 4 more`.
fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
