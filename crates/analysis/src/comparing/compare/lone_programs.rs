//! Programs that run on one side only, with the time that their ops take.

use stepscope_model::ProgramId;

use super::cause::cause;
use super::items::Item;
use super::pair::Both;
use super::program_runs::program_runs;
use super::ranges::number;
use super::report::{ComparedCause, Evidence, TimeDifference};
use crate::telling::format;
use crate::telling::format::duration_ps;

/// Maximum number of programs of a side that are each told.
const NAMED_ALONE: usize = 2;
/// One of several programs with this share of their time is told on its own.
const MOST: f64 = 0.5;

/// A program that ran on one side only.
struct Lone<'a> {
    side: usize,
    name: &'a str,
    /// Its ops without a partner, most time first.
    ops: Vec<usize>,
    /// How many ops it has, with those that have a partner in another program.
    all_ops: usize,
    /// Their effect on the step.
    step_ps: f64,
    /// Its runs per step.
    runs: f64,
}

/// All programs that ran on one side only.
pub(super) struct LonePrograms<'a>(Vec<Lone<'a>>);

impl<'a> LonePrograms<'a> {
    pub(super) fn of(both: &Both<'a, '_>) -> Self {
        let mut all = Vec::new();
        for side in 0..2 {
            let pairs = both.pairing.programs.iter();
            let only_here = pairs.filter(|pair| pair.ran()[side] && !pair.ran()[1 - side]);
            let ids = only_here.map(|pair| pair.programs[side]);
            let ids: Vec<ProgramId> = ids
                .chain(both.pairing.alone[side].iter().copied())
                .collect();
            if ids.is_empty() {
                continue;
            }
            let runs = program_runs(both.sides[side]);
            let session = both.sides[side].session;
            for id in ids {
                let ops = ops(both, side, id);
                let items = both.sides[side].items.iter();
                let own = items.filter(|item| item.program(session) == Some(id));
                all.push(Lone {
                    side,
                    name: &session.program(id).name,
                    step_ps: ops.iter().map(|&op| both.changes.ops[op].step_ps).sum(),
                    ops,
                    all_ops: own.count(),
                    runs: runs.get(&id).copied().unwrap_or(0.0),
                });
            }
        }
        Self(all)
    }

    /// Whether an op is one of theirs.
    pub(super) fn has(&self, op: usize) -> bool {
        self.0.iter().any(|program| program.ops.contains(&op))
    }

    /// A cause for each of few programs, and one for many: eager code runs a program for each operation.
    pub(super) fn causes(
        &self,
        both: &Both<'_, '_>,
        step: Option<&TimeDifference>,
    ) -> Vec<ComparedCause> {
        let mut causes = Vec::new();
        for side in [1, 0] {
            let mut own: Vec<&Lone<'_>> = self.0.iter().filter(|one| one.side == side).collect();
            own.sort_by(|a, b| b.step_ps.abs().total_cmp(&a.step_ps.abs()));
            let all_ps: f64 = own.iter().map(|one| one.step_ps.abs()).sum();
            let are_few =
                own.len() <= NAMED_ALONE && own.windows(2).all(|two| two[0].name != two[1].name);
            let has_main = own.split_first().is_some_and(|(first, others)| {
                let is_most = all_ps > 0.0 && first.step_ps.abs() >= MOST * all_ps;
                is_most && others.iter().all(|one| one.name != first.name)
            });
            let named = match (are_few, has_main) {
                (true, _) => own.len(),
                (false, true) if own.len() > NAMED_ALONE => 1,
                _ => 0,
            };
            let (single, several) = own.split_at(named);
            causes.extend(single.iter().map(|one| of_programs(both, &[one], step)));
            if !several.is_empty() {
                causes.push(of_programs(both, several, step));
            }
        }
        causes
    }
}

/// The ops of a program without a partner.
fn ops(both: &Both<'_, '_>, side: usize, id: ProgramId) -> Vec<usize> {
    let ops = both.changes.ops.iter().enumerate();
    let own = ops.filter(|(_, change)| {
        let item: Option<&Item> = match (change.baseline, change.other) {
            (Some(_), Some(_)) => None,
            (baseline, other) => both.item(side, [baseline, other][side]),
        };
        item.is_some_and(|item| item.program(both.sides[side].session) == Some(id))
    });
    own.map(|(op, _)| op).collect()
}

/// `the program jit_accuracy runs only in this session: 8 ops, +1.880 ms per step, 1 run per step`
fn of_programs(
    both: &Both<'_, '_>,
    programs: &[&Lone<'_>],
    step: Option<&TimeDifference>,
) -> ComparedCause {
    let place = match programs.first().map(|one| one.side) {
        Some(1) => "this session",
        _ => "the baseline",
    };
    let mut told = match programs {
        [one] => format!(
            "the program {} runs only in {place}",
            format::shortened(one.name)
        ),
        several => {
            let names = several.iter().map(|one| one.name).collect();
            let count = several.len();
            format!("{count} programs run only in {place}: {}", numbered(names))
        }
    };
    if step.is_none() {
        return cause("program", told, None);
    }
    let ops: Vec<usize> = programs
        .iter()
        .flat_map(|one| one.ops.iter().copied())
        .collect();
    let step_ps: f64 = programs.iter().map(|one| one.step_ps).sum();
    let runs: f64 = programs.iter().map(|one| one.runs).sum();
    let mut facts = Vec::new();
    if !ops.is_empty() {
        let all: usize = programs.iter().map(|one| one.all_ops).sum();
        facts.push(if ops.len() < all {
            format!("{} of {} unmatched", ops.len(), format::counted(all, "op"))
        } else {
            format::counted(ops.len(), "op")
        });
        facts.push(format!("{} per step", format::signed(step_ps, duration_ps)));
    }
    if runs > 0.0 {
        let plural = if number(runs) == "1" { "" } else { "s" };
        let in_all = if programs.len() > 1 { " in all" } else { "" };
        facts.push(format!("{} run{plural} per step{in_all}", number(runs)));
    }
    if !facts.is_empty() {
        told.push_str(if programs.len() > 1 { "; " } else { ": " });
        told.push_str(&facts.join(", "));
    }
    let is_known = |op: &&usize| both.evidence(**op) == Evidence::BeyondNoise;
    let shown = ops.iter().find(is_known).or(ops.first());
    ComparedCause {
        op: shown.copied(),
        evidence: shown.map(|&op| both.evidence(op)),
        ..cause("program", told, (!ops.is_empty()).then_some(step_ps))
    }
}

/// `jit_add (7), jit_step and 12 more`
fn numbered(mut names: Vec<&str>) -> String {
    const NAMED: usize = 4;
    names.sort_unstable();
    let mut groups: Vec<(&str, usize)> = names
        .chunk_by(|a, b| a == b)
        .map(|same| (same[0], same.len()))
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
