//! Compiler passes: the slices within slices of compilation, by name.

use stepscope_model::{Activity, HostId, LabelId, Session, SliceKind, Span, TrackId};

use super::report::PassRow;
use crate::measuring::activity::host_tracks;
use crate::measuring::interval::Intervals;

/// Maximum number of passes that are listed.
const MOST_PASSES: usize = 200;

#[derive(Default, Clone, Copy)]
struct Sum {
    count: i64,
    total_ps: i64,
    self_ps: i64,
}

/// Passes by name, most self time first. `within` returns the times of a host that count, or none if all
/// count.
pub(super) fn passes(
    session: &Session,
    hosts: &[HostId],
    within: impl Fn(HostId) -> Option<Intervals>,
) -> Vec<PassRow> {
    let labels = session.labels.iter();
    let is_compile: Vec<bool> = labels
        .clone()
        .map(|label| {
            matches!(label.activity, Activity::Compile(_)) && label.kind == SliceKind::Host
        })
        .collect();
    if !is_compile.contains(&true) {
        return Vec::new();
    }
    let is_pass: Vec<bool> = labels
        .map(|label| {
            let can_be = matches!(
                label.activity,
                Activity::Compile(_) | Activity::Other | Activity::Runtime
            );
            can_be && label.kind == SliceKind::Host
        })
        .collect();
    let mut sums = vec![Sum::default(); session.labels.len()];
    let labels = PassLabels {
        is_compile,
        is_pass,
    };
    for &host in hosts {
        let times = within(host);
        for id in host_tracks(session, host) {
            add(session, id, times.as_ref(), &labels, &mut sums);
        }
    }
    let mut rows: Vec<PassRow> = sums
        .iter()
        .enumerate()
        .filter(|(_, sum)| sum.count > 0)
        .map(|(index, sum)| PassRow {
            name: session.label_name(LabelId::from_index(index)).to_owned(),
            phase: match session.labels[index].activity {
                Activity::Compile(phase) => phase.name(),
                _ => "pass",
            }
            .to_owned(),
            count: sum.count,
            total_ps: sum.total_ps,
            self_ps: sum.self_ps,
        })
        .collect();
    rows.sort_by(|a, b| (b.self_ps, &a.name).cmp(&(a.self_ps, &b.name)));
    rows.truncate(MOST_PASSES);
    rows
}

/// For each label: whether it is a compilation, and whether it can be a pass within one.
struct PassLabels {
    is_compile: Vec<bool>,
    is_pass: Vec<bool>,
}

fn add(
    session: &Session,
    id: TrackId,
    times: Option<&Intervals>,
    PassLabels {
        is_compile,
        is_pass,
    }: &PassLabels,
    sums: &mut [Sum],
) {
    let Some(track) = session.track_having(id, |label| is_compile[label.index()]) else {
        return;
    };
    for nest in &track.nests {
        let mut within = Intervals::default();
        for number in nest.clone() {
            let lane = &track.lanes[number as usize];
            let slices = lane.labels().iter().enumerate();
            let compiling: Vec<Span> = slices
                .filter(|(_, label)| is_compile[label.index()])
                .map(|(index, _)| lane.span(index))
                .collect();
            within = within.union(&Intervals::union_of(compiling));
            let counted = times.map_or_else(|| within.clone(), |times| within.intersect(times));
            for &window in counted.spans() {
                let range = lane.starting_in(window);
                track.for_each_self_time(number as usize, range, |index, self_ps| {
                    let label = lane.labels()[index].index();
                    if is_pass[label] {
                        let sum = &mut sums[label];
                        sum.count += 1;
                        sum.total_ps = sum.total_ps.saturating_add(lane.durations()[index]);
                        sum.self_ps = sum.self_ps.saturating_add(self_ps);
                    }
                });
            }
        }
    }
}
