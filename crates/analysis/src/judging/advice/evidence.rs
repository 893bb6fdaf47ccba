//! Evidence of findings: times, ops, views.

use stepscope_model::{Activity, Class, HostId, LabelId, Picos, Session, Span};

use super::facts::{Facts, Place, part_ps};
use super::report::AdviceEvidence;
use crate::measuring::activity::Activities;
use crate::measuring::frames::Frames;
use crate::measuring::steps::PartKind;
use crate::measuring::steps::StepParts;
use crate::telling::format;
use crate::views::ops::OpRow;

/// Number of ops that a finding names.
const OPS: usize = 4;

impl Facts<'_> {
    /// The step of a row, shown in the timeline.
    pub(super) fn at_row(&self, row: &StepParts, text: String) -> AdviceEvidence {
        let device = row.device.map(|device| self.session.device_title(device));
        AdviceEvidence {
            step: Some(self.session.steps[row.step].number),
            device: device.unwrap_or_default(),
            ..at(row.span, text)
        }
    }

    /// The step of a place in which a part is longest, shown in the timeline.
    pub(super) fn longest(&self, place: Place, part: PartKind) -> Option<AdviceEvidence> {
        let own = self
            .rows()
            .iter()
            .filter(|row| (row.host, row.device) == place);
        let row = own.max_by_key(|row| part_ps(row, part))?;
        let length = format::duration_ps(part_ps(row, part) as f64);
        let number = self.session.steps[row.step].number;
        let text = format!(
            "step {number} on {}: {length} of {}",
            self.place_name(place),
            part.in_sentence()
        );
        Some(self.at_row(row, text))
    }

    /// The largest ops that `passes` accepts, with their share of the work.
    pub(super) fn largest_ops(&self, passes: impl Fn(&OpRow) -> bool) -> Vec<AdviceEvidence> {
        let rows = self.rows_of_ops().filter(|row| passes(row));
        rows.take(OPS)
            .map(|row| {
                let share = format::percent(row.self_ratio);
                let name = format::shortened(&row.name);
                of_op(row, format!("{name}: {share} of the work"))
            })
            .collect()
    }
}

/// A time range, shown in the timeline.
pub(super) fn at(span: Span, text: String) -> AdviceEvidence {
    AdviceEvidence {
        start_ps: Some(span.start.0),
        end_ps: Some(span.end.0),
        ..in_view("timeline", text)
    }
}

/// A time range given by its bounds, shown in the timeline.
pub(super) fn between(start_ps: i64, end_ps: i64, text: String) -> AdviceEvidence {
    at(Span::new(Picos(start_ps), Picos(end_ps)), text)
}

/// An op, shown in `ops`.
pub(super) fn of_op(row: &OpRow, text: String) -> AdviceEvidence {
    AdviceEvidence {
        program_id: row.program_id.clone(),
        op: row.name.clone(),
        source: row.source.clone(),
        ..in_view("ops", text)
    }
}

/// A text that refers to a view.
pub(super) fn in_view(view: &str, text: String) -> AdviceEvidence {
    AdviceEvidence {
        text,
        view: view.to_owned(),
        ..AdviceEvidence::default()
    }
}

/// A slice, and the Python frames around it.
pub(super) struct Longest {
    pub(super) label: LabelId,
    pub(super) frames: Frames,
}

/// The longest slice of input that overlaps a span, on the threads of a host.
pub(super) fn longest_input(session: &Session, host: HostId, within: Span) -> Option<Longest> {
    let mut longest: Option<(Span, usize, usize, LabelId)> = None;
    let activities = Activities::of(session);
    let is_class = |label| {
        let is_input = matches!(activities.label(label), Activity::Input(_));
        is_input && session.label(label).class == Class::Input
    };
    let tracks = session.track_ids().filter(|&id| {
        let track = session.track(id);
        track.host == host && track.device.is_none()
    });
    let tracks: Vec<_> = tracks
        .filter_map(|id| session.track_having(id, is_class))
        .collect();
    for (at, track) in tracks.iter().enumerate() {
        for (number, lane) in track.lanes.iter().enumerate() {
            for index in lane.overlapping(within) {
                let (label, span) = (lane.labels()[index], lane.span(index));
                let is_longer =
                    longest.is_none_or(|(found, ..)| span.duration() > found.duration());
                if is_class(label) && is_longer {
                    longest = Some((span, at, number, label));
                }
            }
        }
    }
    let (span, at, lane, label) = longest?;
    Some(Longest {
        label,
        frames: Frames::around(session, &tracks[at], lane, span),
    })
}
