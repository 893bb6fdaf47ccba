//! Differences of the programs themselves: instructions added, removed and changed, and opcodes.

use std::collections::BTreeMap;

use stepscope_model::{ProgramId, Session};

use super::nodes::Node;
use super::pair::Both;
use super::pairing::ProgramPair;
use super::report::{ComparedOpcode, ComparedProgram};

/// Maximum number of added, removed or changed instructions that are listed.
const NAMED: usize = 50;

/// All programs that ran or have a partner, those that differ first. A program that one side compiled
/// and did not run is new or gone, too.
pub(super) fn programs(both: &Both<'_, '_>) -> Vec<ComparedProgram> {
    let sessions = both.sides.map(|side| side.session);
    let mut rows: Vec<ComparedProgram> = both
        .pairing
        .programs
        .iter()
        .map(|pair| row(sessions, pair))
        .collect();
    for (side, matched) in [(0, "gone"), (1, "new")] {
        let alone = both.pairing.alone[side].iter();
        rows.extend(alone.map(|&id| alone_row(sessions[side], side, id, matched)));
    }
    rows.sort_by_key(|row| row.matched == "same");
    rows
}

fn row(sessions: [&Session; 2], pair: &ProgramPair) -> ComparedProgram {
    let [left, right] = &pair.nodes;
    let mut is_matched = [vec![false; left.len()], vec![false; right.len()]];
    for &(a, b) in &pair.pairs {
        (is_matched[0][a], is_matched[1][b]) = (true, true);
    }
    for group in &pair.groups {
        for (is_matched, members) in is_matched.iter_mut().zip(&group.sides) {
            for &node in members {
                is_matched[node] = true;
            }
        }
    }
    let rest = |nodes: &[Node], is_matched: &[bool]| -> Vec<String> {
        let alone = nodes.iter().zip(is_matched);
        alone
            .filter(|(node, is_matched)| !**is_matched && !node.is_bookkeeping)
            .map(|(node, _)| text(node))
            .collect()
    };
    let (removed, added) = (rest(left, &is_matched[0]), rest(right, &is_matched[1]));
    let changed: Vec<String> = pair
        .pairs
        .iter()
        .map(|&(a, b)| (&left[a], &right[b]))
        .filter(|(a, b)| !b.is_bookkeeping && (a.shape != b.shape || a.body != b.body))
        .map(|(a, b)| {
            if a.shape == b.shape {
                format!("{} (was {}): different instructions fused", text(b), a.name)
            } else {
                format!("{} (was {} {})", text(b), a.name, a.shape)
            }
        })
        .collect();
    let programs = [0, 1].map(|side| sessions[side].program(pair.programs[side]));
    let opcodes = opcodes([0, 1].map(|side| counts(sessions[side], pair.programs[side])));
    let is_same = pair.is_same
        || added.is_empty() && removed.is_empty() && changed.is_empty() && opcodes.is_empty();
    let matched = match pair.ran() {
        [false, true] => "new",
        [true, false] => "gone",
        _ if is_same => "same",
        _ => "changed",
    };
    ComparedProgram {
        matched: matched.to_owned(),
        baseline: programs[0].name.clone(),
        baseline_id: programs[0].id.to_string(),
        other: programs[1].name.clone(),
        other_id: programs[1].id.to_string(),
        baseline_instructions: instructions(sessions[0], pair.programs[0], left),
        other_instructions: instructions(sessions[1], pair.programs[1], right),
        added_count: added.len(),
        added: first(added),
        removed_count: removed.len(),
        removed: first(removed),
        changed_count: changed.len(),
        changed: first(changed),
        opcodes,
    }
}

fn alone_row(session: &Session, side: usize, id: ProgramId, matched: &str) -> ComparedProgram {
    let program = session.program(id);
    let named = |own: usize, text: &str| {
        if own == side {
            text.to_owned()
        } else {
            String::new()
        }
    };
    let (name, number) = (program.name.as_str(), program.id.to_string());
    ComparedProgram {
        matched: matched.to_owned(),
        baseline: named(0, name),
        baseline_id: named(0, &number),
        other: named(1, name),
        other_id: named(1, &number),
        baseline_instructions: None,
        other_instructions: None,
        added: Vec::new(),
        added_count: 0,
        removed: Vec::new(),
        removed_count: 0,
        changed: Vec::new(),
        changed_count: 0,
        opcodes: Vec::new(),
    }
}

fn instructions(session: &Session, id: ProgramId, nodes: &[Node]) -> Option<usize> {
    session.program(id).hlo.as_ref()?;
    Some(nodes.iter().filter(|node| !node.is_bookkeeping).count())
}

fn counts(session: &Session, id: ProgramId) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for instruction in session
        .program(id)
        .hlo
        .iter()
        .flat_map(stepscope_model::hlo::Program::instructions)
    {
        *counts.entry(instruction.opcode.as_str()).or_default() += 1;
    }
    counts
}

/// Opcodes whose count differs, largest difference first.
fn opcodes([left, right]: [BTreeMap<&str, usize>; 2]) -> Vec<ComparedOpcode> {
    let mut names: Vec<&str> = left.keys().chain(right.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    let mut rows: Vec<ComparedOpcode> = names
        .into_iter()
        .map(|name| ComparedOpcode {
            opcode: name.to_owned(),
            baseline_count: left.get(name).copied().unwrap_or(0),
            other_count: right.get(name).copied().unwrap_or(0),
        })
        .filter(|row| row.baseline_count != row.other_count)
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.baseline_count.abs_diff(row.other_count)));
    rows
}

fn text(node: &Node) -> String {
    format!("{} {}", node.name, node.shape)
        .trim_end()
        .to_owned()
}

fn first(mut texts: Vec<String>) -> Vec<String> {
    texts.truncate(NAMED);
    texts
}
