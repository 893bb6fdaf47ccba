//! What theory says of a collective: how long its links need, and what could run meanwhile.
//!
//! *Independent* compute is what neither feeds a collective nor needs its result, according to the
//! operands of the program: all of it could run between start and done. An op stands for everything
//! in the computations it calls.

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_model::hlo::{Instruction, Program};
use stepscope_model::{DeviceId, ProgramId, Session};

use super::survey::CollectiveOp;
use crate::measuring::levels::{COMPUTE, device_levels};
use crate::measuring::selection::Selected;
use crate::measuring::totals::work_totals;
use crate::telling::format;
use crate::views::ops::{all_ops, links};

/// What theory says of one collective.
#[derive(Debug, Clone, Default)]
pub(super) struct Expected {
    /// Of one occurrence; none if unknown.
    pub(super) each_ps: Option<f64>,
    /// How it was derived, or why it is unknown. Empty without a program.
    pub(super) sentence: String,
}

/// How long the links of a device need for a collective.
pub(super) fn expected(
    session: &Session,
    op: &CollectiveOp,
    device: DeviceId,
    mean_ps: f64,
) -> Expected {
    let hlo = op.program.and_then(|id| session.program(id).hlo.as_ref());
    let collective = hlo.and_then(|hlo| hlo.collective(hlo.instruction(&op.name)?));
    let Some(collective) = collective else {
        return Expected::default();
    };
    match links::needed(session, session.device(device), &collective) {
        Ok((seconds, sentence)) => Expected {
            each_ps: Some(seconds * 1e12),
            sentence: format!(
                "{sentence} = {}; measured {} (mean)",
                format::duration_ps(seconds * 1e12),
                format::duration_ps(mean_ps)
            ),
        },
        Err(why) => Expected {
            each_ps: None,
            sentence: format!("expected time unknown: {why}"),
        },
    }
}

/// Time of compute by instruction, in every program with collectives.
pub(super) struct Independent<'a> {
    session: &'a Session,
    of_programs: FxHashMap<ProgramId, FxHashMap<i64, f64>>,
    /// By program and computation.
    wirings: FxHashMap<(ProgramId, usize), Wiring>,
}

impl<'a> Independent<'a> {
    pub(super) fn of(session: &'a Session, selected: &Selected<'_>, ops: &[CollectiveOp]) -> Self {
        let programs: FxHashSet<ProgramId> = ops.iter().filter_map(|op| op.program).collect();
        let mut of_programs: FxHashMap<ProgramId, FxHashMap<i64, f64>> = FxHashMap::default();
        let independent = |of_programs| Self {
            session,
            of_programs,
            wirings: FxHashMap::default(),
        };
        if programs.is_empty() {
            return independent(of_programs);
        }
        let mut computes = vec![false; session.ops.len()];
        for (label, level) in session.labels.iter().zip(device_levels(session)) {
            if let Some(op) = label.op.filter(|_| level == COMPUTE) {
                computes[op.index()] = true;
            }
        }
        let all = all_ops(session, selected, &work_totals(session, selected));
        let mut callers: FxHashMap<ProgramId, FxHashMap<i64, &Instruction>> = FxHashMap::default();
        for measured in &all.ops {
            let Some(id) = measured.op.filter(|op| computes[op.index()]) else {
                continue;
            };
            let op = session.op(id);
            if !programs.contains(&op.program) {
                continue;
            }
            let Some(hlo) = &session.program(op.program).hlo else {
                continue;
            };
            let Some(instruction) = hlo.instruction(session.text(op.name)) else {
                continue;
            };
            let callers = callers.entry(op.program).or_insert_with(|| callers_of(hlo));
            let times = of_programs.entry(op.program).or_default();
            let mut at = Some(instruction);
            for _ in 0..MAX_DEPTH {
                let Some(instruction) = at else { break };
                *times.entry(instruction.id).or_default() += measured.row.self_ps as f64;
                let computation = hlo.computations().get(instruction.computation.index());
                at = computation.and_then(|called| callers.get(&called.id).copied());
            }
        }
        independent(of_programs)
    }

    /// Σ time of independent compute on all devices; none if the program is unknown, or the done is
    /// not beside the start.
    pub(super) fn time_ps(&mut self, op: &CollectiveOp) -> Option<f64> {
        let program = op.program?;
        let hlo = self.session.program(program).hlo.as_ref()?;
        let collective = hlo.collective(hlo.instruction(&op.name)?)?;
        let begin = collective.begin;
        let computation = hlo.computations().get(begin.computation.index())?;
        let siblings = hlo.instructions_of(computation);
        let end = if collective.is_async {
            done(siblings, begin)?
        } else {
            begin
        };
        let key = (program, begin.computation.index());
        let times = self.of_programs.get(&program)?;
        let wiring = self.wirings.entry(key);
        let wiring = wiring.or_insert_with(|| Wiring::of(siblings, times));
        let (begin, end) = (wiring.place(begin)?, wiring.place(end)?);
        let mut is_bound = vec![false; siblings.len()];
        mark(&wiring.operands, begin, &mut is_bound);
        mark(&wiring.users, end, &mut is_bound);
        let times = wiring.times_ps.iter().zip(&is_bound);
        Some(
            times
                .filter(|(_, bound)| !**bound)
                .map(|(time, _)| time)
                .sum(),
        )
    }
}

/// Deepest nesting of computations that is followed.
const MAX_DEPTH: usize = 32;

/// The instruction that calls each computation, by its id; the first of several.
fn callers_of(hlo: &Program) -> FxHashMap<i64, &Instruction> {
    let mut found = FxHashMap::default();
    for instruction in hlo.instructions() {
        for called in &instruction.called_computation_ids {
            found.entry(*called).or_insert(instruction);
        }
    }
    found
}

/// The instruction that ends an asynchronous collective.
fn done<'a>(siblings: &'a [Instruction], begin: &Instruction) -> Option<&'a Instruction> {
    let mut at = begin.id;
    // Updates may lie between the two.
    for _ in 0..MAX_DEPTH {
        let next = siblings.iter().find(|one| {
            let is_half = one.opcode.ends_with("-done") || one.opcode.ends_with("-update");
            is_half && one.operand_ids.first() == Some(&at)
        })?;
        if next.opcode.ends_with("-done") {
            return Some(next);
        }
        at = next.id;
    }
    None
}

/// One computation: the time of each instruction, and what joins them, by place in the computation.
struct Wiring {
    first: usize,
    times_ps: Vec<f64>,
    operands: Vec<Vec<u32>>,
    users: Vec<Vec<u32>>,
}

impl Wiring {
    fn of(siblings: &[Instruction], times: &FxHashMap<i64, f64>) -> Self {
        let places: FxHashMap<i64, u32> = siblings.iter().map(|one| one.id).zip(0..).collect();
        let mut operands = vec![Vec::new(); siblings.len()];
        let mut users = vec![Vec::new(); siblings.len()];
        for (own, one) in (0u32..).zip(siblings) {
            for operand in one.operand_ids.iter().filter_map(|id| places.get(id)) {
                operands[own as usize].push(*operand);
                users[*operand as usize].push(own);
            }
        }
        let time = |one: &Instruction| times.get(&one.id).copied().unwrap_or(0.0);
        Self {
            first: siblings.first().map_or(0, |one| one.index.index()),
            times_ps: siblings.iter().map(time).collect(),
            operands,
            users,
        }
    }

    fn place(&self, instruction: &Instruction) -> Option<usize> {
        let place = instruction.index.index().checked_sub(self.first)?;
        (place < self.times_ps.len()).then_some(place)
    }
}

/// Marks a place and all that it leads to.
fn mark(next: &[Vec<u32>], from: usize, is_marked: &mut [bool]) {
    is_marked[from] = true;
    let mut open = vec![from];
    while let Some(one) = open.pop() {
        for &other in &next[one] {
            let other = other as usize;
            if !is_marked[other] {
                is_marked[other] = true;
                open.push(other);
            }
        }
    }
}
