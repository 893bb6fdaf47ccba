//! `timeline`: tracks of slices over time.
//!
//! The report holds the structure: groups, tracks, steps. Slices are sent as [`tile`]s in the binary
//! format of [`encode`], so a page receives one screenful whatever the session's size. [`details`],
//! [`nesting`], [`participants`], [`chain`], [`occurrences`] and [`search`] answer questions about
//! slices, [`area`], [`pivot`] and [`flame`] about areas. The owner of a session also keeps a [`TimelineIndex`].
//!
//! | Figure | Definition |
//! |---|---|
//! | slices of a track | slices that overlap the selected steps, or all without steps; for a counter, samples |
//! | lanes | rows that a track needs: depth of nesting, summed over its nests |
//! | step | its span on a host, as annotated, or on a device; `steps` uses the same spans |
//! | self time | duration − nested slices on the same track |

pub mod area;
mod area_counters;
mod area_keys;
mod area_report;
mod area_slices;
pub mod chain;
mod columns;
pub mod details;
pub mod encode;
pub mod flame;
mod index;
mod labels;
pub mod nesting;
pub mod occurrences;
pub mod participants;
pub mod pivot;
mod query;
mod report;
#[cfg(test)]
mod samples;
pub mod search;
mod slice_report;
mod tables;
pub mod tile;

use clap::Args;
use stepscope_model::{
    DeviceId, HostId, LabelId, Picos, Session, Span, Track, TrackId, TrackRole, counter_unit,
};

pub use crate::telling::places::{SliceRefReport, group_title, track_title};
pub use area_report::{
    AreaCounter, AreaReport, AreaRow, FlameFrameReport, FlameReport, PivotColumn, PivotReport,
    PivotRow,
};
pub use index::TimelineIndex;
pub use report::{
    FlowReport, LabelFacts, LabelReport, SearchName, SearchReport, SearchSlice, SliceDetails,
    StatReport, TimelineReport, TimelineRow, TimelineStep, TrackGroup, TrackReport,
};
pub use slice_report::{
    AncestorReport, ChainEnd, ChainReport, ChainSlice, DescendantRow, NestingReport, OccurrenceBar,
    OccurrencesReport, ParticipantRow, ParticipantsReport,
};

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::selection::Selected;
use crate::telling::Note;
use crate::telling::format;

/// The `timeline` analysis.
pub struct Timeline;

/// Options of [`Timeline`].
#[derive(Debug, Clone, Default, Args)]
pub struct TimelineOptions {
    /// Which part of the session.
    #[command(flatten)]
    pub selection: Selection,
}

impl Analysis for Timeline {
    const NAME: &'static str = "timeline";
    const ALIASES: &'static [&'static str] = &["trace_viewer"];
    const SUMMARY: &'static str = "List of tracks and their slices; `stepscope view` shows them";
    const GROUP: Group = Group::Summary;
    const EXAMPLES: &'static str = "\
# All tracks
stepscope timeline ./logs
# Where most slices are
stepscope timeline ./logs --sort slice_count --limit 10
# Slices of device 0 during steps 3 to 7
stepscope timeline ./logs --device 0 --steps 3..8";
    type Options = TimelineOptions;
    type Report = TimelineReport;

    fn run(session: &Session, options: &TimelineOptions) -> Result<TimelineReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let steps = steps(session, &selected);
        let window = window(session, &selected);
        let groups = groups(session, &selected, &options.selection, window);
        let tracks = || groups.iter().flat_map(|group| &group.tracks);
        let slices = tracks().filter(|track| track.role != TrackRole::Counter.name());
        let slice_count = slices.map(|track| track.slice_count).sum();
        let mut rows = tables::rows(&groups);
        order::arrange(&mut rows, &options.selection, columns::TRACKS)?;
        let notes = notes(session, &groups);
        Ok(TimelineReport {
            start_epoch_ns: session.epoch_ns.map(|epoch| epoch.to_string()),
            start_ps: window.start.0,
            end_ps: window.end.0,
            slice_count,
            groups,
            steps,
            notes,
            rows,
        })
    }
}

/// From the first to the last selected step, or the whole session without steps.
fn window(session: &Session, selected: &Selected<'_>) -> Span {
    let nothing = Span::new(Picos::ZERO, Picos::ZERO);
    let within = selected.time.as_ref().and_then(|time| {
        let spans = time.spans();
        spans.first().copied().zip(spans.last().copied())
    });
    let everything = || {
        let extent = session.extent().unwrap_or(nothing);
        let within = within.map(|(first, last)| first.hull(last));
        within
            .and_then(|within| within.intersection(extent))
            .unwrap_or(extent)
    };
    let Some(steps) = &selected.steps else {
        return everything();
    };
    let spans = steps.iter().flat_map(|&step| &session.steps[step].spans);
    spans
        .map(|on| on.span)
        .reduce(Span::hull)
        .unwrap_or_else(everything)
}

fn groups(
    session: &Session,
    selected: &Selected<'_>,
    selection: &Selection,
    window: Span,
) -> Vec<TrackGroup> {
    let mut groups: Vec<TrackGroup> = Vec::new();
    for id in session.track_ids() {
        let track = session.track(id);
        let is_selected = match track.device {
            Some(device) => selected.has_device(device),
            // If a device is selected, host threads are left out.
            None => selected.hosts.contains(&track.host) && selection.device.is_none(),
        };
        let name = session.text(track.name);
        if !is_selected || !selected.matches(&[name]) {
            continue;
        }
        let title = group_title(session, track);
        let report = track_report(session, selected, selection, window, id);
        match groups.iter_mut().find(|group| group.name == title) {
            Some(group) => group.tracks.push(report),
            None => groups.push(TrackGroup {
                name: title,
                kind: if track.device.is_some() {
                    "device"
                } else {
                    "host"
                }
                .to_owned(),
                device_index: track.device.map(|device| device.0),
                tracks: vec![report],
            }),
        }
    }
    groups
}

fn track_report(
    session: &Session,
    selected: &Selected<'_>,
    selection: &Selection,
    window: Span,
    id: TrackId,
) -> TrackReport {
    let track = session.track(id);
    let samples = track.samples.as_ref();
    let count = match samples {
        Some(samples) => samples.times.len(),
        None => slice_count(session, selected, selection, window, track),
    };
    let values = samples.iter().flat_map(|samples| &samples.values).copied();
    let finite = || values.clone().filter(|value| value.is_finite());
    let name = session.text(track.name);
    let unit = samples.and_then(|samples| counter_unit(name, &samples.facts.description));
    TrackReport {
        track: id.0,
        name: name.to_owned(),
        role: track.role.name().to_owned(),
        lanes: if samples.is_some() {
            1
        } else {
            labels::position(track.lanes.len())
        },
        folded: matches!(track.role, TrackRole::Python | TrackRole::HostThread)
            && track.lanes.len() > 1,
        slice_count: i64::try_from(count).unwrap_or(i64::MAX),
        counter_min: finite().reduce(f64::min),
        counter_max: finite().reduce(f64::max),
        counter_unit: unit.unwrap_or_default().to_owned(),
    }
}

fn slice_count(
    session: &Session,
    selected: &Selected<'_>,
    selection: &Selection,
    window: Span,
    track: &Track,
) -> usize {
    let has_program = |label: LabelId| selected.has_program(session.label(label).program);
    let lanes = track.lanes.iter();
    lanes
        .map(|lane| {
            let range = if selected.is_all_time() {
                0..lane.len()
            } else {
                lane.overlapping(window)
            };
            match selection.program {
                Some(_) => lane.labels()[range]
                    .iter()
                    .filter(|&&label| has_program(label))
                    .count(),
                None => range.len(),
            }
        })
        .sum()
}

/// The selected steps on the ruler: for each host its annotations, if it has any, and then each device
/// on which the steps have other spans. These are the spans that figures are computed from; their
/// hull over devices is not used.
fn steps(session: &Session, selected: &Selected<'_>) -> Vec<TimelineStep> {
    let mut steps = Vec::new();
    for &host in &selected.hosts {
        let annotated = spans_on(session, selected, host, None);
        let mut places = vec![("", annotated.clone())];
        let devices = selected.devices.iter().copied();
        for device in devices.filter(|&id| session.device(id).host == host) {
            let spans = spans_on(session, selected, host, Some(device));
            // Repeating the annotation adds nothing.
            if spans != annotated {
                places.push((&session.device(device).name, spans));
            }
        }
        for (device, spans) in places {
            steps.extend(spans.into_iter().map(|(number, span)| TimelineStep {
                step: number,
                host: session.host(host).name.clone(),
                device: device.to_owned(),
                start_ps: span.start.0,
                duration_ps: span.duration().0,
            }));
        }
    }
    steps
}

/// Numbers and times of the selected steps, as annotated on a host or on a device.
fn spans_on(
    session: &Session,
    selected: &Selected<'_>,
    host: HostId,
    device: Option<DeviceId>,
) -> Vec<(i64, Span)> {
    let positions = selected.step_positions().into_iter();
    let spans = positions.filter_map(|position| {
        let step = &session.steps[position];
        let mut spans = step.on_host(host).iter();
        let on = spans.find(|on| on.device == device)?;
        Some((step.number, on.span))
    });
    spans.collect()
}

fn notes(session: &Session, groups: &[TrackGroup]) -> Vec<Note> {
    let mut notes = Vec::new();
    if groups.is_empty() {
        notes.push(Note::warning("no-tracks", "No tracks in this selection."));
    }
    let ids = groups
        .iter()
        .flat_map(|group| &group.tracks)
        .map(|track| TrackId(track.track));
    let split = ids.filter(|&id| session.track(id).nests.len() > 1).count();
    if split > 0 {
        notes.push(Note::info(
            "lanes",
            format!(
                "Slices of {} partly overlap; these are shown in separate lanes.",
                format::counted(split, "track"),
            ),
        ));
    }
    if !session.aggregates.is_empty() {
        notes.push(Note::info(
            "aggregates-without-times",
            format!(
                "{} recorded as sums without times and cannot be shown.",
                match session.aggregates.len() {
                    1 => "1 name was".to_owned(),
                    count => format!("{count} names were"),
                },
            ),
        ));
    }
    notes
}

#[cfg(test)]
mod tests;
