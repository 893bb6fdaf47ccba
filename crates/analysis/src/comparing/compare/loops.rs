//! Loops that run another number of times, and loops that became copies of their body, or were that.

use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::hlo;

use super::cause::{cause, short_source};
use super::groups::Group;
use super::nodes::Node;
use super::pair::Both;
use super::pairing::ProgramPair;
use super::program_runs::program_runs;
use super::ranges::number;
use super::report::ComparedCause;
use crate::measuring::steps::median;
use crate::telling::format;
use crate::telling::format::duration_ps;

/// Fewer ops than this in copies are not told as a loop.
const LEAST_COPIED: usize = 3;
/// Numbers of runs that differ by less than this share are the same.
const SAME_RUNS: f64 = 0.05;
/// Share of the ops of a loop that must run another number of times.
const MOST: f64 = 0.5;

/// Causes by loops, of all programs that ran on both sides.
pub(super) fn causes(both: &Both<'_, '_>) -> Vec<ComparedCause> {
    let changes = both.changes.ops.iter().enumerate();
    let ops: BTreeMap<usize, usize> = changes
        .filter_map(|(op, change)| change.other.and(change.baseline).map(|item| (item, op)))
        .collect();
    let mut causes = Vec::new();
    for pair in both.pairing.compared() {
        let sight = Sight {
            both,
            pair,
            ops: &ops,
        };
        causes.extend(sight.copies());
        causes.extend(sight.lengths());
    }
    causes
}

struct Sight<'s, 'a, 'b> {
    both: &'s Both<'a, 'b>,
    pair: &'s ProgramPair,
    /// Matched ops by their item in the baseline.
    ops: &'s BTreeMap<usize, usize>,
}

impl<'s> Sight<'s, '_, '_> {
    fn hlo(&self, side: usize) -> Option<&'s hlo::Program> {
        let session = self.both.sides[side].session;
        session.program(self.pair.programs[side]).hlo.as_ref()
    }

    fn op(&self, baseline: usize) -> Option<usize> {
        self.ops.get(&self.pair.nodes[0][baseline].item?).copied()
    }

    /// Effect of ops on the step.
    fn step_ps(&self, ops: impl Iterator<Item = usize>) -> f64 {
        ops.map(|op| self.both.changes.ops[op].step_ps).sum()
    }

    /// `4 copies of 61 ops became a loop of 4 runs`
    fn copies(&self) -> Option<ComparedCause> {
        // By the side with the loop, and the number of copies.
        let mut found: BTreeMap<(usize, usize), Vec<&Group>> = BTreeMap::new();
        let programs = [self.hlo(0)?, self.hlo(1)?];
        let loops = programs.map(hlo::Program::loops);
        let around = |side: usize, group: &Group| {
            let node = &self.pair.nodes[side][group.sides[side][0]];
            let within = loops[side].around(programs[side].instruction(&node.name)?);
            Some(within.last()?.position)
        };
        for group in &self.pair.groups {
            let counts = group.sides.each_ref().map(Vec::len);
            let looped = usize::from(counts[0] > counts[1]);
            let copies = counts[1 - looped];
            // A function that is called several times is no loop.
            if around(looped, group).is_some() {
                found.entry((looped, copies)).or_default().push(group);
            }
        }
        let ((looped, copies), groups) = found.into_iter().max_by_key(|(_, all)| all.len())?;
        if groups.len() < LEAST_COPIED {
            return None;
        }
        let around: BTreeSet<usize> = groups
            .iter()
            .filter_map(|group| around(looped, group))
            .collect();
        let places = around
            .iter()
            .map(|&position| place(programs[looped], &loops[looped], position));
        let places: BTreeSet<String> = places.collect();
        // The loops of the forward and of the backward pass are mostly of one line.
        let place = match places.first() {
            Some(place) if places.len() == 1 => place.as_str(),
            _ => "",
        };
        let looped_text = match around.len() {
            1 => format!("a loop of {copies} runs"),
            count => format!("{count} loops of {copies} runs"),
        };
        let unrolled = format!("{copies} copies of {}", format::counted(groups.len(), "op"));
        let (before, after) = if looped == 1 {
            (unrolled, looped_text)
        } else {
            (looped_text, unrolled)
        };
        let ops = groups.iter().filter_map(|group| self.op(group.sides[0][0]));
        let step_ps = self.step_ps(ops);
        let text = format!(
            "{before} became {after}{place}: {} per step",
            format::signed(step_ps, duration_ps)
        );
        Some(cause("loop_copies", text, Some(step_ps)))
    }

    /// `a loop runs 30 instead of 20 times at solve/train.py:15`
    fn lengths(&self) -> Vec<ComparedCause> {
        let (Some(left), Some(right)) = (self.hlo(0), self.hlo(1)) else {
            return Vec::new();
        };
        let sides = [Bodies::of(self, 0, left), Bodies::of(self, 1, right)];
        let mut matched: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for &(a, b) in &self.pair.pairs {
            let loops = [(0, a), (1, b)]
                .map(|(side, node)| sides[side].innermost(&self.pair.nodes[side][node]));
            if let ([Some(before), Some(after)], Some(op)) = (loops, self.op(a)) {
                matched.entry((before, after)).or_default().push(op);
            }
        }
        let mut pairs: Vec<((usize, usize), Vec<usize>)> = matched.into_iter().collect();
        pairs.sort_by_key(|(_, ops)| std::cmp::Reverse(ops.len()));
        let mut is_known = [BTreeSet::new(), BTreeSet::new()];
        let mut causes = Vec::new();
        for ((before, after), ops) in pairs {
            // Each loop is matched with the one that most of its ops are in.
            if !is_known[0].insert(before) | !is_known[1].insert(after) {
                continue;
            }
            let is_other = |op: &&usize| self.both.has_other_counts(&self.both.changes.ops[**op]);
            let others = ops.iter().filter(is_other).count();
            let trips = sides[0].trips(before).zip(sides[1].trips(after));
            let Some((old, new)) = trips else { continue };
            let is_longer = (new - old).abs() > SAME_RUNS * old.max(new);
            if !is_longer || (others as f64) < MOST * ops.len() as f64 {
                continue;
            }
            let step_ps = self.step_ps(ops.into_iter());
            let counts = [number(new), number(old)];
            let mean = if counts.iter().any(|count| count.contains('.')) {
                " on average"
            } else {
                ""
            };
            let text = format!(
                "a loop runs {} instead of {} times{mean}{}: {} per step",
                counts[0],
                counts[1],
                place(right, &sides[1].loops, after),
                format::signed(step_ps, duration_ps)
            );
            causes.push(cause("loop_length", text, Some(step_ps)));
        }
        causes
    }
}

/// Where a loop is; empty if unknown.
fn place(hlo: &hlo::Program, loops: &hlo::Loops, position: usize) -> String {
    let found = loops.loops.get(position);
    let found = found.and_then(|one| hlo.instruction_at(one.instruction));
    let source = found.and_then(|one| one.source.as_ref());
    source.map_or_else(String::new, |source| {
        format!(" at {}", short_source(&source.label()))
    })
}

/// The loops of one side, and how often their ops run in a step.
struct Bodies<'a> {
    hlo: &'a hlo::Program,
    loops: hlo::Loops,
    /// Runs of the body of each loop per step.
    runs: Vec<Option<f64>>,
    /// Runs of each `while` per step, where it was recorded.
    starts: BTreeMap<hlo::InstructionIndex, f64>,
    /// Runs of the program per step.
    outside: Option<f64>,
}

impl<'a> Bodies<'a> {
    fn of(sight: &Sight<'_, '_, '_>, side: usize, hlo: &'a hlo::Program) -> Self {
        let loops = hlo.loops();
        let mut inside: Vec<Vec<f64>> = loops.loops.iter().map(|_| Vec::new()).collect();
        let mut outside = Vec::new();
        let mut starts = BTreeMap::new();
        for node in sight.pair.nodes[side]
            .iter()
            .filter(|node| node.item.is_some())
        {
            let Some(instruction) = hlo.instruction(&node.name) else {
                continue;
            };
            match loops.around(instruction).last() {
                Some(own) if own.is_even => inside[own.position].push(node.runs),
                Some(_) => {}
                None => outside.push(node.runs),
            }
            starts.insert(instruction.index, node.runs);
        }
        let usual = |mut counts: Vec<f64>| {
            counts.sort_by(f64::total_cmp);
            (!counts.is_empty()).then(|| median(&counts))
        };
        let program = sight.pair.programs[side];
        let of_program = || program_runs(sight.both.sides[side]).get(&program).copied();
        Self {
            hlo,
            loops,
            runs: inside.into_iter().map(usual).collect(),
            starts,
            outside: usual(outside).or_else(of_program),
        }
    }

    /// The innermost loop that an op runs in, if each iteration runs it equally often.
    fn innermost(&self, node: &Node) -> Option<usize> {
        let within = self.loops.around(self.hlo.instruction(&node.name)?);
        let own = within.last().filter(|own| own.is_even)?;
        Some(own.position)
    }

    /// Iterations each time: as the compiler knows, or as the ops show.
    fn trips(&self, position: usize) -> Option<f64> {
        let found = self.loops.loops.get(position)?;
        if let Some(count) = found.trip_count {
            return Some(count as f64);
        }
        let instruction = self.hlo.instruction_at(found.instruction)?;
        let parent = match self.loops.around(instruction).last() {
            Some(parent) => self.runs[parent.position],
            None => self.outside,
        };
        let starts = self.starts.get(&found.instruction).copied().or(parent)?;
        let runs = self.runs[position]?;
        (starts > 0.0).then(|| runs / starts)
    }
}
