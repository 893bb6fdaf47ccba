//! The slices of an area merged by their names and those of the slices around them: a flame graph, and
//! upside down, from each slice to what is around it.
//!
//! Outermost frames of the graph are tracks by name: the same row of several devices is one. Upside
//! down, the outermost frames are the names that have self time, and what is below them is who is
//! around them, the track last.

use std::convert::Infallible;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use stepscope_model::walk::{Moment, walk_within};
use stepscope_model::{Class, Picos, SaturatingSum as _, Session, Span, StringId, TrackId};

use super::area_report::{FlameFrameReport, FlameReport};
use super::area_slices::slice_count;

/// Maximum number of different stacks that are told apart.
const MOST_STACKS: usize = 200_000;

/// From the outside in, or from the inside out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlameOrder {
    /// What is within what.
    Callees,
    /// What is around each slice.
    Callers,
}

/// Bytes of memory that an answer needs at most, without making it: a tree per thread.
pub fn most_bytes(session: &Session, window: Span, tracks: &[TrackId]) -> u64 {
    let slices = slice_count(session, window, tracks);
    let of_node = size_of::<Node>() + 2 * size_of::<((u32, StringId), u32)>();
    let trees = rayon::current_num_threads() + 2;
    (2 * of_node * slices.min(MOST_STACKS) * trees) as u64
}

/// The merged slices that overlap the window, with times clipped to it. At most `limit` frames: those
/// with most time. Tracks that are not in the session are ignored.
pub fn flame(
    session: &Session,
    window: Span,
    tracks: &[TrackId],
    order: FlameOrder,
    limit: usize,
) -> FlameReport {
    let known = tracks.iter().filter(|id| id.index() < session.tracks.len());
    let nests: Vec<(TrackId, std::ops::Range<u32>)> = known
        .flat_map(|&id| {
            session
                .track(id)
                .nests
                .iter()
                .map(move |nest| (id, nest.clone()))
        })
        .collect();
    let tree = nests
        .into_par_iter()
        .with_min_len(4)
        .fold(Tree::default, |mut tree, (id, nest)| {
            tree.add_nest(session, id, &nest, window);
            tree
        })
        .reduce(Tree::default, Tree::join);
    let tree = match order {
        FlameOrder::Callees => tree,
        FlameOrder::Callers => tree.upside_down(),
    };
    tree.report(session, window, limit)
}

/// Slices with the same names around them.
#[derive(Clone, Copy)]
struct Node {
    /// Position of the node around it; none for outermost ones.
    parent: Option<u32>,
    name: StringId,
    /// None for tracks.
    class: Option<Class>,
    count: i64,
    total_ps: i64,
    /// Without the nodes below.
    self_ps: i64,
}

/// Nodes, each after the one around it.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    known: FxHashMap<(Option<u32>, StringId), u32>,
    is_cut: bool,
}

impl Tree {
    /// The node with this name below another one; none if there are too many.
    fn node(&mut self, parent: Option<u32>, name: StringId, class: Option<Class>) -> Option<u32> {
        if let Some(&known) = self.known.get(&(parent, name)) {
            return Some(known);
        }
        if self.nodes.len() >= MOST_STACKS {
            self.is_cut = true;
            return None;
        }
        let next = u32::try_from(self.nodes.len()).ok()?;
        self.nodes.push(Node {
            parent,
            name,
            class,
            count: 0,
            total_ps: 0,
            self_ps: 0,
        });
        self.known.insert((parent, name), next);
        Some(next)
    }

    fn at(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    /// Adds the slices of a nest. Those beyond the limit stay in the self time of what is around them.
    fn add_nest(
        &mut self,
        session: &Session,
        id: TrackId,
        nest: &std::ops::Range<u32>,
        window: Span,
    ) {
        let track = session.track(id);
        // For each open slice, its node and whether that is its own.
        let mut open: Vec<(Option<u32>, bool)> = Vec::new();
        let Ok(()) = walk_within(track, nest, window, |moment| {
            let (lane, index) = match moment {
                Moment::Begin(lane, index) => (&track.lanes[lane as usize], index),
                Moment::End(_) => {
                    open.pop();
                    return Ok::<(), Infallible>(());
                }
            };
            let label = session.label(lane.labels()[index]);
            let clipped = lane.span(index).intersection(window);
            let clipped_ps = clipped.map_or(0, |span| span.duration().0);
            let (around, is_own) = match open.last() {
                Some(&around) => around,
                None => (self.node(None, track.name, None), true),
            };
            let Some(around) = around else {
                open.push((None, false));
                return Ok(());
            };
            if open.is_empty() {
                let row = self.at(around);
                row.total_ps = row.total_ps.saturating_add(clipped_ps);
                row.count += 1;
            }
            let node = is_own.then(|| self.node(Some(around), label.name, Some(label.class)));
            let Some(node) = node.flatten() else {
                // An outermost slice is time of its row.
                if open.is_empty() {
                    let row = self.at(around);
                    row.self_ps = row.self_ps.saturating_add(clipped_ps);
                }
                open.push((Some(around), false));
                return Ok(());
            };
            if !open.is_empty() {
                let outer = self.at(around);
                outer.self_ps = outer.self_ps.saturating_sub(clipped_ps);
            }
            let inner = self.at(node);
            inner.count += 1;
            inner.total_ps = inner.total_ps.saturating_add(clipped_ps);
            inner.self_ps = inner.self_ps.saturating_add(clipped_ps);
            open.push((Some(node), true));
            Ok(())
        });
    }

    fn join(self, other: Self) -> Self {
        let (mut tree, other) = if self.nodes.len() < other.nodes.len() {
            (other, self)
        } else {
            (self, other)
        };
        tree.is_cut |= other.is_cut;
        // Where each node of the other is in this one, and whether that is a node of its own.
        let mut places: Vec<(Option<u32>, bool)> = Vec::with_capacity(other.nodes.len());
        for node in &other.nodes {
            let (parent, is_own) = match node.parent {
                Some(parent) => places[parent as usize],
                None => (None, true),
            };
            let place = is_own.then(|| tree.node(parent, node.name, node.class));
            let Some(place) = place.flatten() else {
                // What does not fit is time of the node around it.
                if let Some(parent) = parent {
                    let around = tree.at(parent);
                    around.self_ps = around.self_ps.saturating_add(node.self_ps);
                }
                places.push((parent, false));
                continue;
            };
            let joined = tree.at(place);
            joined.count += node.count;
            joined.total_ps = joined.total_ps.saturating_add(node.total_ps);
            joined.self_ps = joined.self_ps.saturating_add(node.self_ps);
            places.push((Some(place), true));
        }
        tree
    }

    /// From each node with self time to what is around it.
    fn upside_down(self) -> Self {
        let mut tree = Self {
            is_cut: self.is_cut,
            ..Self::default()
        };
        for leaf in self.nodes.iter().filter(|node| node.self_ps > 0) {
            let mut below = None;
            let mut next = Some(leaf);
            while let Some(node) = next {
                let Some(place) = tree.node(below, node.name, node.class) else {
                    break;
                };
                let joined = tree.at(place);
                joined.count += leaf.count;
                joined.total_ps = joined.total_ps.saturating_add(leaf.self_ps);
                below = Some(place);
                next = node.parent.map(|parent| &self.nodes[parent as usize]);
            }
            if let Some(below) = below {
                let outermost = tree.at(below);
                outermost.self_ps = outermost.self_ps.saturating_add(leaf.self_ps);
            }
        }
        tree
    }

    fn report(self, session: &Session, window: Span, limit: usize) -> FlameReport {
        let nodes = &self.nodes;
        let mut chosen: Vec<usize> = (0..nodes.len())
            .filter(|&at| nodes[at].total_ps > 0)
            .collect();
        let frame_count = chosen.len();
        // A node has no more time than the one around it, which comes first where they are equal.
        chosen.sort_by_key(|&at| (std::cmp::Reverse(nodes[at].total_ps), at));
        let left_out = chosen.split_off(if limit > 0 {
            limit.min(frame_count)
        } else {
            frame_count
        });
        let left_out_ps = left_out
            .iter()
            .map(|&at| nodes[at].self_ps)
            .saturating_sum();
        let outermost = nodes.iter().filter(|node| node.parent.is_none());
        let total_ps = outermost.map(|node| node.total_ps).saturating_sum();
        let mut below: FxHashMap<Option<u32>, Vec<usize>> = FxHashMap::default();
        for &at in &chosen {
            below.entry(nodes[at].parent).or_default().push(at);
        }
        let text = |at: usize| session.text(nodes[at].name);
        for siblings in below.values_mut() {
            siblings
                .sort_by(|&a, &b| (nodes[b].total_ps, text(a)).cmp(&(nodes[a].total_ps, text(b))));
        }
        let mut frames = Vec::with_capacity(chosen.len());
        let mut open: Vec<(usize, u32)> = Vec::new();
        let push = |open: &mut Vec<(usize, u32)>, parent: Option<u32>, depth: u32| {
            let children = below.get(&parent).into_iter().flatten().rev();
            open.extend(children.map(|&at| (at, depth)));
        };
        push(&mut open, None, 0);
        while let Some((at, depth)) = open.pop() {
            let node = &nodes[at];
            frames.push(FlameFrameReport {
                name: text(at).to_owned(),
                class: node.class.map_or("", Class::name).to_owned(),
                depth,
                count: node.count,
                total_ps: node.total_ps,
                self_ps: node.self_ps,
            });
            push(&mut open, u32::try_from(at).ok(), depth + 1);
        }
        let Picos(start_ps) = window.start;
        FlameReport {
            start_ps,
            end_ps: window.end.0,
            total_ps,
            frames,
            frame_count,
            left_out_ps,
            is_cut: self.is_cut,
        }
    }
}

#[cfg(test)]
#[path = "flame_tests.rs"]
mod tests;
