//! Matrix units by op: which matrix products run on kernels that use them.

use std::collections::BTreeMap;

use stepscope_model::{Class, MatrixUse, OpId, SaturatingSum as _, Session, SliceKind, matrix_use};

use super::report::MatrixOp;
use crate::measuring::totals::WorkTotals;

/// Matrix unit use according to a kernel's name, as the word in reports, and the rule that applied.
pub(super) fn word(name: &str) -> (&'static str, &'static str) {
    match matrix_use(name) {
        MatrixUse::Uses(rule) => ("yes", rule),
        MatrixUse::DoesNot => ("no", ""),
        MatrixUse::Unknown => ("unknown", ""),
    }
}

/// Ops that use or could use matrix units, largest first.
pub(super) fn ops(session: &Session, totals: &[WorkTotals]) -> Vec<MatrixOp> {
    let mut sums: BTreeMap<OpId, [i64; 3]> = BTreeMap::new();
    for (id, totals) in totals.iter().flat_map(|totals| &totals.labels) {
        let label = session.label(*id);
        let Some(op) = label.op.filter(|_| label.kind == SliceKind::Kernel) else {
            continue;
        };
        let kind = match matrix_use(session.text(label.name)) {
            MatrixUse::Uses(_) => 0,
            MatrixUse::DoesNot => 1,
            MatrixUse::Unknown => 2,
        };
        let sum = &mut sums.entry(op).or_default()[kind];
        *sum = sum.saturating_add(totals.total_ps);
    }
    let mut rows: Vec<MatrixOp> = sums
        .into_iter()
        .map(|(id, times)| row(session, id, times))
        .filter(|row| row.is_eligible || row.matrix_ps > 0)
        .collect();
    rows.sort_by(|a, b| b.total_ps.cmp(&a.total_ps).then_with(|| a.op.cmp(&b.op)));
    rows
}

fn row(session: &Session, id: OpId, [matrix_ps, plain_ps, unknown_ps]: [i64; 3]) -> MatrixOp {
    let op = session.op(id);
    let program = session.program(op.program);
    let total_ps = [matrix_ps, plain_ps, unknown_ps].iter().saturating_sum();
    MatrixOp {
        op: session.text(op.name).to_owned(),
        program: program.title(),
        program_id: program.id.to_string(),
        is_eligible: matches!(session.op_class(id), Class::Matmul | Class::Attention),
        total_ps,
        matrix_ps,
        plain_ps,
        unknown_ps,
        matrix_ratio: matrix_ps as f64 / total_ps.max(1) as f64,
    }
}
