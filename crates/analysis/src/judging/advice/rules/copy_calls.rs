//! Copies that the host asks for: `jnp.copy`, `x.copy()` and `copy.deepcopy` of a state run a program that
//! returns its argument, once for each array.
//!
//! ```text
//! deepcopy (copy.py:119)  [PjitFunction(copy)][PjitFunction(copy)][PjitFunction(copy)]…
//! device                   [ copy ]            [ copy ]            [ copy ]
//! ```

use std::collections::BTreeSet;

use stepscope_model::hlo::Program;
use stepscope_model::host_names::dispatched_function;
use stepscope_model::{LabelId, SaturatingSum as _, Session, Span, Track};

use super::callers::{Calls, caller};
use super::{Rule, SHARE_OF_WORK, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceFinding;
use crate::telling::places::python_function;
use crate::views::ops::OpRow;

/// Programs that only copy their argument.
pub(super) struct CopyCalls {
    ids: BTreeSet<String>,
    /// What they are called in Python: `copy` of `jit_copy`.
    functions: BTreeSet<String>,
}

impl CopyCalls {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let busy = facts.programs().iter().filter(|one| copies(one.hlo));
        let mut own = Self {
            ids: BTreeSet::new(),
            functions: BTreeSet::new(),
        };
        for one in busy {
            let program = facts.session.program(one.id);
            own.ids.insert(program.id.to_string());
            let name = program.name.strip_prefix("jit_");
            own.functions
                .insert(name.unwrap_or(&program.name).to_owned());
        }
        own
    }

    /// Whether an op is one of these copies.
    pub(super) fn has(&self, row: &OpRow) -> bool {
        self.ids.contains(&row.program_id)
    }

    /// Who asks for copies; none unless most of the time of these calls is within a function that copies.
    fn caller(&self, facts: &Facts<'_>) -> Option<String> {
        let session = facts.session;
        let ids = (0..session.labels.len()).map(LabelId::from_index);
        let is_call: Vec<bool> = ids
            .map(|id| {
                let function = dispatched_function(session.label_name(id));
                function.is_some_and(|name| self.functions.contains(name))
            })
            .collect();
        let calls = Calls {
            is_call: &|label| is_call[label.index()],
            counts: &|track, span| is_in_copy(session, track, span),
        };
        Some(caller(facts, &calls)?.name)
    }
}

/// Functions that copy: of the module `copy`, of JAX's arrays, and `jnp.copy`. `jnp.asarray` of a NumPy
/// array calls none of them, though it runs the same program.
const COPYING: [&str; 6] = [
    "copy",
    "_copy",
    "__copy__",
    "deepcopy",
    "_deepcopy",
    "__deepcopy__",
];

/// Whether a function that copies is around a call.
fn is_in_copy(session: &Session, track: &Track, call: Span) -> bool {
    track.lanes.iter().any(|lane| {
        let mut around = lane
            .overlapping(call)
            .filter(|&index| lane.span(index).contains(call));
        around.any(|index| {
            let name = session.label_name(lane.labels()[index]);
            let function = name.strip_prefix('$').and_then(python_function);
            let function = function.as_deref().and_then(|name| name.split(' ').next());
            function.is_some_and(|name| COPYING.contains(&name))
        })
    })
}

/// Whether a program returns its only argument as it is.
pub(super) fn copies(program: &Program) -> bool {
    let root = program.entry().and_then(|entry| program.root(entry));
    root.is_some_and(|root| {
        let copied = program.operand(root, 0);
        let is_argument = copied.is_some_and(|one| one.opcode == "parameter");
        root.opcode == "copy" && is_argument && program.instructions().len() == 2
    })
}

/// A finding of a rule about them, if they take a large part of the work.
pub(super) fn told(rule: &Rule, facts: &Facts<'_>, calls: &CopyCalls) -> Option<AdviceFinding> {
    if calls.ids.is_empty() {
        return None;
    }
    let is_copy = |row: &OpRow| calls.has(row);
    let found = share(facts, "data_shuffle_ratio", is_copy).ok()?;
    let caller = calls.caller(facts)?;
    let rows = facts.rows_of_ops().filter(|row| is_copy(row));
    let runs: i64 = rows.map(|row| row.executions).saturating_sum();
    let each = if facts.step_ps.is_some() {
        let devices = facts.working().count().max(1) as f64;
        format!("{:.0} per step", runs as f64 / facts.step_count() / devices)
    } else {
        format!("{runs} in the recording")
    };
    let what = format!(
        "{} of the devices' work copies whole arrays that the program asks to copy: {each}, each a program \
         of its own that only returns its argument. Most of them are made in {caller}.",
        found.text
    );
    let told = finding(rule, found.severity, what)
        .titled("The program copies its own arrays".to_owned())
        .why(
            "copy.deepcopy of a state, jnp.copy and x.copy() make a new array of each. Arrays of JAX cannot \
             change, so a second name for one is as safe as a copy.",
        )
        .fix(
            "Keep a reference instead: `previous = state`. A copy is needed only of what is donated to a \
             later call.",
        )
        .why_elsewhere("The host asks for a new array of each.")
        .fix_elsewhere("Keep a reference instead of a copy where nothing changes the array.")
        .gain(found.per_step, SHARE_OF_WORK)
        .seen(facts.largest_ops(is_copy));
    Some(told)
}
