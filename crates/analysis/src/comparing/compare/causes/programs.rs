//! Programs that were compiled again, that differ, or that run on one side only.

use std::collections::BTreeSet;

use super::super::cause::cause;
use super::super::pair::Both;
use super::super::pairing::ProgramPair;
use super::super::report::{ComparedCause, ComparedProgram};
use super::super::side::Side;
use crate::telling::format;

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

/// Programs that differ, or run on one side only; many of these in one sentence.
pub(super) fn of_programs(both: &Both<'_, '_>, programs: &[ComparedProgram]) -> Vec<ComparedCause> {
    const NAMED_ALONE: usize = 2;
    let id = |side: usize, pair: &ProgramPair| {
        let program = both.sides[side].session.program(pair.programs[side]);
        program.id.to_string()
    };
    let compared = both.pairing.compared();
    let compared: BTreeSet<[String; 2]> = compared
        .map(|pair| [0, 1].map(|side| id(side, pair)))
        .collect();
    let mut causes = Vec::new();
    for (matched, place) in [("new", "this session"), ("gone", "the baseline")] {
        let own = programs.iter().filter(|program| program.matched == matched);
        let name = |program: &ComparedProgram| match matched {
            "new" => program.other.clone(),
            _ => program.baseline.clone(),
        };
        let mut names: Vec<String> = own.map(name).collect();
        if names.len() <= NAMED_ALONE {
            names.dedup();
            let told = names.into_iter();
            causes.extend(told.map(|name| {
                let text = format!("the program {name} runs only in {place}");
                cause("program", text, None)
            }));
        } else {
            let text = format!(
                "{} programs run only in {place}: {}",
                names.len(),
                numbered(names)
            );
            causes.push(cause("program", text, None));
        }
    }
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

/// `jit_add (7), jit_step and 12 more`
fn numbered(mut names: Vec<String>) -> String {
    const NAMED: usize = 4;
    names.sort_unstable();
    let mut groups: Vec<(&String, usize)> = names
        .chunk_by(|a, b| a == b)
        .map(|same| (&same[0], same.len()))
        .collect();
    groups.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let told = groups.iter().take(NAMED).map(|(name, count)| match count {
        1 => format::shortened(name),
        count => format!("{} ({count})", format::shortened(name)),
    });
    let told: Vec<String> = told.collect();
    match groups.len().saturating_sub(NAMED) {
        0 => told.join(", "),
        rest => format!("{} and {rest} more", told.join(", ")),
    }
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
