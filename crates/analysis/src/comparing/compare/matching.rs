//! Matches the nodes of two programs by meaning, not by name.
//!
//! ```text
//! color of a node    what it does, its shape, scope, source, …        rounds 0
//!                     that, and the colors of operands and users      rounds 1, 2, 3
//! match               a color that one node on each side has; or equally many on both, in order
//! ```
//!
//! Colors are refined as in the Weisfeiler-Leman test, strict ones first. Each matched pair gets a unique
//! color, so that matches spread to their neighbors, and later levels require less. Before those that
//! disregard scopes, copies of an op are matched with the op that runs as often as all of them
//! ([`groups`]). Nodes that ran and are still unmatched are matched by a score of at least 0.5. Work of
//! another pass of training is other work, whatever else is alike.

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_model::hlo::name_stack::{Pass, parts};

use super::groups::{Group, SAME_RUNS, groups};
use super::nodes::{Node, hash, stem};

/// Which features make up a color, and how many rounds it is refined.
struct Level {
    features: u8,
    rounds: usize,
    /// Whether nodes of a color are matched in program order if both sides have equally many.
    pairs_equals: bool,
}

const OPCODE: u8 = 1;
const BODY: u8 = 2;
const SHAPE: u8 = 4;
const SCOPE: u8 = 8;
const SOURCE: u8 = 16;
const STEM: u8 = 32;

/// Those that require the same scope, or the same neighbors.
const STRICT: [Level; 9] = [
    level(OPCODE | BODY | SHAPE | SCOPE | SOURCE, 3, true),
    level(OPCODE | BODY | SHAPE | SCOPE, 3, false),
    level(OPCODE | BODY | SCOPE | SOURCE, 2, false),
    level(OPCODE | BODY | SHAPE | SCOPE, 1, false),
    level(OPCODE | BODY | SHAPE, 3, false),
    level(OPCODE | SHAPE | SCOPE, 0, false),
    level(OPCODE | BODY | SCOPE, 1, false),
    level(OPCODE | BODY | SHAPE | SCOPE | SOURCE, 0, true),
    level(OPCODE | BODY | SCOPE, 0, true),
];
const LOOSE: [Level; 5] = [
    level(OPCODE | SCOPE, 1, false),
    level(OPCODE | BODY, 1, false),
    level(OPCODE | SCOPE, 0, true),
    level(OPCODE | SOURCE, 0, true),
    level(OPCODE | STEM, 0, true),
];

const fn level(features: u8, rounds: usize, pairs_equals: bool) -> Level {
    Level {
        features,
        rounds,
        pairs_equals,
    }
}

impl Level {
    /// Whether it requires more of a node than its opcode: ops without a scope or a line are not alike in
    /// that.
    fn tells(&self, node: &Node) -> bool {
        let has = |feature: u8| self.features & feature != 0;
        self.rounds > 0
            || has(BODY | SHAPE | STEM)
            || node.item.is_none()
            || has(SCOPE) && !node.scope.is_empty()
            || has(SOURCE) && !node.source.is_empty()
    }
}

/// Maximum number of unmatched nodes per side that are scored.
const MAX_SCORED: usize = 300;

/// Position on the left and on the right.
pub(super) type Pair = (usize, usize);

/// Matched nodes.
pub(super) struct Matched {
    /// By position on the left. No node is matched twice; of a group, the first of each side is here.
    pub(super) pairs: Vec<Pair>,
    pub(super) groups: Vec<Group>,
}

/// The matched nodes of two programs.
pub(super) fn match_nodes(left: &[Node], right: &[Node]) -> Matched {
    let mut matching = Matching {
        sides: [left, right],
        partners: [vec![None; left.len()], vec![None; right.len()]],
        count: 0,
    };
    // By its neighbors alone, one copy of an op looks like the op in the loop.
    let is_scoped = |level: &Level| level.features & SCOPE != 0;
    for level in &STRICT {
        matching.apply(level, !is_scoped(level));
    }
    let groups = groups(matching.sides, |side, index| {
        matching.partners[side][index].is_none()
    });
    for group in &groups {
        matching.pair_group(group);
    }
    let rest = STRICT.iter().filter(|level| !is_scoped(level));
    for level in rest.chain(&LOOSE) {
        matching.apply(level, false);
    }
    matching.score();
    let partners = matching.partners[0].iter().enumerate();
    let further = groups.iter().flat_map(|group| &group.sides[0][1..]);
    let further: FxHashSet<usize> = further.copied().collect();
    let pairs = partners
        .filter_map(|(left, right)| Some((left, right.as_ref()?.0)))
        .filter(|(left, _)| !further.contains(left));
    Matched {
        pairs: pairs.collect(),
        groups,
    }
}

/// Matches the nodes of two identical programs by name.
pub(super) fn match_names(left: &[Node], right: &[Node]) -> Vec<Pair> {
    let by_name: FxHashMap<(&str, &str), usize> = right
        .iter()
        .enumerate()
        .map(|(index, node)| ((node.name.as_str(), node.opcode.as_str()), index))
        .collect();
    let pairs = left.iter().enumerate();
    pairs
        .filter_map(|(index, node)| {
            Some((
                index,
                *by_name.get(&(node.name.as_str(), node.opcode.as_str()))?,
            ))
        })
        .collect()
}

struct Matching<'a> {
    sides: [&'a [Node]; 2],
    /// Position on the other side and number of the pair.
    partners: [Vec<Option<(usize, usize)>>; 2],
    count: usize,
}

impl Matching<'_> {
    fn pair(&mut self, left: usize, right: usize) {
        self.partners[0][left] = Some((right, self.count));
        self.partners[1][right] = Some((left, self.count));
        self.count += 1;
    }

    fn pair_group(&mut self, group: &Group) {
        let firsts = [group.sides[0][0], group.sides[1][0]];
        for (side, members) in group.sides.iter().enumerate() {
            for &index in members {
                self.partners[side][index] = Some((firsts[1 - side], self.count));
            }
        }
        self.count += 1;
    }

    fn apply(&mut self, level: &Level, needs_same_runs: bool) {
        let colors = [self.colors(0, level), self.colors(1, level)];
        let mut groups: FxHashMap<u64, [Vec<usize>; 2]> = FxHashMap::default();
        let mut order = Vec::new();
        for side in 0..2 {
            for (index, &color) in colors[side].iter().enumerate() {
                let node = &self.sides[side][index];
                if self.partners[side][index].is_none() && level.tells(node) {
                    let group = groups.entry(color).or_insert_with(|| {
                        order.push(color);
                        [Vec::new(), Vec::new()]
                    });
                    group[side].push(index);
                }
            }
        }
        for color in order {
            let [left, right] = &groups[&color];
            let is_unique = left.len() == 1 && right.len() == 1;
            if is_unique || level.pairs_equals && left.len() == right.len() {
                let sides = self.sides;
                let pairs = left.iter().zip(right);
                let fitting = pairs.filter(|(a, b)| {
                    let (a, b) = (&sides[0][**a], &sides[1][**b]);
                    let runs_fit = !needs_same_runs || !are_other_runs(a, b);
                    runs_fit && !are_other_passes(a, b)
                });
                for (&left, &right) in fitting {
                    self.pair(left, right);
                }
            }
        }
    }

    fn colors(&self, side: usize, level: &Level) -> Vec<u64> {
        let nodes = self.sides[side];
        let own = nodes
            .iter()
            .enumerate()
            .map(|(index, node)| match self.partners[side][index] {
                Some((_, pair)) => hash(&("pair", pair)),
                None => color(node, level.features),
            });
        let mut colors: Vec<u64> = own.collect();
        for _ in 0..level.rounds {
            let refined = nodes.iter().enumerate().map(|(index, node)| {
                let of = |others: &[u32]| -> Vec<u64> {
                    others.iter().map(|&other| colors[other as usize]).collect()
                };
                let mut users = of(&node.users);
                users.sort_unstable();
                match self.partners[side][index] {
                    Some(_) => colors[index],
                    None => hash(&(colors[index], of(&node.operands), users)),
                }
            });
            colors = refined.collect();
        }
        colors
    }

    /// Matches the remaining nodes that ran, best score first.
    fn score(&mut self) {
        let rest = |side: usize| -> Vec<usize> {
            let nodes = self.sides[side].iter().enumerate();
            nodes
                .filter(|(index, node)| {
                    node.item.is_some() && self.partners[side][*index].is_none()
                })
                .map(|(index, _)| index)
                .take(MAX_SCORED)
                .collect()
        };
        let (left, right) = (rest(0), rest(1));
        let mut scores: Vec<(f64, usize, usize)> = Vec::new();
        for &a in &left {
            for &b in &right {
                let score = self.likeness(a, b);
                if score >= 0.5 {
                    scores.push((score, a, b));
                }
            }
        }
        scores.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        for (_, a, b) in scores {
            if self.partners[0][a].is_none() && self.partners[1][b].is_none() {
                self.pair(a, b);
            }
        }
    }

    /// How alike two nodes are, 0 to 1.
    fn likeness(&self, a: usize, b: usize) -> f64 {
        let (left, right) = (&self.sides[0][a], &self.sides[1][b]);
        let are_other_ranks = left.rank.zip(right.rank).is_some_and(|(a, b)| a != b);
        if left.opcode != right.opcode || are_other_ranks || are_other_passes(left, right) {
            return 0.0;
        }
        let known = |x: &str, y: &str| !x.is_empty() && x == y;
        let mut score = 0.2;
        score += 0.25 * scope_likeness(&left.scope, &right.scope);
        score += if known(&left.source, &right.source) {
            0.1
        } else {
            0.0
        };
        score += if known(&left.shape, &right.shape) {
            0.15
        } else {
            0.0
        };
        score += if left.body == right.body { 0.1 } else { 0.0 };
        score += if stem(&left.name) == stem(&right.name) {
            0.05
        } else {
            0.0
        };
        score + 0.15 * self.neighbors_matched(a, b)
    }

    /// Share of the neighbors that are matched with a neighbor of the other node.
    fn neighbors_matched(&self, a: usize, b: usize) -> f64 {
        let (left, right) = (&self.sides[0][a], &self.sides[1][b]);
        let around: Vec<u32> = left.operands.iter().chain(&left.users).copied().collect();
        let others: Vec<u32> = right.operands.iter().chain(&right.users).copied().collect();
        let matched = around.iter().filter(|&&one| {
            let partner = self.partners[0][one as usize];
            partner.is_some_and(|(other, _)| others.iter().any(|&one| one as usize == other))
        });
        matched.count() as f64 / around.len().max(others.len()).max(1) as f64
    }
}

/// Whether one of two nodes is known to belong to the backward pass and the other one not. What is computed
/// again there is the work of the forward pass, which it may also replace.
fn are_other_passes(left: &Node, right: &Node) -> bool {
    let passes = [left.pass, right.pass];
    let is_backward = passes.map(|pass| pass == Pass::Backward);
    is_backward[0] != is_backward[1] && !passes.contains(&Pass::Unknown)
}

/// Whether two nodes ran, one more often than the other.
fn are_other_runs(left: &Node, right: &Node) -> bool {
    let ran = left.item.is_some() && right.item.is_some();
    ran && (left.runs - right.runs).abs() > SAME_RUNS * left.runs.max(right.runs)
}

fn color(node: &Node, features: u8) -> u64 {
    let text = |feature: u8, text: &str| {
        if features & feature == 0 {
            0
        } else {
            hash(&text)
        }
    };
    hash(&(
        features,
        text(OPCODE, &node.opcode),
        if features & BODY == 0 { 0 } else { node.body },
        text(SHAPE, &node.shape),
        text(SCOPE, &node.scope),
        text(SOURCE, &node.source),
        text(STEM, stem(&node.name)),
        node.rank,
    ))
}

/// Share of the components that two scopes have in common, counted from both ends.
fn scope_likeness(left: &str, right: &str) -> f64 {
    if left.is_empty() || right.is_empty() {
        return 0.0;
    }
    let (a, b): (Vec<&str>, Vec<&str>) = (parts(left), parts(right));
    let front = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let shorter = a.len().min(b.len());
    let back = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(x, y)| x == y);
    let back = back.count().min(shorter - front.min(shorter));
    (front + back) as f64 / a.len().max(b.len()) as f64
}
