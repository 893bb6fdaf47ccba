//! Why a session differs from the baseline, in plain words.

use super::cause::{cause, short_source};
use super::items::Item;
use super::memory;
use super::nodes::stem;
use super::pair::{Both, arrays};
use super::ranges::number;
use super::report::{
    BarKind, ComparedCause, ComparedFact, ComparedProgram, Evidence, TimeDifference, WaterfallBar,
};
use super::side::Side;
use super::surroundings;
use super::waterfall::{Change, WORK_PARTS, in_words};
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::telling::format::{duration_ps, percent};

/// Maximum number of ops that are named as causes.
const NAMED_OPS: usize = 8;
/// Share of the step's difference that is most of it, and of a step that is a large difference.
const MOST: f64 = 0.5;
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
    let resized = resized(both);
    let mut causes = Vec::new();
    if let Some(step) = step {
        causes.extend(of_step(both, step, bars));
        // If the step clearly changed the other way, a shift of most ops does not explain it.
        let explains = |shift: f64| !is_large(both, step) || shift * step.difference_ps > 0.0;
        let alike = all_alike(both).filter(|(_, shift)| explains(*shift));
        causes.extend(alike.map(|(cause, _)| cause).filter(|_| resized.is_none()));
        causes.extend(launches(both));
    }
    causes.extend(recompiled(both));
    causes.extend(memory::causes(both));
    causes.extend(programs.iter().filter_map(of_program));
    causes.sort_by(|a, b| {
        let weight = |cause: &ComparedCause| cause.difference_ps.map_or(-1.0, f64::abs);
        weight(b).total_cmp(&weight(a))
    });
    // Other sizes, and different hardware or software, come first: the causes below may all follow
    // from them.
    causes.splice(0..0, resized);
    if let Some(cause) = surroundings::hardware_and_versions(environment) {
        causes.insert(0, cause);
    }
    causes.extend(surroundings::options(environment));
    causes
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
        .filter_map(|bar| of_bar(both, bar))
        .collect();
    causes.extend(one_sided(both, LEAST_RATIO * step_ps));
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

fn of_part(both: &Both<'_, '_>, part: PartKind, change_ps: f64) -> ComparedCause {
    let same_way = |op: &&Change| op.part == part && op.step_ps * change_ps > 0.0;
    let ops = both.changes.ops.iter().enumerate();
    let largest = ops.filter(|(_, op)| same_way(op)).take(2).map(|(at, op)| {
        let name = format::shortened(both.name(at));
        format!("{name} {}", signed(op.step_ps))
    });
    let largest: Vec<String> = largest.collect();
    let mostly = if largest.is_empty() {
        String::new()
    } else {
        format!(", most of it in {}", largest.join(" and "))
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

/// A change of one dimension that most changed shapes share: the batch size, a length, a width.
fn resized(both: &Both<'_, '_>) -> Option<ComparedCause> {
    let mut changes: Vec<(&str, &str)> = Vec::new();
    let mut shapes = 0;
    for program in &both.pairing.programs {
        for &(a, b) in &program.pairs {
            let (left, right) = (&program.nodes[0][a].shape, &program.nodes[1][b].shape);
            if left == right || left.is_empty() || right.is_empty() {
                continue;
            }
            shapes += 1;
            let (old, new) = (dimensions(left), dimensions(right));
            if old.len() == new.len() {
                let mut own: Vec<(&str, &str)> =
                    old.into_iter().zip(new).filter(|(a, b)| a != b).collect();
                own.sort_unstable();
                own.dedup();
                changes.extend(own);
            }
        }
    }
    changes.sort_unstable();
    let most = changes
        .chunk_by(|a, b| a == b)
        .max_by_key(|same| same.len())?;
    let (old, new) = most[0];
    (2 * most.len() >= shapes).then(|| {
        let text = format!(
            "a dimension changed from {old} to {new} in {}: likely another batch size, length or width",
            format::counted(most.len(), "instruction")
        );
        cause("resized", text, None)
    })
}

fn dimensions(shape: &str) -> Vec<&str> {
    arrays(shape).flatten().collect()
}

/// Most ops are slower, or faster, by a similar factor, so that no single op is the cause.
fn all_alike(both: &Both<'_, '_>) -> Option<(ComparedCause, f64)> {
    const LEAST_OPS: usize = 8;
    let step_ps = both.sides[0].typical_step_ps()?;
    let mut ratios: Vec<f64> = both
        .pairing
        .items
        .iter()
        .map(|&(a, b)| {
            (
                both.sides[0].items[a].mean_ps(),
                both.sides[1].items[b].mean_ps(),
            )
        })
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

/// Whether the work that both sides have changed like that in all: it is most of the work of each, and takes
/// a similar share more or less.
fn follows(both: &Both<'_, '_>, shift: f64) -> bool {
    let all_ps = both.sides.map(|side| {
        let items = side.items.iter();
        items.map(Item::mean_ps).sum::<f64>()
    });
    let pairs = both.pairing.items.iter();
    let common_ps = pairs.fold([0.0, 0.0], |[before, after], &(a, b)| {
        let (a, b) = (&both.sides[0].items[a], &both.sides[1].items[b]);
        [before + a.mean_ps(), after + b.mean_ps()]
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

fn of_program(program: &ComparedProgram) -> Option<ComparedCause> {
    let text = match program.matched.as_str() {
        "changed" => {
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
            format!("the program {} differs in its {of}{opcodes}", program.other)
        }
        "new" => format!("the program {} runs only in this session", program.other),
        "gone" => format!("the program {} runs only in the baseline", program.baseline),
        _ => return None,
    };
    Some(cause("program", text, None))
}
