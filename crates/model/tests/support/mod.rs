//! Sessions from drawings, and sessions as text, so that a test shows what goes in and what comes
//! out on the page.

#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test file uses its own part, so no expectation holds in all of them"
)]

use std::fmt::Write as _;
use std::sync::Arc;

use stepscope_model::details::Stat;
use stepscope_model::ingest::{HostInput, IngestError, ingest};
use stepscope_model::{Session, SliceId, Span, Track, TrackId};
use stepscope_testing::drawing;
use stepscope_testing::space::XSpace;

pub(crate) fn draw(text: &str) -> XSpace {
    drawing::draw(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The session of one host that is drawn so.
pub(crate) fn session(text: &str) -> Session {
    session_of(&[draw(text).to_bytes()])
}

/// The session of several hosts, `host0`, `host1`, …
pub(crate) fn sessions(texts: &[&str]) -> Session {
    let files: Vec<Vec<u8>> = texts.iter().map(|text| draw(text).to_bytes()).collect();
    session_of(&files)
}

pub(crate) fn session_of(files: &[Vec<u8>]) -> Session {
    try_session(files).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn try_session(files: &[Vec<u8>]) -> Result<Session, IngestError> {
    let inputs = files.iter().enumerate().map(|(position, bytes)| HostInput {
        host: format!("host{position}"),
        bytes: Arc::new(bytes.clone()),
        problem: None,
    });
    ingest("drawn", inputs.collect())
}

/// Picoseconds as they are easiest to read: `12us`, `1500ns`, `7ps`.
pub(crate) fn time(picos: i64) -> String {
    match picos {
        _ if picos % 1_000_000 == 0 => format!("{}us", picos / 1_000_000),
        _ if picos % 1000 == 0 => format!("{}ns", picos / 1000),
        _ => format!("{picos}ps"),
    }
}

pub(crate) fn span(span: Span) -> String {
    format!("{}..{}", time(span.start.0), time(span.end.0))
}

/// One line a track and one a lane: `role owner name #id`, then `lane: name begin..end, …`.
pub(crate) fn picture(session: &Session) -> String {
    let mut text = String::new();
    for id in session.track_ids() {
        text.push_str(&track_picture(session, id));
    }
    text
}

pub(crate) fn track_picture(session: &Session, id: TrackId) -> String {
    let track = session.track(id);
    let owner = track.device.map_or_else(
        || session.host(track.host).name.clone(),
        |device| session.device_title(device),
    );
    let mut text = String::new();
    let (role, name) = (track.role.name(), session.text(track.name));
    writeln!(text, "{role} {owner} \"{name}\" #{}", track.line_id).expect("text grows");
    for (number, lane) in track.lanes.iter().enumerate() {
        let slices = (0..lane.len()).map(|index| {
            format!(
                "{} {}",
                session.label_name(lane.labels()[index]),
                span(lane.span(index))
            )
        });
        writeln!(
            text,
            "  {number}: {}",
            slices.collect::<Vec<_>>().join(", ")
        )
        .expect("text grows");
    }
    if let Some(samples) = &track.samples {
        let samples = samples.times.iter().zip(&samples.values);
        let samples = samples.map(|(&at, value)| format!("{}={value}", time(at)));
        writeln!(text, "  {}", samples.collect::<Vec<_>>().join(" ")).expect("text grows");
    }
    text
}

/// Compares a picture with the expected one, indentation aside.
#[track_caller]
pub(crate) fn assert_picture(session: &Session, expected: &str) {
    assert_text(&picture(session), expected);
}

#[track_caller]
pub(crate) fn assert_text(found: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    let found: Vec<&str> = found.lines().map(str::trim).collect();
    assert!(
        found == expected,
        "found\n{}\n\nexpected\n{}",
        found.join("\n"),
        expected.join("\n")
    );
}

pub(crate) fn track<'a>(session: &'a Session, name: &str) -> &'a Track {
    let found = session
        .tracks
        .iter()
        .find(|track| session.text(track.name) == name);
    found.unwrap_or_else(|| panic!("no track {name} in\n{}", picture(session)))
}

/// The first slice of that name.
pub(crate) fn slice(session: &Session, name: &str) -> SliceId {
    let found = slices(session)
        .into_iter()
        .find(|&(_, found)| found == name);
    found.map_or_else(
        || panic!("no slice {name} in\n{}", picture(session)),
        |(id, _)| id,
    )
}

/// Every slice with its name, track by track and lane by lane.
pub(crate) fn slices(session: &Session) -> Vec<(SliceId, &str)> {
    let mut found = Vec::new();
    for track in session.track_ids() {
        for (lane, slices) in (0..).zip(&session.track(track).lanes) {
            for (index, &label) in (0..).zip(slices.labels()) {
                found.push((SliceId { track, lane, index }, session.label_name(label)));
            }
        }
    }
    found
}

pub(crate) fn label<'a>(session: &'a Session, name: &str) -> &'a stepscope_model::Label {
    let id = slice(session, name);
    let lane = session.lane(id.track, id.lane).expect("the slice is there");
    session.label(lane.labels()[id.index as usize])
}

/// `name=value` of a slice's stats; those of its metadata in brackets.
pub(crate) fn stats(session: &Session, id: SliceId) -> String {
    let text = |stat: Stat| {
        let (open, close) = if stat.is_constant {
            ("(", ")")
        } else {
            ("", "")
        };
        format!("{open}{}={}{close}", stat.name, stat.value)
    };
    session
        .stats(id)
        .into_iter()
        .map(text)
        .collect::<Vec<_>>()
        .join(" ")
}

/// One line a step: `number cut: owner span work span, …`.
pub(crate) fn steps(session: &Session) -> String {
    let mut text = String::new();
    for step in &session.steps {
        let spans = step.spans.iter().map(|part| {
            let host = || session.host(part.host).name.clone();
            let owner = part
                .device
                .map_or_else(host, |device| session.device_title(device));
            let work = part
                .work
                .map(|work| format!(" work {}", span(work)))
                .unwrap_or_default();
            format!("{owner} {}{work}", span(part.span))
        });
        let cut = if step.is_cut { " cut" } else { "" };
        writeln!(
            text,
            "{}{cut}: {}",
            step.number,
            spans.collect::<Vec<_>>().join(", ")
        )
        .expect("grows");
    }
    text
}

/// One line a run: `program(id) device span [launched at]`.
pub(crate) fn runs(session: &Session) -> String {
    let mut text = String::new();
    for run in &session.program_runs {
        let title = session.program(run.program).title();
        let (device, at) = (session.device_title(run.device), span(run.span));
        let launched = run.launched.map(|at| format!(" launched {}", time(at.0)));
        writeln!(
            text,
            "{title} {device} {at}{}",
            launched.unwrap_or_default()
        )
        .expect("grows");
    }
    text
}

pub(crate) fn warnings(session: &Session) -> Vec<&str> {
    session
        .warnings
        .iter()
        .map(|warning| &warning.message[..])
        .collect()
}
