//! Ops that XLA combined from several ops: where their time is counted.

use stepscope_model::Session;
use stepscope_model::hlo::name_stack::{Pass, Path, merged};
use stepscope_model::hlo::{Instruction, Program};

use crate::telling::Note;
use crate::telling::format;
use crate::views::ops::{AllOps, Measured, OpRow};

/// How the time of an op that serves several paths is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combined {
    /// On one row, under the nearest scope that contains all of them.
    Together,
    /// Divided over the paths.
    Divided,
}

/// How the time of a combined op is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DividedBy {
    /// By the bytes of the operands, of which there is one for each path.
    Bytes,
    /// Equally, since nothing distinguishes the paths.
    Count,
}

/// The share of an op's time that one of its paths gets.
pub(super) struct Share<'a> {
    pub(super) components: Vec<&'a str>,
    pub(super) pass: Pass,
    /// Share of the op's time, 0..1. The shares of an op sum to 1.
    pub(super) ratio: f64,
}

/// One share for each path of a combined op, in the order in which they are written; none for other
/// ops.
pub(super) fn shares<'a>(session: &Session, op: &'a Measured) -> Option<Vec<Share<'a>>> {
    let merged = merged(&op.row.scope);
    if !merged.is_combined() {
        return None;
    }
    let whole = if is_again_by_name(op, merged.pass()) {
        Some(Pass::Rematerialized)
    } else {
        None
    };
    let (weights, _) = weights(session, op, &merged.paths);
    let sum: f64 = weights.iter().sum();
    let shares = merged.paths.into_iter().zip(weights);
    let share = shares.map(|(path, weight)| Share {
        components: path.components,
        pass: whole.unwrap_or(first_or(path.pass, &op.row)),
        ratio: weight / sum,
    });
    Some(share.collect())
}

/// The pass of a path. What is named a recomputation is the forward pass where that is computed
/// nowhere else.
pub(super) const fn first_or(named: Pass, op: &OpRow) -> Pass {
    match named {
        Pass::Rematerialized if !op.is_rematerialized => Pass::Forward,
        named => named,
    }
}

/// Whether the compiler chose to recompute it, whatever the paths say.
fn is_again_by_name(op: &Measured, pass: Pass) -> bool {
    op.row.is_rematerialized && pass != Pass::Rematerialized
}

/// A positive weight for each path. Merged paths are in the order of the operands.
fn weights(session: &Session, op: &Measured, paths: &[Path<'_>]) -> (Vec<f64>, DividedBy) {
    let equal = || (vec![1.0; paths.len()], DividedBy::Count);
    let Some(bytes) = operand_bytes(session, op) else {
        return equal();
    };
    if bytes.len() != paths.len() || bytes.iter().all(|&bytes| bytes == 0) {
        return equal();
    }
    let weights = bytes.into_iter().map(|bytes| bytes as f64);
    (weights.collect(), DividedBy::Bytes)
}

/// Bytes of each operand. For the end of an asynchronous op, those of its start.
fn operand_bytes(session: &Session, op: &Measured) -> Option<Vec<u64>> {
    let op = session.op(op.op?);
    let hlo = session.program(op.program).hlo.as_ref()?;
    let instruction = start_of(hlo, hlo.instruction(session.text(op.name))?);
    let operands = hlo.operands(instruction);
    Some(operands.map(|operand| operand.shape.byte_size()).collect())
}

fn start_of<'a>(hlo: &'a Program, instruction: &'a Instruction) -> &'a Instruction {
    let is_end = instruction.opcode.ends_with("-done");
    let start = hlo.operand(instruction, 0).filter(|_| is_end);
    start.unwrap_or(instruction)
}

/// A note on how much time combined ops take, and how it is counted.
pub(super) fn note(session: &Session, all: &AllOps, combined: Combined) -> Option<Note> {
    let mut counts = [0usize; 2];
    let mut combined_ps = 0i64;
    for op in &all.ops {
        let merged = merged(&op.row.scope);
        if merged.is_combined() {
            combined_ps = combined_ps.saturating_add(op.row.self_ps);
            let (_, by) = weights(session, op, &merged.paths);
            counts[usize::from(by == DividedBy::Bytes)] += 1;
        }
    }
    let [by_count, by_bytes] = counts;
    if by_count + by_bytes == 0 || all.total_self_ps <= 0 {
        return None;
    }
    let share = format::percent(combined_ps as f64 / all.total_self_ps as f64);
    let ops = format::counted(by_count + by_bytes, "op");
    if combined == Combined::Together {
        let text = format!(
            "{share} of device time is in {ops} that XLA combined from several; each is listed under \
             the nearest scope that contains all paths it serves."
        );
        let hint = "`--split-combined` estimates how their time divides over the paths.";
        return Some(Note::info("combined-ops", text).with_hint(hint));
    }
    let how = match (by_bytes, by_count) {
        (_, 0) => "by the bytes of their operands".to_owned(),
        (0, _) => "equally, because their operands do not distinguish the paths".to_owned(),
        (by_bytes, by_count) => {
            format!("{by_bytes} by the bytes of their operands, {by_count} equally")
        }
    };
    Some(Note::info(
        "combined-ops",
        format!(
            "{share} of device time is estimated: the time of {ops} that XLA combined is divided over \
         the paths they serve, {how}."
        ),
    ))
}
