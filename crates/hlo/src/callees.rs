//! The order in which computations can be evaluated: callees before callers.

use crate::program::Program;

/// Indices of all computations, each after the ones it calls. Files are written in this order
/// already, but nothing enforces it; a call that closes a cycle is ignored.
pub(crate) fn callees_first(program: &Program) -> Vec<usize> {
    let count = program.computations.len();
    let mut order = Vec::with_capacity(count);
    let mut is_seen = vec![false; count];
    // An explicit stack: the depth of calls is in the hands of whoever wrote the file.
    let mut stack: Vec<(usize, Vec<usize>)> = Vec::new();
    for start in 0..count {
        if is_seen[start] {
            continue;
        }
        is_seen[start] = true;
        stack.push((start, callees(program, start)));
        while let Some((computation, pending)) = stack.last_mut() {
            match pending.pop() {
                Some(callee) if is_seen[callee] => {}
                Some(callee) => {
                    is_seen[callee] = true;
                    stack.push((callee, callees(program, callee)));
                }
                None => {
                    order.push(*computation);
                    stack.pop();
                }
            }
        }
    }
    order
}

fn callees(program: &Program, computation: usize) -> Vec<usize> {
    let Some(computation) = program.computations.get(computation) else {
        return Vec::new();
    };
    program
        .instructions_of(computation)
        .iter()
        .flat_map(|instruction| &instruction.called_computation_ids)
        .filter_map(|id| program.computation_by_id.get(id))
        .map(|index| index.index())
        .collect()
}
