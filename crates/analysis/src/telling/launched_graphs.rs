//! A note about CUDA and HIP graphs: which share of their time has an op, how the ops were found, and
//! why the rest has none.

use std::fmt::Write as _;

use stepscope_model::{Attribution, GraphDetail, OpenReason, Picos, Session};

use super::note::Note;
use crate::telling::format;

/// What to do about CUDA graphs, which hide the ops of their kernels.
pub(crate) const CUDA_GRAPHS_OFF: &str =
    "To turn CUDA graphs off while profiling, set `XLA_FLAGS=--xla_gpu_enable_command_buffer=`.";

/// At most this many reasons are listed.
const MAX_REASONS: usize = 3;

/// Sums over all graphs of a session.
#[derive(Debug, Default)]
struct Sums {
    launches: usize,
    whole_launches: usize,
    /// Time by how ops were found, in the order of [`Attribution::ALL`].
    found_ps: [i64; Attribution::ALL.len()],
    /// Time without an op by reason, most first.
    open_ps: Vec<(OpenReason, i64)>,
}

impl Sums {
    fn of(session: &Session) -> Self {
        let mut sums = Self::default();
        for graph in &session.graphs {
            sums.launches += graph.launches;
            if graph.detail == GraphDetail::Whole {
                sums.whole_launches += graph.launches;
                continue;
            }
            for (sum, &(_, Picos(time))) in sums.found_ps.iter_mut().zip(&graph.found) {
                *sum = sum.saturating_add(time);
            }
            for &(reason, _, Picos(time)) in &graph.open {
                let open = &mut sums.open_ps;
                match open.iter_mut().find(|(known, _)| *known == reason) {
                    Some((_, sum)) => *sum = sum.saturating_add(time),
                    None => open.push((reason, time)),
                }
            }
        }
        sums.open_ps.sort_by_key(|&(reason, time)| (-time, reason));
        sums
    }

    fn all_ps(&self) -> i64 {
        self.found_ps.iter().copied().fold(0, i64::saturating_add)
    }
}

/// A note on the kernels of all graphs in the session; none if no graph was launched.
pub(crate) fn note(session: &Session) -> Option<Note> {
    let sums = Sums::of(session);
    if sums.launches == 0 {
        return None;
    }
    let mut text = format!("CUDA or HIP graphs were launched {}", times(sums.launches));
    let all_ps = sums.all_ps();
    if all_ps > 0 {
        let open_ps = sums.found_ps[Attribution::None as usize];
        let share = |time: i64| format::percent(time as f64 / all_ps as f64);
        let _ = write!(
            text,
            " in the whole session; {} of their kernel time has an HLO op",
            share(all_ps.saturating_sub(open_ps))
        );
        let ways = Attribution::ALL.into_iter().zip(sums.found_ps);
        let ways: Vec<String> = ways
            .filter(|&(way, time)| way != Attribution::None && time > 0)
            .map(|(way, time)| format!("{} {}", way.name().replace('_', " "), share(time)))
            .collect();
        if !ways.is_empty() {
            let _ = write!(text, " ({})", ways.join(", "));
        }
        let reasons: Vec<String> = sums
            .open_ps
            .iter()
            .take(MAX_REASONS)
            .map(|&(reason, time)| format!("{} {}", share(time), reason.text()))
            .collect();
        if !reasons.is_empty() {
            let _ = write!(text, "; of the rest: {}", reasons.join(", "));
        }
    }
    if sums.whole_launches > 0 {
        let _ = write!(
            text,
            "; {} recorded a single slice for all kernels of the graph, which counts for the whole \
             command buffer",
            match sums.whole_launches {
                1 => "one launch".to_owned(),
                count => format!("{count} launches"),
            }
        );
    }
    text.push('.');
    let is_all_found = sums.open_ps.is_empty() && sums.whole_launches == 0;
    Some(if is_all_found {
        Note::info("graphs-attributed", text)
    } else {
        Note::info("graphs-not-attributed", text).with_hint(CUDA_GRAPHS_OFF)
    })
}

fn times(count: usize) -> String {
    if count == 1 {
        "once".to_owned()
    } else {
        format!("{count} times")
    }
}
