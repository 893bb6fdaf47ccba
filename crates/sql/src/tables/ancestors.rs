//! `slice_ancestors`: every slice with every slice around it.
//!
//! The lanes of a nest are a tree: the slice around another one is the one in the lane above that
//! contains it. One walk over the lanes finds all of them, since each is sorted.

use std::sync::Arc;

use arrow_schema::ArrowError;
use stepscope_analysis::{Cell, Column, Unit};
use stepscope_export::Slices;
use stepscope_export::arrow::TextType;
use stepscope_model::{Lane, Session, Track, TrackId};

use super::sending::Sending;
use super::slices::chosen;
use super::table::{Opened, Receive, Rows, SqlColumn, SqlTable};
use crate::asking::Ask;

const COLUMNS: [Column; 20] = [
    Column::new("host", "Host", Unit::Text).means("Host of the track."),
    Column::new("device", "Device", Unit::Text).means("Device of the track; null for threads."),
    Column::new("track", "Track", Unit::Text).means("Name of the track."),
    Column::new("track_index", "Number of the track", Unit::Count)
        .means("Its number, as in `slices`."),
    Column::new("role", "What the track is", Unit::Text).means("Its role, as in `slices`."),
    Column::new("lane", "Lane in the track", Unit::Count).means("The slice's lane."),
    Column::new("index", "Position in the lane", Unit::Count)
        .means("The slice's position: track, lane and index identify it."),
    Column::new("name", "Name", Unit::Text).means("The slice's name."),
    Column::new("kind", "Kind", Unit::Text).means("The slice's kind."),
    Column::new("class", "Class", Unit::Text).means("The slice's class."),
    Column::new("start_ps", "Start", Unit::Picos).means("The slice's start."),
    Column::new("duration_ps", "Duration", Unit::Picos).means("The slice's duration."),
    Column::new("distance", "Distance", Unit::Count)
        .means("1 for the slice directly around it, 2 for the one around that."),
    Column::new("ancestor_lane", "Lane of the ancestor", Unit::Count).means("The ancestor's lane."),
    Column::new("ancestor_index", "Position of the ancestor", Unit::Count)
        .means("The ancestor's position in its lane."),
    Column::new("ancestor", "Ancestor", Unit::Text).means("The ancestor's name."),
    Column::new("ancestor_kind", "Kind of the ancestor", Unit::Text).means("The ancestor's kind."),
    Column::new("ancestor_class", "Class of the ancestor", Unit::Text)
        .means("The ancestor's class."),
    Column::new("ancestor_start_ps", "Start of the ancestor", Unit::Picos)
        .means("The ancestor's start."),
    Column::new(
        "ancestor_duration_ps",
        "Duration of the ancestor",
        Unit::Picos,
    )
    .means("The ancestor's duration."),
];

/// Columns whose filters are applied early: those of `slices` without the ones that are not here.
const OF_TRACKS: [&str; 5] = ["host", "device", "track", "track_index", "role"];
const OF_LABELS: [&str; 3] = ["name", "kind", "class"];

/// Columns that follow from the file of a host, as in `slices`.
const OF_HOSTS: [&str; 18] = [
    "session",
    "host",
    "device",
    "track",
    "role",
    "lane",
    "index",
    "name",
    "kind",
    "start_ps",
    "duration_ps",
    "distance",
    "ancestor_lane",
    "ancestor_index",
    "ancestor",
    "ancestor_kind",
    "ancestor_start_ps",
    "ancestor_duration_ps",
];

pub(super) fn table() -> SqlTable {
    SqlTable {
        name: "slice_ancestors".to_owned(),
        meaning: "Every slice with every slice around it on its track: one row for each pair"
            .to_owned(),
        columns: COLUMNS.iter().copied().map(SqlColumn::of).collect(),
        text: TextType::Plain,
        options: Vec::new(),
        rows: Arc::new(AncestorRows),
    }
}

#[derive(Debug)]
struct AncestorRows;

impl Rows for AncestorRows {
    fn is_divisible(&self) -> bool {
        true
    }

    fn filtered_early(&self) -> &[&[&str]] {
        &[&OF_TRACKS, &OF_LABELS]
    }

    fn of_hosts(&self) -> &[&str] {
        &OF_HOSTS
    }

    fn read(
        &self,
        opened: &Opened<'_>,
        ask: &Ask,
        send: &mut Receive<'_>,
    ) -> Result<(), ArrowError> {
        let slices = chosen(&opened.session, ask, TextType::Plain)?;
        (opened.count_slices)(slices.read_count());
        let mut rows = Sending::new(ask, &COLUMNS, send);
        for id in slices.track_ids() {
            if !of_track(&opened.session, id, &slices, &mut rows)? {
                return Ok(());
            }
        }
        rows.end()
    }
}

fn of_track(
    session: &Session,
    id: TrackId,
    slices: &Slices<Arc<Session>>,
    rows: &mut Sending<'_, '_>,
) -> Result<bool, ArrowError> {
    let track = &*session.track_in_passing(id);
    let windows = slices.windows(id);
    for nest in &track.nests {
        for number in nest.clone() {
            let lane = &track.lanes[number as usize];
            // In each lane above: the last slice that starts no later than the current one.
            let mut around = vec![0usize; (number - nest.start) as usize];
            let within = windows.iter().flat_map(|&window| lane.starting_in(window));
            for index in within.filter(|&index| slices.has_label(lane.labels()[index])) {
                for (above, at) in (nest.start..number).zip(&mut around) {
                    let outer = &track.lanes[above as usize];
                    let start = lane.starts()[index];
                    while outer
                        .starts()
                        .get(*at + 1)
                        .is_some_and(|&next| next <= start)
                    {
                        *at += 1;
                    }
                }
                for (above, &at) in (nest.start..number).zip(&around).rev() {
                    let pair = Pair {
                        id,
                        track,
                        slice: (number, lane, index),
                        ancestor: (above, &track.lanes[above as usize], at),
                    };
                    if !rows.add(pair.row(session))? {
                        return Ok(false);
                    }
                }
            }
        }
    }
    Ok(true)
}

/// A slice and one around it: lane number, lane, position.
struct Pair<'a> {
    id: TrackId,
    track: &'a Track,
    slice: (u32, &'a Lane, usize),
    ancestor: (u32, &'a Lane, usize),
}

impl Pair<'_> {
    fn row(&self, session: &Session) -> [Cell; COLUMNS.len()] {
        let track = self.track;
        let index = |position: usize| Cell::from(i64::try_from(position).unwrap_or(i64::MAX));
        let label = |(_, lane, at): (u32, &Lane, usize)| session.label(lane.labels()[at]);
        let (own, around) = (label(self.slice), label(self.ancestor));
        let (number, lane, at) = self.slice;
        let (above, outer, outer_at) = self.ancestor;
        [
            session.host(track.host).name.as_str().into(),
            track.device.map(|id| session.device_title(id)).into(),
            session.text(track.name).into(),
            session.track_number(self.id).into(),
            track.role.name().into(),
            i64::from(number).into(),
            index(at),
            session.text(own.name).into(),
            own.kind.name().into(),
            own.class.name().into(),
            lane.starts()[at].into(),
            lane.durations()[at].into(),
            i64::from(number - above).into(),
            i64::from(above).into(),
            index(outer_at),
            session.text(around.name).into(),
            around.kind.name().into(),
            around.class.name().into(),
            outer.starts()[outer_at].into(),
            outer.durations()[outer_at].into(),
        ]
    }
}
