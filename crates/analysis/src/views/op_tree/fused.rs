//! The instructions of a fusion: what it is made of, without times.

use stepscope_model::{OpId, Session, hlo};

/// Maximum number of instructions shown per fusion: the costliest.
const MOST: usize = 24;

/// One instruction inside a fusion.
pub(super) struct Fused {
    pub(super) name: String,
    pub(super) opcode: String,
    pub(super) flops: Option<f64>,
    pub(super) expression: String,
    pub(super) scope: String,
    pub(super) source: String,
}

/// Number of instructions in a fusion, excluding parameters and constants.
pub(super) fn count(session: &Session, op: OpId) -> usize {
    inside(session, op).count()
}

/// The costliest instructions of a fusion, by their own work, then in program order.
pub(super) fn instructions(session: &Session, op: OpId) -> Vec<Fused> {
    let program = session.program(session.op(op).program);
    let Some(hlo) = program.hlo.as_ref() else {
        return Vec::new();
    };
    let mut found: Vec<_> = inside(session, op)
        .map(|instruction| (hlo.cost(instruction), instruction))
        .collect();
    found.sort_by(|a, b| b.0.flops.total_cmp(&a.0.flops));
    found.truncate(MOST);
    let fused = found.into_iter().map(|(cost, instruction)| Fused {
        name: instruction.name.clone(),
        opcode: instruction.opcode.clone(),
        flops: (cost.basis != hlo::CostBasis::Unknown).then_some(cost.flops),
        expression: hlo.text(instruction),
        scope: instruction.op_name.clone(),
        source: instruction
            .source
            .as_ref()
            .map(|source| source.label())
            .unwrap_or_default(),
    });
    fused.collect()
}

fn inside(session: &Session, op: OpId) -> impl Iterator<Item = &hlo::Instruction> {
    let op = session.op(op);
    let hlo = session.program(op.program).hlo.as_ref();
    let fusion = hlo.and_then(|hlo| {
        let instruction = hlo.instruction(session.text(op.name))?;
        (instruction.opcode == "fusion").then_some((hlo, instruction))
    });
    fusion.into_iter().flat_map(|(hlo, fusion)| {
        let bodies = hlo.called_computations(fusion);
        bodies
            .flat_map(|body| hlo.instructions_of(body))
            .filter(|inner| !matches!(inner.opcode.as_str(), "parameter" | "constant"))
    })
}
