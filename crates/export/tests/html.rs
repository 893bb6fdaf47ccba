//! Reports of one file: what they hold is what analyses answer, and they are as small as they have
//! to be.

mod support;

use std::collections::BTreeMap;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use stepscope_analysis::timeline::encode::decode;
use stepscope_analysis::timeline::tile::TrackContent;
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
        let kept = String::from_utf8(unpacked(&report["answers"][question])).expect("text");
        assert!(
            kept == answer.json_text().expect("JSON"),
            "{question}: {kept:.400}"
        );
    }
}

/// Tiles of a group by level and index.
fn tiles(group: &Value) -> BTreeMap<(u32, i64), stepscope_analysis::timeline::tile::Tile> {
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

#[test]
fn the_finest_tiles_hold_every_slice_alone() {
    let session = fixture("mlp-cpu");
    let (_, report, _) = report(&session, 50_000_000).expect("a report");
    let mut slices = 0;
    for group in report["tiles"].as_array().expect("groups") {
        let tiles = tiles(group);
        let mut alone: BTreeMap<(TrackId, usize), Vec<u32>> = BTreeMap::new();
        for ((level, index), tile) in &tiles {
            let has_finer = level > &0
                && [0, 1]
                    .iter()
                    .any(|half| tiles.contains_key(&(level - 1, index * 2 + half)));
            if has_finer {
                continue;
            }
            for track in &tile.tracks {
                let TrackContent::Lanes(lanes) = &track.content else {
                    continue;
                };
                for (number, lane) in lanes.iter().enumerate() {
                    assert!(
                        lane.counts.iter().all(|&count| count == 1),
                        "{level}/{index}"
                    );
                    alone
                        .entry((track.track, number))
                        .or_default()
                        .extend(&lane.first);
                }
            }
        }
        for track in group["tracks"].as_array().expect("tracks") {
            let id = TrackId(u32::try_from(track.as_u64().expect("a number")).expect("small"));
            for (number, lane) in session.track(id).lanes.iter().enumerate() {
                let mut found = alone.remove(&(id, number)).unwrap_or_default();
                found.sort_unstable();
                found.dedup();
                assert_eq!(found.len(), lane.len(), "track {} lane {number}", id.0);
                slices += found.len();
            }
        }
    }
    assert_eq!(slices, session.slice_count());
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
        let whole = groups.iter().filter(|group| !tiles(group).is_empty());
        // Devices come first.
        assert!(whole.count() > 0 && !tiles(&groups[0]).is_empty());
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
