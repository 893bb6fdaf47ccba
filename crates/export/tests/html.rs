//! Single-file reports: they contain the answers of the analyses, and are only as large as needed.

mod support;

use std::collections::BTreeMap;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use stepscope_analysis::views::timeline::encode::decode;
use stepscope_analysis::views::timeline::tile::TrackContent;
use stepscope_export::html::{HtmlOptions, html};
use stepscope_export::{About, ExportError};
use stepscope_model::{Session, TrackId};
use stepscope_testing::corpus;
use support::session_of;

const PAGE: &str = "<title>Stepscope</title><script type=\"application/json\" \
                    id=\"stepscope-report\"></script><script>page</script>";

fn fixture(name: &str) -> Session {
    session_of(&corpus::fixture(name).expect("the fixture is there"))
}

fn report(session: &Session, most_bytes: u64) -> Result<(String, Value, Vec<String>), ExportError> {
    let with = HtmlOptions {
        page: PAGE,
        shell: &[],
        most_bytes,
    };
    let report = html(session, &About::default(), &[], &with)?;
    let (_, rest) = report
        .text
        .split_once("id=\"stepscope-report\">")
        .expect("it");
    let (json, rest) = rest.split_once("</script>").expect("its end");
    assert_eq!(rest, "<script>page</script>");
    let json = serde_json::from_str(json).expect("JSON");
    Ok((report.text, json, report.left_out))
}

fn unpacked(text: &Value) -> Vec<u8> {
    let bytes = STANDARD
        .decode(text.as_str().expect("text"))
        .expect("base64");
    let mut out = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(bytes.as_slice());
    decoder.read_to_end(&mut out).expect("gzip");
    out
}

#[test]
fn answers_are_those_of_the_analyses() {
    let session = fixture("demo-gpt-cpu");
    let (text, report, left_out) = report(&session, 15_000_000).expect("a report");
    assert!(text.contains("· Stepscope</title>"));
    assert_eq!(left_out, Vec::<String>::new());
    for (question, options) in [
        ("overview", vec![]),
        ("ops", vec![("limit", "5000")]),
        (
            "op_tree?by=category",
            vec![("limit", "2000"), ("by", "category")],
        ),
        ("steps", vec![("limit", "0")]),
    ] {
        let name = question.split('?').next().expect("a name");
        let entry = stepscope_analysis::find(name).expect("an analysis");
        let answer = entry.run_pairs(&session, options).expect("an answer");
        let answer: Value = serde_json::from_str(&answer.json_text().expect("JSON")).expect("JSON");
        assert!(kept(&report, question) == answer, "{question}");
    }
}

/// The complete answer to a question.
fn kept(report: &Value, question: &str) -> Value {
    let position = report["answers"][question].as_u64().expect("a position");
    let shared: Vec<Value> = serde_json::from_slice(&unpacked(&report["shared"])).expect("a list");
    let text = &report["texts"][usize::try_from(position).expect("small")];
    let mut answer: Value = serde_json::from_slice(&unpacked(text)).expect("JSON");
    fill(&mut answer, &shared);
    answer
}

/// Replaces marks by the values they name.
fn fill(value: &mut Value, shared: &[Value]) {
    let named = value.as_str().and_then(|text| text.strip_prefix('\u{1}'));
    if let Some(number) = named {
        let number: usize = number.parse().expect("a number");
        *value = shared[number].clone();
        return fill(value, &shared[..number]);
    }
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| fill(value, shared)),
        Value::Object(fields) => fields.values_mut().for_each(|value| fill(value, shared)),
        _ => {}
    }
}

#[test]
fn equal_answers_and_shared_objects_stand_once() {
    let session = fixture("mlp-cpu");
    let (_, report, _) = report(&session, 15_000_000).expect("a report");
    let texts = report["texts"].as_array().expect("texts");
    let answers = report["answers"].as_object().expect("answers");
    assert!(texts.len() < answers.len(), "{} texts", texts.len());
    let graphs = answers
        .keys()
        .filter(|question| question.starts_with("graph"));
    let (mut raw, mut packed) = (0, 0);
    for question in graphs {
        raw += kept(&report, question).to_string().len();
        let position = usize::try_from(answers[question].as_u64().expect("it")).expect("small");
        packed += texts[position].as_str().expect("text").len();
    }
    // Graphs of neighboring ops show the same ops.
    assert!(raw > 25 * packed, "{raw} bytes in {packed}");
}

/// Tiles of a group by level and index.
fn tiles(group: &Value) -> BTreeMap<(u32, i64), stepscope_analysis::views::timeline::tile::Tile> {
    let tiles = group["tiles"].as_object().expect("tiles").iter();
    tiles
        .map(|(key, text)| {
            let (level, index) = key.split_once('/').expect("level and index");
            let key = (
                level.parse().expect("a level"),
                index.parse().expect("an index"),
            );
            (key, decode(&unpacked(text)).expect("a tile"))
        })
        .collect()
}

/// Numbers as `columns.rs` writes them.
struct Numbers<'a>(std::slice::Iter<'a, u8>);

impl Numbers<'_> {
    fn next(&mut self) -> i64 {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = *self.0.next().expect("a byte");
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return value.cast_signed();
            }
            shift += 7;
        }
    }

    fn signed(&mut self) -> i64 {
        let value = self.next();
        (value >> 1) ^ -(value & 1)
    }

    fn length(&mut self) -> usize {
        usize::try_from(self.next()).expect("small")
    }

    fn column(&mut self, length: usize) -> Vec<i64> {
        (0..length).map(|_| self.next()).collect()
    }
}

#[test]
fn tracks_hold_every_slice() {
    for name in ["mlp-cpu", "demo-gpt-cpu"] {
        let session = fixture(name);
        let (_, report, left_out) = report(&session, 50_000_000).expect("a report");
        assert!(left_out.is_empty(), "{left_out:?}");
        assert_eq!(report["tiles"].as_array().map(Vec::len), Some(0));
        let tracks = report["tracks"].as_array().expect("tracks");
        assert_eq!(tracks.len(), session.tracks.len(), "{name}");
        for whole in tracks {
            let id = u32::try_from(whole["track"].as_u64().expect("a number")).expect("small");
            let track = session.track(TrackId(id));
            let bytes = unpacked(&whole["columns"]);
            let mut numbers = Numbers(bytes.iter());
            if let Some(samples) = &track.samples {
                assert_eq!(numbers.next(), 1);
                assert_eq!(numbers.length(), samples.times.len());
                continue;
            }
            assert_eq!((numbers.next(), numbers.length()), (0, track.lanes.len()));
            for lane in &track.lanes {
                let (length, unit) = (numbers.length(), numbers.next());
                assert_eq!(length, lane.len());
                if length == 0 {
                    continue;
                }
                let first = numbers.signed();
                let gaps = numbers.column(length - 1);
                let durations = numbers.column(length);
                let labels = numbers.column(length);
                let mut start = first;
                for index in 0..lane.len() {
                    let duration = durations[index] * unit;
                    let slice = (lane.starts()[index], lane.durations()[index]);
                    assert_eq!((start, duration), slice, "{name} track {id}");
                    assert_eq!(labels[index], i64::from(lane.labels()[index].0));
                    start += duration + gaps.get(index).copied().unwrap_or(0) * unit;
                }
            }
            assert_eq!(numbers.0.len(), 0, "nothing follows");
        }
    }
}

#[test]
fn tracks_without_room_have_tiles_that_hold_all_their_slices() {
    let session = fixture("demo-gpt-cpu");
    let (_, report, _) = report(&session, 300_000).expect("a report");
    let groups = report["tiles"].as_array().expect("groups");
    assert!(!groups.is_empty(), "not all tracks are whole");
    let whole = report["tracks"].as_array().expect("tracks");
    for group in groups {
        let tiles = tiles(group);
        let Some((_, root)) = tiles.last_key_value() else {
            continue;
        };
        for track in &root.tracks {
            let is_whole = whole.iter().any(|one| one["track"] == track.track.0);
            assert!(!is_whole, "a track is whole or has tiles");
            let TrackContent::Lanes(lanes) = &track.content else {
                continue;
            };
            for (lane, tile) in session.track(track.track).lanes.iter().zip(lanes) {
                assert_eq!(tile.counts.iter().sum::<u32>() as usize, lane.len());
            }
        }
    }
}

#[test]
fn a_report_is_as_small_as_it_has_to_be() {
    let session = fixture("demo-gpt-cpu");
    let mut detail_counts = Vec::new();
    for most_bytes in [3_000_000, 1_000_000, 400_000, 200_000] {
        let (text, report, left_out) = report(&session, most_bytes).expect("a report");
        assert!(
            text.len() as u64 <= most_bytes,
            "{} of {most_bytes}",
            text.len()
        );
        assert!(!report["answers"]["overview"].is_null());
        detail_counts.push(report["detail_count"].as_u64());
        if most_bytes < 500_000 {
            assert!(!left_out.is_empty(), "{most_bytes}");
        }
        let groups = report["tiles"].as_array().expect("groups");
        let drawn = groups.iter().filter(|group| !tiles(group).is_empty());
        let whole = report["tracks"].as_array().expect("tracks");
        assert!(drawn.count() + whole.len() > 0, "{most_bytes}");
    }
    assert!(
        detail_counts.is_sorted_by(|one, other| one >= other),
        "{detail_counts:?}"
    );
    let refused = report(&session, 2000).expect_err("too little");
    assert!(matches!(refused, ExportError::TooSmall { .. }), "{refused}");
}

#[test]
fn a_page_without_a_place_is_refused() {
    let session = fixture("mlp-cpu");
    let with = HtmlOptions {
        page: "<html></html>",
        shell: &[],
        most_bytes: 1_000_000,
    };
    let refused = html(&session, &About::default(), &[], &with);
    assert!(matches!(refused.err(), Some(ExportError::NoPage)));
}

#[test]
fn no_text_of_a_profile_ends_the_script() {
    let mut session = fixture("mlp-cpu");
    session.name = "</script><b>".to_owned();
    let (text, report, _) = report(&session, 15_000_000).expect("a report");
    assert!(text.contains("<title>&lt;/script&gt;&lt;b&gt; · Stepscope"));
    assert_eq!(report["session"], "</script><b>");
}
