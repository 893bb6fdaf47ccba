//! Real captures: the engine and brute force over raw events agree; concatenated captures are one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::support::session_of;
use stepscope_model::{Lane, Session, SliceKind, TrackRole};
use stepscope_testing::corpus::{self, Capture};
use stepscope_testing::oracle::{self, Device};
use stepscope_testing::space::XSpace;

fn files(capture: &Capture) -> Vec<Vec<u8>> {
    capture
        .hosts
        .iter()
        .map(|host| corpus::read_bytes(host).expect("readable"))
        .collect()
}

fn each_capture(check: impl Fn(&str, &[Vec<u8>])) {
    for capture in corpus::fixtures().into_iter().chain(corpus::captures()) {
        check(&capture.name, &files(&capture));
    }
}

/// A thread that is read in passing is that thread, and its slices stay in the file until it is read
/// to be kept.
#[test]
fn what_is_read_in_passing_is_the_same_and_is_not_kept() {
    let columns = |lane: &Lane| {
        let times = (lane.starts().to_vec(), lane.durations().to_vec());
        (times, lane.labels().to_vec(), lane.events().to_vec())
    };
    let mut passed = 0;
    for capture in corpus::fixtures() {
        let session = session_of(&files(&capture));
        for track in &session.tracks {
            let passing = track.in_passing();
            let seen: Vec<_> = passing.lanes.iter().map(columns).collect();
            if matches!(passing, Cow::Owned(_)) {
                passed += 1;
                assert!(matches!(track.in_passing(), Cow::Owned(_)), "it was kept");
            }
            let kept: Vec<_> = track.lanes.iter().map(columns).collect();
            assert_eq!(seen, kept, "{}", capture.name);
            assert!(matches!(track.in_passing(), Cow::Borrowed(_)));
        }
    }
    assert!(passed > 0, "no fixture has a thread whose slices stay");
}

/// Slices, samples and sums make up all events, and each slice is in its lane's order.
#[test]
fn no_event_is_lost() {
    each_capture(|name, files| {
        let session = session_of(files);
        let events: u64 = files
            .iter()
            .map(|bytes| oracle::event_total(&XSpace::from_bytes(bytes).expect("whole")))
            .sum();
        let drawn = |lane: &stepscope_model::Lane| {
            lane.events()
                .iter()
                .filter(|&&event| event != u32::MAX)
                .count()
        };
        let slices: usize = session
            .tracks
            .iter()
            .flat_map(|track| &track.lanes)
            .map(drawn)
            .sum();
        let samples: usize = session
            .tracks
            .iter()
            .filter_map(|track| track.samples.as_ref())
            .map(|samples| samples.times.len())
            .sum();
        assert_eq!(
            (slices + samples + session.aggregates.len()) as u64,
            events,
            "{name}"
        );
        let counted: u64 = session.hosts.iter().map(|host| host.event_count).sum();
        assert_eq!(counted, events, "{name}");
    });
}

/// Time covered by spans.
fn covered(mut spans: Vec<(i128, i128)>) -> i128 {
    spans.sort_unstable();
    let (mut total, mut reached) = (0, i128::MIN);
    for (start, end) in spans {
        if end > reached {
            total += end - start.max(reached);
            reached = end;
        }
    }
    total
}

/// Time covered by work, by device, in picoseconds.
fn busy(session: &Session) -> BTreeMap<String, i128> {
    let mut busy = BTreeMap::new();
    for device in session.device_ids() {
        let mut spans: Vec<(i128, i128)> = Vec::new();
        for (_, track) in session.work_tracks(device) {
            for lane in &track.lanes {
                let work = (0..lane.len())
                    .filter(|&index| session.label(lane.labels()[index]).kind.is_work());
                let span = |index: usize| (lane.starts()[index].into(), lane.end(index).into());
                spans.extend(work.map(span));
            }
        }
        busy.insert(session.device(device).name.clone(), covered(spans));
    }
    busy
}

#[test]
fn busy_time_is_that_of_brute_force() {
    each_capture(|name, files| {
        for bytes in files {
            let space = XSpace::from_bytes(bytes).expect("whole");
            let found = busy(&session_of(std::slice::from_ref(bytes)));
            for (device, slices) in oracle::device_slices(&space) {
                let (title, expected) = match device {
                    Device::Tpu(ordinal) => (format!("TPU:{ordinal}"), on_device_clock(&slices)),
                    Device::Gpu(ordinal) => {
                        (format!("GPU:{ordinal}"), oracle::busy_ps(&space, device))
                    }
                    Device::Cpu(ordinal) => {
                        (format!("CPU:{ordinal}"), oracle::busy_ps(&space, device))
                    }
                };
                assert_eq!(found[&title], expected, "{name} {title}");
            }
        }
    });
}

/// Ops are placed by the device's own clock where the file has it.
fn on_device_clock(slices: &[oracle::Event]) -> i128 {
    let span = |slice: &oracle::Event| {
        let offset = slice.stats.integer("device_offset_ps");
        match offset.zip(slice.stats.integer("device_duration_ps")) {
            Some((offset, duration)) => (offset.into(), i128::from(offset) + i128::from(duration)),
            None => (slice.start_ps, slice.end_ps()),
        }
    };
    covered(slices.iter().map(span).collect())
}

#[test]
fn a_capture_written_three_times_is_the_same_tracks_thrice_as_full() {
    each_capture(|name, files| {
        let once = session_of(&files[..1]);
        let thrice = session_of(&[files[0].repeat(3)]);
        let counts = |session: &Session| -> Vec<(String, Option<String>, TrackRole, i64, usize)> {
            let recorded = session
                .tracks
                .iter()
                .filter(|track| !track.origin.lines.is_empty());
            let counters = session
                .tracks
                .iter()
                .filter(|track| track.samples.is_some());
            let row = |track: &stepscope_model::Track| {
                let device = track
                    .device
                    .map(|device| session.device(device).name.clone());
                let samples = track
                    .samples
                    .as_ref()
                    .map_or(0, |samples| samples.times.len());
                let name = session.text(track.name).to_owned();
                (
                    name,
                    device,
                    track.role,
                    track.line_id,
                    track.slice_count() + samples,
                )
            };
            recorded.chain(counters).map(row).collect()
        };
        let mut expected = counts(&once);
        for row in &mut expected {
            row.4 *= 3;
        }
        assert!(counts(&thrice) == expected, "{name}");
        let names = |session: &Session| -> Vec<String> {
            session
                .devices
                .iter()
                .map(|device| device.name.clone())
                .collect()
        };
        assert_eq!(names(&thrice), names(&once), "{name}");
        assert_eq!(thrice.labels.len(), once.labels.len(), "{name}");
        assert_eq!(thrice.ops.len(), once.ops.len(), "{name}");
        assert_eq!(thrice.programs.len(), once.programs.len(), "{name}");
    });
}

/// What a lane promises to everyone who searches it.
#[test]
fn lanes_and_nests_hold_their_promises() {
    each_capture(|name, files| {
        let session = session_of(files);
        for track in &session.tracks {
            let lanes = u32::try_from(track.lanes.len()).expect("few");
            let covered: u32 = track.nests.iter().map(|nest| nest.end - nest.start).sum();
            assert_eq!(covered, lanes, "{name}: nests cover the lanes");
            for lane in &track.lanes {
                for index in 1..lane.len() {
                    assert!(
                        lane.end(index - 1) <= lane.starts()[index],
                        "{name}: overlap"
                    );
                }
            }
            for nest in &track.nests {
                for lane in nest.start + 1..nest.end {
                    for index in 0..track.lanes[lane as usize].len() {
                        let index = u32::try_from(index).expect("few");
                        let (above, parent) = track.parent(lane, index).expect("a parent");
                        let parent = track.lanes[above as usize].span(parent as usize);
                        let child = track.lanes[lane as usize].span(index as usize);
                        assert!(
                            parent.contains(child),
                            "{name}: {child:?} leaves {parent:?}"
                        );
                    }
                }
            }
        }
        let kinds = session
            .labels
            .iter()
            .filter(|label| label.kind == SliceKind::Op);
        assert!(kinds.clone().all(|label| label.program.is_some()), "{name}");
    });
}
