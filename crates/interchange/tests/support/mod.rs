//! Sessions from drawings, captures and traces, and their slices as comparable rows.

#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test file uses its own part, so no expectation holds in all of them"
)]

use std::sync::Arc;

use stepscope_interchange::Trace;
use stepscope_interchange::write::{
    Wanted, Written, wanted_hosts, write_chrome, write_perfetto, write_xplane,
};
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::{Session, Track};
use stepscope_testing::corpus::{self, Capture};

/// A slice: host, device or thread, row, name, start and duration in the unit of the format.
pub(crate) type Row = (String, String, String, String, i64, i64);

/// How finely a format keeps times.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Grain {
    Picoseconds,
    Nanoseconds,
}

pub(crate) fn session_of(hosts: Vec<(String, Vec<u8>)>) -> Session {
    let inputs = hosts.into_iter().map(|(host, bytes)| HostInput {
        host,
        bytes: Arc::new(bytes),
        problem: None,
    });
    ingest("session", inputs.collect()).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn session_of_trace(trace: Trace) -> Session {
    let hosts = trace.hosts.into_iter().map(|host| {
        let name = host.name.unwrap_or_else(|| "vm".to_owned());
        (name, host.bytes)
    });
    session_of(hosts.collect())
}

pub(crate) fn drawn(texts: &[&str]) -> Session {
    let hosts = texts.iter().enumerate().map(|(index, text)| {
        let space =
            stepscope_testing::drawing::draw(text).unwrap_or_else(|error| panic!("{error}"));
        (format!("host-{index}"), space.to_bytes())
    });
    session_of(hosts.collect())
}

pub(crate) fn captured(capture: &Capture) -> Session {
    let hosts = capture.hosts.iter().map(|path| {
        let name = path.file_name().expect("a file").to_string_lossy();
        let name = name.split(".xplane").next().unwrap_or_default().to_owned();
        (name, corpus::read_bytes(path).expect("readable"))
    });
    session_of(hosts.collect())
}

pub(crate) fn perfetto(session: &Session, wanted: &Wanted) -> (Vec<u8>, Written) {
    let mut out = Vec::new();
    let written = write_perfetto(session, wanted, &mut out).expect("in memory");
    assert_eq!(written.bytes, out.len() as u64);
    (out, written)
}

pub(crate) fn chrome(session: &Session, wanted: &Wanted) -> (Vec<u8>, Written) {
    let mut out = Vec::new();
    let written = write_chrome(session, wanted, &mut out).expect("in memory");
    assert_eq!(written.bytes, out.len() as u64);
    (out, written)
}

/// What is wanted as profiles: host and bytes.
pub(crate) fn xplane(session: &Session, wanted: &Wanted) -> (Vec<(String, Vec<u8>)>, Written) {
    let mut sum = Written::default();
    let hosts = wanted_hosts(session, wanted).into_iter().map(|host| {
        let mut out = Vec::new();
        let written = write_xplane(session, host, wanted, &mut out).expect("in memory");
        assert_eq!(written.bytes, out.len() as u64);
        sum.slices += written.slices;
        sum.samples += written.samples;
        (session.host(host).name.clone(), out)
    });
    (hosts.collect(), sum)
}

/// All recorded slices, sorted. Perfetto's ends are rounded as its starts are.
pub(crate) fn rows(session: &Session, grain: Grain) -> Vec<Row> {
    let mut rows = Vec::new();
    for track in session
        .tracks
        .iter()
        .filter(|track| !track.origin.lines.is_empty())
    {
        for lane in &track.lanes {
            for index in 0..lane.len() {
                let (start, end) = (lane.starts()[index], lane.end(index));
                let unit = match grain {
                    Grain::Picoseconds => 1,
                    Grain::Nanoseconds => 1000,
                };
                let (start, end) = (start.div_euclid(unit), end.div_euclid(unit));
                rows.push((
                    session.host(track.host).name.clone(),
                    owner(session, track),
                    session.text(track.name).to_owned(),
                    session.label_name(lane.labels()[index]).to_owned(),
                    start,
                    end - start,
                ));
            }
        }
    }
    rows.sort();
    rows
}

fn owner(session: &Session, track: &Track) -> String {
    let device = track
        .device
        .map(|device| session.device(device).name.clone());
    device.unwrap_or_else(|| "threads".to_owned())
}

/// Samples of counters: name, time, value.
pub(crate) fn samples(session: &Session, unit: i64) -> Vec<(String, i64, f64)> {
    let mut all = Vec::new();
    for track in &session.tracks {
        if let Some(samples) = &track.samples {
            let name = session.text(track.name);
            let pairs = samples.times.iter().zip(&samples.values);
            all.extend(
                pairs.map(|(&time, &value)| (name.to_owned(), time.div_euclid(unit), value)),
            );
        }
    }
    all.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    all
}

/// Arrows by the names and starts of their slices.
pub(crate) fn arrows(session: &Session, unit: i64) -> Vec<(String, i64, String, i64)> {
    let end = |slice: stepscope_model::SliceId| {
        let lane = session.lane(slice.track, slice.lane).expect("a lane");
        let index = slice.index as usize;
        let name = session.label_name(lane.labels()[index]).to_owned();
        (name, lane.starts()[index].div_euclid(unit))
    };
    let mut all = Vec::new();
    for host in session.host_ids() {
        for flow in session.flows_of(host).all() {
            let (from, to) = (end(flow.from), end(flow.to));
            all.push((from.0, from.1, to.0, to.1));
        }
    }
    all.sort();
    all
}

/// What came back, with ops of XLA:CPU that are shorter than they were as long as they were: what shows
/// when an asynchronous op was done may not have gone out, and then it lasts until its call returned.
pub(crate) fn with_async_ends(ours: &[Row], mut back: Vec<Row>) -> Vec<Row> {
    let key = |row: &Row| {
        (
            row.0.clone(),
            row.1.clone(),
            row.2.clone(),
            row.3.clone(),
            row.4,
        )
    };
    let lengths: std::collections::BTreeMap<_, _> =
        ours.iter().map(|row| (key(row), row.5)).collect();
    for row in back.iter_mut().filter(|row| row.1.starts_with("CPU:")) {
        if let Some(&length) = lengths.get(&key(row)) {
            row.5 = row.5.max(length);
        }
    }
    back.sort();
    back
}

/// Rows that differ, a few of each side, for a message that can be read.
pub(crate) fn assert_same(ours: &[Row], back: &[Row], what: &str) {
    let missing: Vec<&Row> = ours
        .iter()
        .filter(|row| back.binary_search(row).is_err())
        .take(5)
        .collect();
    let added: Vec<&Row> = back
        .iter()
        .filter(|row| ours.binary_search(row).is_err())
        .take(5)
        .collect();
    assert!(
        ours.len() == back.len() && missing.is_empty() && added.is_empty(),
        "{what}: {} slices went out, {} came back\nlost: {missing:#?}\nnew: {added:#?}",
        ours.len(),
        back.len(),
    );
}
