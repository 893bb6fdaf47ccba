//! Why a session differs from the baseline, in plain words.

use std::collections::BTreeSet;

use super::cause::{cause, short_source};
use super::items::Item;
use super::memory;
use super::nodes::stem;
use super::pair::Both;
use super::pairing::ProgramPair;
use super::ranges::number;
use super::report::{
    BarKind, ComparedCause, ComparedFact, ComparedProgram, Evidence, TimeDifference, WaterfallBar,
};
use super::side::Side;
use super::sizes;
use super::surroundings;
use super::waterfall::{Change, WORK_PARTS, in_words};
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::telling::format::{duration_ps, percent};

/// Maximum number of ops that are named as causes.
const NAMED_OPS: usize = 8;
/// Share of the step's difference that is most of it, and of a step that is a large difference.
const MOST: f64 = 0.5;
/// What outlier steps add below this share of the difference of all steps is not a cause.
const LEAST_OF_OUTLIERS: f64 = 0.1;
/// A difference below this share of the step is not a cause.
const LEAST_RATIO: f64 = 0.002;

/// All causes, largest effect first; causes without a time come after those with one, unless others may
/// follow from them.
pub(super) fn causes<'a>(
    both: &Both<'_, '_>,
    step: Option<&TimeDifference>,
    bars: impl Iterator<Item = &'a WaterfallBar>,
    programs: &[ComparedProgram],
    environment: &[ComparedFact],
) -> Vec<ComparedCause> {
    let resized = sizes::of(both);
    let mut causes = Vec::new();
    if let Some(step) = step {
        causes.extend(of_step(both, step, bars));
        // If the step clearly changed the other way, a shift of most ops does not explain it.
        let explains = |shift: f64| !is_large(both, step) || shift * step.difference_ps > 0.0;
        let alike = all_alike(both).filter(|(_, shift)| explains(*shift));
        causes.extend(alike.map(|(cause, _)| cause).filter(|_| resized.is_empty()));
        causes.extend(launches(both));
    }
    causes.extend(recompiled(both));
    causes.extend(memory::causes(both));
    causes.extend(of_programs(both, programs));
    largest_first(&mut causes);
    // Other sizes, and different hardware or software, come first: the causes below may all follow
    // from them.
    causes.splice(0..0, resized);
    if let Some(cause) = surroundings::hardware_and_versions(environment) {
        causes.insert(0, cause);
    }
    causes.extend(surroundings::options(environment));
    causes
}

fn largest_first(causes: &mut [ComparedCause]) {
    let weight = |cause: &ComparedCause| cause.difference_ps.map_or(-1.0, f64::abs);
    causes.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
}

/// Causes with a time per step.
fn of_step<'a>(
    both: &Both<'_, '_>,
    step: &TimeDifference,
    bars: impl Iterator<Item = &'a WaterfallBar>,
) -> Vec<ComparedCause> {
    let step_ps = both.sides[0].typical_step_ps().unwrap_or(0.0);
    let is_large = is_large(both, step);
    let mut causes: Vec<ComparedCause> = bars
        .filter(|bar| bar.difference_ps.abs() >= LEAST_RATIO * step_ps)
        .filter(|bar| bar.evidence != Evidence::WithinNoise || is_large && is_most(step, bar))
        .filter(|bar| !bar.kind.is_of_outliers() || matters(both, bar))
        .filter_map(|bar| of_bar(both, bar))
        .collect();
    causes.extend(one_sided(both, LEAST_RATIO * step_ps));
    largest_first(&mut causes);
    let mut ops = 0;
    causes.retain(|cause| {
        ops += usize::from(cause.op.is_some());
        cause.op.is_none() || ops <= NAMED_OPS
    });
    causes.extend(of_parts(both, &causes, LEAST_RATIO * step_ps));
    causes
}

/// Whether the steps differ so much that a reader asks why, though noise may explain it: beyond noise,
/// without overlap, or by as much as half a step.
fn is_large(both: &Both<'_, '_>, step: &TimeDifference) -> bool {
    step.evidence == Evidence::BeyondNoise
        || both.are_apart()
        || step.ratio.is_some_and(|ratio| ratio.abs() >= MOST)
}

/// Whether a difference, though within noise itself, is most of that of the step: what is there in some
/// steps only, such as a pause of the host, varies as much as it changes.
fn is_most(step: &TimeDifference, bar: &WaterfallBar) -> bool {
    bar.difference_ps * step.difference_ps > 0.0
        && bar.difference_ps.abs() >= MOST * step.difference_ps.abs()
}

/// Whether what outlier steps add is a part of the difference of all steps that is worth a line: the
/// result excludes them.
fn matters(both: &Both<'_, '_>, bar: &WaterfallBar) -> bool {
    let all = both.sides.map(|side| {
        let steps = side.all_durations();
        crate::measuring::steps::mean(steps.into_iter()).unwrap_or(0.0)
    });
    bar.difference_ps.abs() >= LEAST_OF_OUTLIERS * (all[1] - all[0]).abs()
}

/// `+1.9 ms`, `−12 µs`.
pub(super) fn signed(picos: f64) -> String {
    format::signed(picos, duration_ps)
}

fn of_bar(both: &Both<'_, '_>, bar: &WaterfallBar) -> Option<ComparedCause> {
    let more = if bar.difference_ps > 0.0 {
        "more"
    } else {
        "less"
    };
    let length = duration_ps(bar.difference_ps.abs());
    let part = bar.part.map_or("", in_words);
    let (kind, text) = match bar.kind {
        BarKind::Op => of_op(both, bar)?,
        BarKind::Overlap if bar.part == Some(PartKind::DeviceCompute) => (
            "concurrency",
            format!(
                "ops overlap each other {}: {} per step",
                opposite(more),
                signed(bar.difference_ps)
            ),
        ),
        BarKind::Overlap => ("overlap", overlap(both, bar, (part, more, &length))),
        BarKind::InputWait => (
            "input_wait",
            format!("devices wait {length} {more} for input per step"),
        ),
        BarKind::Compilation => (
            "compilation",
            format!("devices wait {length} {more} for compilation per step"),
        ),
        BarKind::HostOverhead => (
            "host_overhead",
            format!("devices wait {length} {more} per step while the host does other work"),
        ),
        BarKind::Idle => (
            "idle",
            format!(
                "devices are idle {length} {more} per step while nothing was recorded on the host"
            ),
        ),
        BarKind::OutlierCompilation => (
            "outlier_compilation",
            format!(
                "compilation in outlier steps, which the result excludes: {} per step on average",
                signed(bar.difference_ps)
            ),
        ),
        BarKind::OutlierSteps => (
            "outlier_steps",
            format!(
                "outlier steps ({} instead of {}), which the result excludes: {} per step on average",
                both.sides[1].outliers(),
                both.sides[0].outliers(),
                signed(bar.difference_ps)
            ),
        ),
        BarKind::NewOp | BarKind::GoneOp | BarKind::OtherOps | BarKind::Residual => return None,
    };
    Some(ComparedCause {
        op: bar.op,
        evidence: Some(bar.evidence),
        source: bar.op.map_or_else(String::new, |op| source(both, op)),
        ..cause(kind, text, Some(bar.difference_ps))
    })
}

/// How the exposed part of copies or communication changed because more or less of it is hidden. Where it
/// changed the other way in all, that is said, too.
fn overlap(
    both: &Both<'_, '_>,
    bar: &WaterfallBar,
    (part, more, length): (&str, &str, &str),
) -> String {
    let all_ps = bar.part.map_or(0.0, |part| both.part(part).difference_ps);
    let overlap = format!("{part}: {} overlap with computation", opposite(more));
    if all_ps * bar.difference_ps >= 0.0 {
        return format!("{overlap}, {length} {more} exposed per step");
    }
    format!(
        "{overlap} ({} per step), but what is exposed changes by {} per step in all",
        signed(bar.difference_ps),
        signed(all_ps)
    )
}

/// Parts of work that changed beyond noise, although none of their ops did: `communication takes 2 ms more
/// per step`.
fn of_parts(both: &Both<'_, '_>, told: &[ComparedCause], least_ps: f64) -> Vec<ComparedCause> {
    let changed = WORK_PARTS.into_iter().filter_map(|part| {
        let found = both.part(part);
        let change_ps = found.difference_ps;
        let is_known = found.evidence == Evidence::BeyondNoise && change_ps.abs() >= least_ps;
        let of_ops = told.iter().filter(|cause| {
            let op = cause.op.map(|op| both.changes.ops[op].part);
            op == Some(part)
        });
        let of_ops_ps: f64 = of_ops.filter_map(|cause| cause.difference_ps).sum();
        (is_known && of_ops_ps / change_ps < MOSTLY).then(|| of_part(both, part, change_ps))
    });
    changed.collect()
}

/// A part whose ops told so far explain less of its change than this does not follow from them.
const MOSTLY: f64 = 0.5;

/// Ops that are named as most of the change of a part.
const MOST_OF_PART: usize = 3;

fn of_part(both: &Both<'_, '_>, part: PartKind, change_ps: f64) -> ComparedCause {
    let same_way = |op: &(usize, &Change)| op.1.part == part && op.1.step_ps * change_ps > 0.0;
    let ops: Vec<(usize, &Change)> = both
        .changes
        .ops
        .iter()
        .enumerate()
        .filter(same_way)
        .collect();
    let told = |(at, op): &(usize, &Change)| {
        let name = format::shortened(both.name(*at));
        format!("{name} {}", signed(op.step_ps))
    };
    let sum_ps = |ops: &[(usize, &Change)]| ops.iter().map(|(_, op)| op.step_ps).sum::<f64>();
    let most = (1..=ops.len().min(MOST_OF_PART))
        .map(|count| &ops[..count])
        .find(|largest| sum_ps(largest) / change_ps >= MOSTLY);
    let mostly = match (most, ops.as_slice()) {
        (Some(largest), _) => {
            let largest: Vec<String> = largest.iter().map(told).collect();
            format!(", most of it in {}", largest.join(" and "))
        }
        (None, []) => String::new(),
        (None, [largest, ..]) => format!(
            ", spread over {}, the largest {}",
            format::counted(ops.len(), "op"),
            told(largest)
        ),
    };
    let more = if change_ps > 0.0 { "more" } else { "less" };
    let text = format!(
        "{} takes {} {more} per step{mostly}",
        in_words(part),
        duration_ps(change_ps.abs())
    );
    ComparedCause {
        evidence: Some(Evidence::BeyondNoise),
        ..cause("part", text, Some(change_ps))
    }
}

fn opposite(more: &str) -> &'static str {
    if more == "more" { "less" } else { "more" }
}

fn of_op(both: &Both<'_, '_>, bar: &WaterfallBar) -> Option<(&'static str, String)> {
    let op = bar.op?;
    let row = &both.changes.ops[op];
    let at = place(both, op);
    let name = format::shortened(both.name(op));
    let change = signed(bar.difference_ps);
    let old = both.item(0, row.baseline)?.name(both.sides[0].session);
    let renamed = if old == both.name(op) {
        String::new()
    } else {
        format!(" (was {})", format::shortened(old))
    };
    let why = both.change_text(row);
    let why = if why.is_empty() {
        String::new()
    } else {
        format!(": {why}")
    };
    let kind = if bar.difference_ps > 0.0 {
        "op_slower"
    } else {
        "op_faster"
    };
    let at = at.map(|at| format!(" at {at}")).unwrap_or_default();
    Some((kind, format!("{name}{renamed}{at} {change} per step{why}")))
}

/// Where an op comes from: its source line, else its scope.
fn place<'a>(both: &Both<'a, '_>, op: usize) -> Option<&'a str> {
    let (source, scope) = origin(both, op)?;
    let texts = [short_source(source), scope];
    texts.into_iter().find(|text| !text.is_empty())
}

/// The source line of an op as recorded; empty if unknown.
fn source(both: &Both<'_, '_>, op: usize) -> String {
    origin(both, op).map_or_else(String::new, |(source, _)| source.to_owned())
}

/// Source line and scope of an op, from the other session if it has the op.
fn origin<'a>(both: &Both<'a, '_>, op: usize) -> Option<(&'a str, &'a str)> {
    let row = &both.changes.ops[op];
    let (side, item) = match both.item(1, row.other) {
        Some(item) => (1, item),
        None => (0, both.item(0, row.baseline)?),
    };
    let session = both.sides[side].session;
    let op = session.op(item.op()?);
    Some((session.text(op.source), session.text(op.scope)))
}

/// Ops that only one side has, grouped by source line or scope.
fn one_sided(both: &Both<'_, '_>, least_ps: f64) -> Vec<ComparedCause> {
    let mut groups: Vec<(bool, Option<&str>, Vec<usize>)> = Vec::new();
    for (op, change) in both.changes.ops.iter().enumerate() {
        let is_paired = change.baseline.is_some() && change.other.is_some();
        if is_paired || both.evidence(op) == Evidence::WithinNoise {
            continue;
        }
        let (is_new, place) = (change.baseline.is_none(), place(both, op));
        let same = |group: &&mut (bool, Option<&str>, Vec<usize>)| {
            group.0 == is_new && group.1 == place && place.is_some()
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.2.push(op),
            None => groups.push((is_new, place, vec![op])),
        }
    }
    let causes = groups.into_iter().filter_map(|(is_new, place, ops)| {
        let sum: f64 = ops.iter().map(|&op| both.changes.ops[op].step_ps).sum();
        let at = place.map(|at| format!(" at {at}")).unwrap_or_default();
        let change = signed(sum);
        let first = format::shortened(both.name(ops[0]));
        let what = stem(&first);
        let text = match (is_new, ops.len()) {
            (true, 1) => format!("an extra {what} ({first}){at}: {change} per step"),
            (true, count) => format!("{count} extra ops{at} ({first}, …): {change} per step"),
            (false, 1) => format!("{first}{at} is gone: {change} per step"),
            (false, count) => format!("{count} ops{at} are gone ({first}, …): {change} per step"),
        };
        let kind = if is_new { "op_new" } else { "op_gone" };
        (sum.abs() >= least_ps).then(|| ComparedCause {
            op: Some(ops[0]),
            evidence: Some(both.evidence(ops[0])),
            source: source(both, ops[0]),
            ..cause(kind, text, Some(sum))
        })
    });
    causes.collect()
}

/// Most ops are slower, or faster, by a similar factor, so that no single op is the cause.
fn all_alike(both: &Both<'_, '_>) -> Option<(ComparedCause, f64)> {
    const LEAST_OPS: usize = 8;
    let step_ps = both.sides[0].typical_step_ps()?;
    let mut ratios: Vec<f64> = unchanged(both)
        .filter(|(a, _)| *a >= 0.005 * step_ps)
        .map(|(a, b)| b / a)
        .collect();
    if ratios.len() < LEAST_OPS {
        return None;
    }
    ratios.sort_by(f64::total_cmp);
    let middle = crate::measuring::steps::median(&ratios);
    let (low, high) = (ratios[ratios.len() / 4], ratios[ratios.len() * 3 / 4]);
    let shift = middle - 1.0;
    let is_alike = if shift > 0.0 {
        low - 1.0 > shift / 2.0
    } else {
        high - 1.0 < shift / 2.0
    };
    (shift.abs() > 0.02 && is_alike && follows(both, shift)).then(|| {
        let text = format!(
            "most ops take {} {} time: likely clock speed, chip or machine load, not a single op",
            percent(shift.abs()),
            if shift > 0.0 { "more" } else { "less" }
        );
        (cause("all_alike", text, None), shift)
    })
}

/// Times of the ops of both sides that are the same, with the same shapes, and run as often: only these can
/// show that the machine is slower.
fn unchanged<'a>(both: &'a Both<'_, '_>) -> impl Iterator<Item = (f64, f64)> + 'a {
    let ops = both.changes.ops.iter();
    let same = ops.filter(|change| {
        matches!(both.matched(change), "same" | "renamed") && !both.has_other_counts(change)
    });
    same.filter_map(|change| {
        let time = |side: usize, item| both.item(side, item).map(Item::mean_ps);
        time(0, change.baseline).zip(time(1, change.other))
    })
}

/// Whether the work that both sides have changed like that in all: it is most of the work of each, and takes
/// a similar share more or less.
fn follows(both: &Both<'_, '_>, shift: f64) -> bool {
    let all_ps = both.sides.map(|side| {
        let items = side.items.iter();
        items.map(Item::mean_ps).sum::<f64>()
    });
    let common_ps = unchanged(both).fold([0.0, 0.0], |[before, after], (a, b)| {
        [before + a, after + b]
    });
    let is_most = (0..2).all(|side| common_ps[side] >= MOSTLY * all_ps[side]);
    let change = common_ps[1] / common_ps[0] - 1.0;
    is_most && change / shift >= MOSTLY
}

fn recompiled(both: &Both<'_, '_>) -> Option<ComparedCause> {
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

fn launches(both: &Both<'_, '_>) -> Option<ComparedCause> {
    let (a, b) = (both.sides[0].launches()?, both.sides[1].launches()?);
    ((a - b).abs() > 0.02 * a.max(b)).then(|| {
        let text = format!(
            "{} instead of {} ops, kernels and copies run per step and device",
            number(b),
            number(a)
        );
        cause("launches", text, None)
    })
}

/// Programs that differ, or run on one side only; many of these in one sentence.
fn of_programs(both: &Both<'_, '_>, programs: &[ComparedProgram]) -> Vec<ComparedCause> {
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
