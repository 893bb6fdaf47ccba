//! Ops that XLA combined out of several: where their time is counted.

use stepscope_model::Session;
use stepscope_model::hlo::name_stack::{Pass, Path, merged};
use stepscope_model::hlo::{Instruction, Program};

use crate::telling::Note;
use crate::telling::format;
use crate::views::ops::{AllOps, Measured};

/// What becomes of the time of an op that serves several paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combined {
    /// It stands on one row, under the nearest scope that holds all of them.
    Together,
    /// It is divided over them.
    Divided,
}

/// What the time of a combined op is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DividedBy {
    /// Bytes of the operands, of which there is one for each path.
    Bytes,
    /// Nothing tells the paths apart: each gets the same.
    Count,
}

/// The share of an op's time that one of its paths gets.
pub(super) struct Share<'a> {
    pub(super) components: Vec<&'a str>,
    pub(super) pass: Pass,
    /// Of the op's time, 0..1; the shares of an op sum to 1.
    pub(super) ratio: f64,
}

/// One share for each path of a combined op, in the order they are written; none for other ops.
pub(super) fn shares<'a>(session: &Session, op: &'a Measured) -> Option<Vec<Share<'a>>> {
    let merged = merged(&op.row.scope);
    if !merged.is_combined() {
        return None;
    }
    let whole = if is_again_by_name(op, merged.pass()) {
        Some(Pass::Rematerialised)
    } else {
        None
    };
    let (weights, _) = weights(session, op, &merged.paths);
    let sum: f64 = weights.iter().sum();
    let shares = merged.paths.into_iter().zip(weights);
    let share = shares.map(|(path, weight)| Share {
        components: path.components,
        pass: whole.unwrap_or(path.pass),
        ratio: weight / sum,
    });
    Some(share.collect())
}

/// The compiler chose to compute it again, whatever the paths say.
fn is_again_by_name(op: &Measured, pass: Pass) -> bool {
    op.row.is_rematerialised && pass != Pass::Rematerialised
}

/// A positive weight for each path. Merged paths stand in the order of the operands.
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

/// Bytes of each operand; of the end of an asynchronous op those of its start.
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

/// How much of the time is that of combined ops, and what became of it.
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
            "{share} of device time is that of {ops} that XLA combined; each stands under the \
             nearest scope that holds all it serves."
        );
        let hint = "`--split-combined` divides their time over the paths, as an estimate.";
        return Some(Note::info(text).with_hint(hint));
    }
    let how = match (by_bytes, by_count) {
        (_, 0) => "by the bytes of their operands".to_owned(),
        (0, _) => "equally, as their operands do not tell the paths apart".to_owned(),
        (by_bytes, by_count) => {
            format!("{by_bytes} by the bytes of their operands, {by_count} equally")
        }
    };
    Some(Note::info(format!(
        "{share} of device time is an estimate: that of {ops} that XLA combined, divided over the \
         paths they serve, {how}."
    )))
}
