//! Stages of input pipelines: every name that loads input, on every thread, and the program's own
//! function that an iterator, or the thread that fills a queue, spends most of its time in.

use std::borrow::Cow;

use stepscope_model::{Activity, InputStage, LabelId, Picos, Session, SliceKind, Track};

use super::other_end::OtherEnd;
use super::own_code::{around, own_code};
use super::report::StageRow;
use crate::measuring::activity::{Activities, QueueEnd, driving_threads, host_tracks};
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;

#[derive(Default, Clone, Copy)]
struct Sum {
    count: i64,
    total_ps: i64,
    self_ps: i64,
    longest_ps: i64,
    background_ps: i64,
}

/// Stages that start in the selected steps and times, most self time first. The first one that does
/// work is the bottleneck.
pub(super) fn stages(session: &Session, selected: &Selected<'_>) -> Vec<StageRow> {
    let hosts = &selected.hosts;
    let activities = Activities::of(session);
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    let is_input: Vec<bool> = ids
        .map(|id| matches!(activities.label(id), Activity::Input(_)))
        .collect();
    if !is_input.contains(&true) {
        return Vec::new();
    }
    let mut sums = vec![Sum::default(); session.labels.len()];
    for (&host, driving) in hosts
        .iter()
        .zip(driving_threads(session, hosts, selected.loops()))
    {
        let windows = selected.host_windows(host);
        let filler = OtherEnd::of(session, (host, selected.loops()), QueueEnd::Get, &windows);
        let filler = filler.filter(|filler| filler.hands_over);
        for id in host_tracks(session, host) {
            let fills = filler.as_ref().is_some_and(|filler| filler.thread == id);
            let is_read = |label: LabelId| fills || is_input[label.index()];
            let Some(track) = session.track_having(id, is_read) else {
                continue;
            };
            let is_driving = driving.binary_search(&id).is_ok();
            let own = if is_driving {
                own_code(session, &track, &windows)
            } else {
                let filler = filler.as_ref().filter(|_| fills);
                filler.and_then(|filler| filler.innermost)
            };
            let mut is_stage = Cow::Borrowed(is_input.as_slice());
            if let Some(own) = own {
                is_stage.to_mut()[own.index()] = true;
            }
            let background = i64::from(!is_driving);
            add_track(&track, background, &windows, &is_stage, &mut sums);
        }
    }
    let mut rows: Vec<StageRow> = sums
        .iter()
        .enumerate()
        .filter(|(_, sum)| sum.count > 0)
        .map(|(index, sum)| {
            let id = LabelId::from_index(index);
            row(session, id, activities.label(id), sum)
        })
        .collect();
    rows.sort_by(|a, b| (b.self_ps, &a.name).cmp(&(a.self_ps, &b.name)));
    let does_work = |row: &&mut StageRow| !matches!(&*row.stage, "wait" | "prefetch" | "enqueue");
    if let Some(row) = rows.iter_mut().find(does_work) {
        row.is_bottleneck = row.self_ps > 0;
    }
    rows
}

/// Adds a track's stages. What runs within a stage counts as its work, unless it is a stage too.
fn add_track(
    track: &Track,
    background: i64,
    windows: &Intervals,
    is_stage: &[bool],
    sums: &mut [Sum],
) {
    for nest in &track.nests {
        // Stages of each lane that has some, outermost first: start, end, label.
        let mut outer: Vec<Vec<(i64, i64, usize)>> = Vec::new();
        for number in nest.clone() {
            let lane = &track.lanes[number as usize];
            let mut own = Vec::new();
            for (index, label) in lane.labels().iter().enumerate() {
                let label = label.index();
                if !is_stage[label] {
                    continue;
                }
                let (start, duration) = (lane.starts()[index], lane.durations()[index]);
                if !windows.contains_instant(Picos(start)) {
                    continue;
                }
                let sum = &mut sums[label];
                sum.count += 1;
                sum.total_ps = sum.total_ps.saturating_add(duration);
                sum.self_ps = sum.self_ps.saturating_add(duration);
                sum.longest_ps = sum.longest_ps.max(duration);
                sum.background_ps = sum.background_ps.saturating_add(background * duration);
                if let Some(enclosing) = outer.iter().rev().find_map(|lane| around(lane, start)) {
                    let sum = &mut sums[enclosing];
                    sum.self_ps = sum.self_ps.saturating_sub(duration);
                    sum.background_ps = sum.background_ps.saturating_sub(background * duration);
                }
                own.push((start, start.saturating_add(duration), label));
            }
            if !own.is_empty() {
                outer.push(own);
            }
        }
    }
}

fn row(session: &Session, id: LabelId, activity: Activity, sum: &Sum) -> StageRow {
    let label = session.label(id);
    let stage = match activity {
        Activity::Input(stage) => stage,
        _ => InputStage::Load,
    };
    let name = session.label_name(id);
    let source = match label.kind {
        SliceKind::Python => "python",
        _ if name.starts_with("Iterator::") || name.contains("IteratorGetNext") => "tf.data",
        _ => "annotation",
    };
    StageRow {
        name: name.trim_start_matches('$').to_owned(),
        stage: stage.name().to_owned(),
        source: source.to_owned(),
        count: sum.count,
        total_ps: sum.total_ps,
        self_ps: sum.self_ps,
        mean_ps: sum.total_ps as f64 / sum.count.max(1) as f64,
        longest_ps: sum.longest_ps,
        background_ps: sum.background_ps,
        is_bottleneck: false,
    }
}
