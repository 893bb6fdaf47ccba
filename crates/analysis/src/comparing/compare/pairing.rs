//! Matches the programs and ops of two sessions.

use std::collections::BTreeMap;

use stepscope_model::{ProgramId, Session};

use super::given::{Given, given};
use super::groups::Group;
use super::items::Item;
use super::joined::Joined;
use super::matching::{Matched, Pair, match_names, match_nodes};
use super::nodes::{Node, is_bookkeeping, loose, nodes};

/// Minimum cosine similarity of the opcode counts of two programs that match despite different names.
const ALIKE: f64 = 0.8;

/// Maximum number of programs of a session that are matched, those with the most time first.
const MAX_PROGRAMS: usize = 400;

/// Two matched programs, with their nodes and the matched nodes.
pub(super) struct ProgramPair {
    pub(super) programs: [ProgramId; 2],
    pub(super) nodes: [Vec<Node>; 2],
    pub(super) pairs: Vec<Pair>,
    /// Copies of ops that are runs of one op on the other side; the first of each side is in `pairs`.
    pub(super) groups: Vec<Group>,
    /// Whether both are the same program: same names, shapes and contents of instructions.
    pub(super) is_same: bool,
}

impl ProgramPair {
    /// On which sides it ran.
    pub(super) fn ran(&self) -> [bool; 2] {
        [0, 1].map(|side| self.nodes[side].iter().any(|node| node.item.is_some()))
    }
}

/// Matched programs and items of two sessions.
pub(super) struct Pairing {
    pub(super) programs: Vec<ProgramPair>,
    /// Programs that ran and have no match, for each side.
    pub(super) alone: [Vec<ProgramId>; 2],
    /// Matched items: position in the baseline, position in the other session.
    pub(super) items: Vec<Pair>,
    /// Items that count as one.
    pub(super) joined: Joined,
}

impl Pairing {
    /// The matched programs that ran on both sides: what did not, such as the initialization before a
    /// capture, says nothing of the steps. All of them where none ran.
    pub(super) fn compared(&self) -> impl Iterator<Item = &ProgramPair> + Clone {
        let has_run = self.programs.iter().any(|pair| pair.ran().contains(&true));
        let programs = self.programs.iter();
        programs.filter(move |pair| !has_run || pair.ran() == [true, true])
    }

    pub(super) fn of(sessions: [&Session; 2], items: [&[Item]; 2]) -> Self {
        let candidates = [0, 1].map(|side| programs(sessions[side], items[side]));
        let matched = match_programs(sessions, &candidates);
        let programs: Vec<ProgramPair> = matched
            .iter()
            .map(|&ids| program_pair(sessions, items, ids))
            .collect();
        let alone = [0, 1].map(|side| {
            let own = candidates[side]
                .iter()
                .filter(|candidate| candidate.time_ps > 0.0);
            own.map(|candidate| candidate.id)
                .filter(|id| matched.iter().all(|pair| pair[side] != *id))
                .collect()
        });
        let mut pairs: Vec<Pair> = programs.iter().flat_map(item_pairs).collect();
        let groups = programs
            .iter()
            .flat_map(|program| item_groups(program, items));
        let joined = Joined::of(items, groups);
        pairs.extend(rest(sessions, items, &pairs, &joined));
        pairs.sort_unstable();
        Self {
            programs,
            alone,
            items: pairs,
            joined,
        }
    }
}

struct Candidate<'a> {
    id: ProgramId,
    time_ps: f64,
    share: f64,
    histogram: BTreeMap<&'a str, f64>,
    /// The arrays that it is called with and returns; unknown without HLO.
    given: Option<Given<'a>>,
}

/// Programs with HLO or time, most time first.
fn programs<'a>(session: &'a Session, items: &[Item]) -> Vec<Candidate<'a>> {
    let mut times = vec![0.0; session.programs.len()];
    for item in items {
        if let Some(program) = item.program(session) {
            times[program.index()] += item.mean_ps();
        }
    }
    let total: f64 = times.iter().sum();
    let mut candidates: Vec<Candidate<'a>> = (0..session.programs.len())
        .map(ProgramId::from_index)
        .filter(|id| times[id.index()] > 0.0 || session.program(*id).hlo.is_some())
        .map(|id| Candidate {
            id,
            time_ps: times[id.index()],
            share: times[id.index()] / total.max(1.0),
            histogram: histogram(session, id, items),
            given: session.program(id).hlo.as_ref().map(given),
        })
        .collect();
    candidates.sort_by(|a, b| b.time_ps.total_cmp(&a.time_ps).then(a.id.cmp(&b.id)));
    candidates.truncate(MAX_PROGRAMS);
    candidates
}

/// Number of instructions by opcode; without HLO, number of ops by category.
fn histogram<'a>(session: &'a Session, id: ProgramId, items: &[Item]) -> BTreeMap<&'a str, f64> {
    let mut counts = BTreeMap::new();
    if let Some(hlo) = &session.program(id).hlo {
        for instruction in hlo.instructions() {
            if !is_bookkeeping(&instruction.opcode) {
                *counts.entry(instruction.opcode.as_str()).or_default() += 1.0;
            }
        }
        return counts;
    }
    for item in items
        .iter()
        .filter(|item| item.program(session) == Some(id))
    {
        let category = item.op().map(|op| session.text(session.op(op).category));
        *counts.entry(category.unwrap_or("kernel")).or_default() += 1.0;
    }
    counts
}

/// Matches programs, the most alike first. Names come first, then what programs are called with and return:
/// a name such as `jit_add` stands for many programs.
fn match_programs(
    sessions: [&Session; 2],
    candidates: &[Vec<Candidate<'_>>; 2],
) -> Vec<[ProgramId; 2]> {
    let counts = [0, 1].map(|side| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for candidate in &candidates[side] {
            let name = sessions[side].program(candidate.id).name.as_str();
            *counts.entry(name).or_default() += 1;
        }
        counts
    });
    let mut scores = Vec::new();
    for (left, a) in candidates[0].iter().enumerate() {
        for (right, b) in candidates[1].iter().enumerate() {
            let (first, second) = (sessions[0].program(a.id), sessions[1].program(b.id));
            let is_named_alike = first.name == second.name;
            if !is_named_alike && (a.time_ps == 0.0 || b.time_ps == 0.0) {
                continue;
            }
            let is_only_one = || {
                let mut counts = counts.iter();
                is_named_alike && counts.all(|counts| counts[first.name.as_str()] == 1)
            };
            let given = given_alike(a.given.as_ref(), b.given.as_ref());
            if given == 0.0 && !is_only_one() {
                continue;
            }
            let likeness = cosine(&a.histogram, &b.histogram);
            if is_named_alike || likeness >= ALIKE {
                let names = f64::from(u8::from(is_named_alike));
                let shares = 1.0 - (a.share - b.share).abs();
                let ids = if first.id != second.id || !is_named_alike {
                    0.0
                } else if first.id > MAX_COUNTED {
                    BY_FINGERPRINT
                } else {
                    BY_COUNT
                };
                let score = 2.0 * names + 2.0 * given + likeness + shares + ids;
                scores.push((score, left, right));
            }
        }
    }
    scores.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut taken = [0, 1].map(|side| vec![false; candidates[side].len()]);
    let mut matched = Vec::new();
    for (_, left, right) in scores {
        if !taken[0][left] && !taken[1][right] {
            (taken[0][left], taken[1][right]) = (true, true);
            matched.push([candidates[0][left].id, candidates[1][right].id]);
        }
    }
    matched
}

/// Ids up to this may be numbers of modules in the order of compilation; greater ones are fingerprints.
const MAX_COUNTED: u64 = 1 << 20;
/// What an equal id adds to the likeness of programs of one name.
const BY_FINGERPRINT: f64 = 4.0;
const BY_COUNT: f64 = 0.1;

/// How alike the arrays are that two programs are called with and return; half where that is unknown.
fn given_alike(left: Option<&Given<'_>>, right: Option<&Given<'_>>) -> f64 {
    left.zip(right)
        .map_or(0.5, |(left, right)| left.likeness(right))
}

fn cosine(a: &BTreeMap<&str, f64>, b: &BTreeMap<&str, f64>) -> f64 {
    let length = |counts: &BTreeMap<&str, f64>| {
        counts
            .values()
            .map(|count| count * count)
            .sum::<f64>()
            .sqrt()
    };
    let product: f64 = a
        .iter()
        .filter_map(|(opcode, count)| Some(count * b.get(opcode)?))
        .sum();
    let lengths = length(a) * length(b);
    if lengths > 0.0 {
        product / lengths
    } else {
        0.0
    }
}

fn program_pair(sessions: [&Session; 2], items: [&[Item]; 2], ids: [ProgramId; 2]) -> ProgramPair {
    let [left, right] = [0, 1].map(|side| nodes(sessions[side], Some(ids[side]), items[side]));
    let is_same = sessions[0].program(ids[0]).id == sessions[1].program(ids[1]).id;
    // Where the id is only the number of the module, other programs may have the same one.
    let is_named_alike = is_same
        && left.len() == right.len()
        && left.iter().zip(&right).all(|(a, b)| a.name == b.name);
    let is_one = is_named_alike
        && left
            .iter()
            .zip(&right)
            .all(|(a, b)| a.shape == b.shape && a.body == b.body);
    let Matched { pairs, groups } = if is_named_alike {
        Matched {
            pairs: match_names(&left, &right),
            groups: Vec::new(),
        }
    } else {
        match_nodes(&left, &right)
    };
    ProgramPair {
        programs: ids,
        nodes: [left, right],
        pairs,
        groups,
        is_same: is_one,
    }
}

fn item_pairs(program: &ProgramPair) -> impl Iterator<Item = Pair> {
    program.pairs.iter().filter_map(|&(left, right)| {
        let [a, b] = &program.nodes;
        Some((a[left].item?, b[right].item?))
    })
}

/// Items that count as one; only those in the same part of a step do.
fn item_groups(
    program: &ProgramPair,
    items: [&[Item]; 2],
) -> impl Iterator<Item = [Vec<usize>; 2]> {
    let groups = program.groups.iter().map(|group| {
        [0, 1].map(|side| {
            let nodes = group.sides[side].iter();
            nodes
                .filter_map(|&node| program.nodes[side][node].item)
                .collect::<Vec<usize>>()
        })
    });
    groups.filter(move |sides| {
        let mut parts = sides
            .iter()
            .zip(items)
            .flat_map(|(members, items)| members.iter().map(|&member| items[member].part));
        let first = parts.next();
        parts.all(|part| Some(part) == first)
    })
}

/// Matches the items outside of matched programs, and those left unmatched within them.
fn rest(
    sessions: [&Session; 2],
    items: [&[Item]; 2],
    pairs: &[Pair],
    joined: &Joined,
) -> Vec<Pair> {
    let [mut left, mut right] = [0, 1].map(|side| {
        let mut is_matched: Vec<bool> = (0..items[side].len())
            .map(|item| joined.is_further(side, item))
            .collect();
        for pair in pairs {
            is_matched[[pair.0, pair.1][side]] = true;
        }
        loose(sessions[side], items[side], &is_matched)
    });
    // What only one side knows tells nothing apart.
    let is_known = |nodes: &[Node]| nodes.iter().any(|node| !node.shape.is_empty());
    if !is_known(&left) || !is_known(&right) {
        for node in left.iter_mut().chain(&mut right) {
            node.forget_shape();
        }
    }
    let pairs = match_nodes(&left, &right).pairs.into_iter();
    pairs
        .filter_map(|(a, b)| Some((left[a].item?, right[b].item?)))
        .collect()
}
