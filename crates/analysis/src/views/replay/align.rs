//! Late participants of collectives: what they did that made them late.
//!
//! ```text
//! device 0   release ──[ dot ]── arrive ──────────┐
//! device 1   release ──[ host: loads ][ dot ]── arrive ── meeting
//!                      ╰── as much of this as it is late
//! ```
//!
//! Aligned, each participant that arrives after the median one does that much less between its
//! previous meeting and this one: what took longer than on the median participant gets shorter first.

use std::collections::BTreeMap;

use super::graph::{EdgeKind, Graph, NodeKind, Why};
use super::run::{Catching, Times, Weights};

/// Pieces that are followed back from one arrival.
const MOST_PIECES: usize = 100_000;

/// Something that an arrival waited for.
#[derive(Clone, Copy)]
struct Piece {
    node: u32,
    time_ps: i64,
    /// The label of work; none for hosts.
    label: Option<u32>,
}

/// What late participants would do less, in the replay without changes.
pub(super) fn catching_up(graph: &Graph, weights: &Weights<'_>, times: &Times) -> Catching {
    let mut found = Catching::default();
    for (number, node) in (0u32..).zip(&graph.nodes) {
        if node.kind != NodeKind::Meet {
            continue;
        }
        let arrivals = graph.edges_of(number).iter();
        let mut arrivals: Vec<(i64, u32)> = arrivals
            .map(|edge| (times.end_ps[edge.from as usize], edge.from))
            .collect();
        arrivals.sort_unstable();
        let Some(&(median_ps, median)) = arrivals.get(arrivals.len().saturating_sub(1) / 2) else {
            continue;
        };
        let late = arrivals.iter().filter(|&&(at_ps, _)| at_ps > median_ps);
        let late: Vec<&(i64, u32)> = late.collect();
        if late.is_empty() {
            continue;
        }
        let usual = by_label(&pieces(graph, weights, times, median));
        for &&(at_ps, arrival) in &late {
            let own = pieces(graph, weights, times, arrival);
            found.cut(own, &usual, at_ps - median_ps);
        }
    }
    found
}

/// What an arrival waited for since the previous meeting.
fn pieces(graph: &Graph, weights: &Weights<'_>, times: &Times, arrival: u32) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut number = arrival;
    for _ in 0..MOST_PIECES {
        let node = &graph.nodes[number as usize];
        let mut add = |time_ps: i64, label: Option<u32>| {
            if time_ps > 0 {
                found.push(Piece {
                    node: number,
                    time_ps,
                    label,
                });
            }
        };
        match node.kind {
            NodeKind::Host => add(weights.duration_ps(number), None),
            NodeKind::Work => add(weights.duration_ps(number), Some(node.label)),
            _ => {}
        }
        if node.kind != NodeKind::Host && node.why == Why::Host {
            add(weights.delay_ps(number), None);
        }
        let Some((_, edge)) = weights.ready(number, times) else {
            break;
        };
        if matches!(edge.kind, EdgeKind::Transfer | EdgeKind::HiddenTransfer) {
            break;
        }
        number = edge.from;
    }
    found
}

fn by_label(pieces: &[Piece]) -> BTreeMap<Option<u32>, i64> {
    let mut sums = BTreeMap::new();
    for piece in pieces {
        let sum = sums.entry(piece.label).or_insert(0i64);
        *sum = sum.saturating_add(piece.time_ps);
    }
    sums
}

impl Catching {
    /// Shortens pieces by `late_ps` together: first what took longer than usual, the largest excess
    /// first, then the longest.
    fn cut(&mut self, mut own: Vec<Piece>, usual: &BTreeMap<Option<u32>, i64>, late_ps: i64) {
        own.sort_unstable_by_key(|piece| (std::cmp::Reverse(piece.time_ps), piece.node));
        let mut excess: Vec<(i64, Option<u32>)> = by_label(&own)
            .into_iter()
            .map(|(label, sum)| (sum - usual.get(&label).copied().unwrap_or(0), label))
            .filter(|&(excess, _)| excess > 0)
            .collect();
        excess.sort_unstable_by_key(|&(excess, label)| (std::cmp::Reverse(excess), label));
        let mut left_ps = late_ps;
        for (excess_ps, label) in excess {
            let wanted_ps = excess_ps.min(left_ps);
            let of_label = own.iter_mut().filter(|piece| piece.label == label);
            left_ps -= self.take(of_label, wanted_ps);
        }
        self.take(own.iter_mut(), left_ps);
    }

    /// Takes as much as there is of a time; returns how much.
    fn take<'p>(&mut self, pieces: impl Iterator<Item = &'p mut Piece>, wanted_ps: i64) -> i64 {
        let mut left_ps = wanted_ps;
        for piece in pieces {
            let cut_ps = piece.time_ps.min(left_ps);
            if cut_ps <= 0 {
                continue;
            }
            piece.time_ps -= cut_ps;
            left_ps -= cut_ps;
            let known = if piece.label.is_some() {
                self.work_ps.entry(piece.node).or_default()
            } else {
                self.host_ps.entry(piece.node).or_default()
            };
            *known += cut_ps;
        }
        wanted_ps - left_ps
    }
}
