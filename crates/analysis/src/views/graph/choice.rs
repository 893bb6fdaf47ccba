//! Chooses the program and the op to show.

use rustc_hash::FxHashMap;
use stepscope_model::hlo::{self, Instruction};
use stepscope_model::{OpId, ProgramId, Session};

use super::report::GraphProgram;
use super::times::Times;
use super::{GraphOptions, search};
use crate::asking::AnalysisError;
use crate::measuring::selection::Selected;
use crate::measuring::totals::Totals;

/// All programs with HLO, most time first.
pub(super) fn programs(session: &Session, times: &Times) -> Vec<GraphProgram> {
    let sums = times.self_ps(session);
    let mut programs: Vec<GraphProgram> = session
        .programs
        .iter()
        .zip(sums)
        .filter_map(|(program, self_ps)| {
            Some(GraphProgram {
                program: program.title(),
                program_id: program.id.to_string(),
                instruction_count: program.hlo.as_ref()?.instructions().len(),
                self_ps,
            })
        })
        .collect();
    programs.sort_by(|a, b| {
        (b.self_ps, b.instruction_count)
            .cmp(&(a.self_ps, a.instruction_count))
            .then_with(|| a.program.cmp(&b.program))
    });
    programs
}

/// The selected program with HLO that has the most time, then the most instructions. With `--op`,
/// programs that contain the op are preferred.
pub(super) fn choose_program(
    session: &Session,
    selected: &Selected<'_>,
    times: &Times,
    options: &GraphOptions,
) -> Option<ProgramId> {
    let sums = times.self_ps(session);
    let has_op = |hlo: &hlo::Program| {
        let op = options.op.as_deref();
        op.is_some_and(|op| hlo.instruction(op).is_some())
    };
    (0..session.programs.len())
        .map(ProgramId::from_index)
        .filter(|&id| selected.has_program(Some(id)))
        .filter_map(|id| Some((id, session.program(id).hlo.as_ref()?)))
        .max_by_key(|(id, hlo)| {
            let size = hlo.instructions().len();
            (has_op(hlo), sums[id.index()], size, std::cmp::Reverse(*id))
        })
        .map(|(id, _)| id)
}

/// The requested op; else the op with the most time; else the op with the most work.
pub(super) fn choose_op<'h>(
    hlo: &'h hlo::Program,
    times: &FxHashMap<&str, (OpId, Totals)>,
    options: &GraphOptions,
) -> Result<Option<&'h Instruction>, AnalysisError> {
    if let Some(wanted) = options.op.as_deref().filter(|wanted| !wanted.is_empty()) {
        let found = hlo.instruction(wanted);
        return found.map(Some).ok_or_else(|| no_op(hlo, times, wanted));
    }
    let ran = times
        .iter()
        .filter_map(|(name, (_, totals))| Some((totals.self_ps, hlo.instruction(name)?)));
    let most = ran.max_by_key(|(self_ps, op)| (*self_ps, std::cmp::Reverse(op.index)));
    if let Some((_, op)) = most {
        return Ok(Some(op));
    }
    let alone = hlo.instructions().filter(|instruction| {
        let own = hlo.computations().get(instruction.computation.index());
        own.is_some_and(|own| !own.is_fusion_body)
            && !matches!(
                instruction.opcode.as_str(),
                "while" | "call" | "conditional"
            )
    });
    let most = alone.max_by(|a, b| {
        let work = |op: &Instruction| {
            let cost = hlo.cost(op);
            cost.flops.max(cost.bytes_accessed)
        };
        work(a).total_cmp(&work(b)).then(b.index.cmp(&a.index))
    });
    Ok(most.or_else(|| hlo.instructions().last()))
}

fn no_op(
    hlo: &hlo::Program,
    times: &FxHashMap<&str, (OpId, Totals)>,
    wanted: &str,
) -> AnalysisError {
    let near = search::matches(hlo, times, wanted, 12).map_or_else(|_| Vec::new(), |(m, _)| m);
    let near: Vec<String> = near.into_iter().map(|found| found.name).collect();
    AnalysisError::NothingSelected {
        what: format!("--op {wanted}"),
        available: if near.is_empty() {
            longest(times)
        } else {
            near.join(", ")
        },
    }
}

/// Instructions with the most time, and how to find others.
fn longest(times: &FxHashMap<&str, (OpId, Totals)>) -> String {
    const SHOWN: usize = 5;
    let mut ran: Vec<(&str, i64)> = times
        .iter()
        .map(|(name, (_, totals))| (*name, totals.self_ps))
        .collect();
    ran.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let names = ran.into_iter().take(SHOWN).map(|(name, _)| name);
    let names: Vec<&str> = names.chain(["others: use `--search TEXT`"]).collect();
    names.join(", ")
}
