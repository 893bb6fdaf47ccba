//! Programs that were compiled again, or that differ.

use std::collections::BTreeSet;

use super::super::cause::cause;
use super::super::pair::Both;
use super::super::pairing::ProgramPair;
use super::super::report::{ComparedCause, ComparedProgram};
use super::super::side::Side;

pub(super) fn recompiled(both: &Both<'_, '_>) -> Option<ComparedCause> {
    let again = |side: &Side<'_>| side.compilations.iter().filter(|row| row.is_again).count();
    let all = both.sides.map(|side| side.compilations.len());
    let counts = both.sides.map(again);
    if counts[1] <= counts[0] && all[1] <= all[0] {
        return None;
    }
    let rows = both.sides[1].compilations.iter();
    let newest: Vec<_> = rows
        .filter(|row| counts[1] <= counts[0] || row.is_again)
        .collect();
    let longest = newest.iter().max_by_key(|row| row.duration_ps)?;
    let function = if longest.function.is_empty() {
        "a function"
    } else {
        &longest.function
    };
    let why = newest
        .iter()
        .map(|row| row.change.as_str())
        .find(|change| !change.is_empty());
    let why = why.map(|change| format!(": {change}")).unwrap_or_default();
    let (verb, count, before) = if counts[1] > counts[0] {
        ("recompiled", counts[1], counts[0])
    } else {
        ("compiled", all[1], all[0])
    };
    let text =
        format!("{function} was {verb} {count} times in the capture (baseline: {before}){why}");
    Some(cause("recompiled", text, None))
}

/// Programs that ran on both sides and differ.
pub(super) fn of_programs(both: &Both<'_, '_>, programs: &[ComparedProgram]) -> Vec<ComparedCause> {
    let id = |side: usize, pair: &ProgramPair| {
        let program = both.sides[side].session.program(pair.programs[side]);
        program.id.to_string()
    };
    let compared = both.pairing.compared();
    let compared: BTreeSet<[String; 2]> = compared
        .map(|pair| [0, 1].map(|side| id(side, pair)))
        .collect();
    let mut causes: Vec<ComparedCause> = Vec::new();
    let changed = programs
        .iter()
        .filter(|program| program.matched == "changed");
    let compared = changed.filter(|program| {
        compared
            .contains(&[program.baseline_id.as_str(), program.other_id.as_str()].map(str::to_owned))
    });
    for found in compared.map(of_changed) {
        if causes.iter().all(|known| known.text != found.text) {
            causes.push(found);
        }
    }
    causes
}

fn of_changed(program: &ComparedProgram) -> ComparedCause {
    let count = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let counts = [
        count(program.added_count, "added"),
        count(program.removed_count, "removed"),
        count(program.changed_count, "changed"),
    ];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    let opcodes = program.opcodes.iter().take(3).map(|row| {
        format!(
            "{} {} → {}",
            row.opcode, row.baseline_count, row.other_count
        )
    });
    let opcodes: Vec<String> = opcodes.collect();
    let of = if counts.is_empty() {
        "opcodes".to_owned()
    } else {
        format!("instructions: {}", counts.join(", "))
    };
    let opcodes = if opcodes.is_empty() {
        String::new()
    } else {
        format!(" ({})", opcodes.join(", "))
    };
    let text = format!("the program {} differs in its {of}{opcodes}", program.other);
    cause("program", text, None)
}
