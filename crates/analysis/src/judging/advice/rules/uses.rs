//! What a program does with a value, followed into fusions and calls.

use stepscope_model::hlo::{Instruction, Program};

use crate::judging::advice::programs::Users;

/// Values that are followed from one.
const MAX_VALUES: usize = 64;

/// What an instruction does with an operand.
pub(super) enum Use {
    /// It takes what it needs.
    Takes,
    /// It passes all of it on.
    PassesOn,
    Other,
}

/// Whether all that uses a value, or what it is passed on as, takes what it needs.
pub(super) fn is_only_taken<'a>(
    program: &'a Program,
    value: &'a Instruction,
    mut use_of: impl FnMut(&'a Instruction, &'a Instruction) -> Use,
) -> bool {
    let users = Users::of(program);
    let mut open = vec![value];
    let mut seen = 0;
    while let Some(value) = open.pop() {
        seen += 1;
        if seen > MAX_VALUES {
            return false;
        }
        let mut has_users = false;
        for user in users.of_value(program, value) {
            has_users = true;
            if matches!(user.opcode.as_str(), "fusion" | "call") {
                open.extend(parameters(program, user, value));
                continue;
            }
            match use_of(value, user) {
                Use::Takes => {}
                Use::PassesOn => open.push(user),
                Use::Other => return false,
            }
        }
        // A fusion may return it.
        if !has_users {
            return false;
        }
    }
    true
}

/// What a fusion calls one of its operands.
fn parameters<'a>(
    program: &'a Program,
    fusion: &'a Instruction,
    operand: &'a Instruction,
) -> impl Iterator<Item = &'a Instruction> {
    let bodies = program.called_computations(fusion);
    let inside = bodies.flat_map(|body| program.instructions_of(body));
    inside.filter(move |inner| {
        let number = inner.attributes().map_or(0, |own| own.parameter_number);
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        inner.opcode == "parameter" && fusion.operand_ids.get(number) == Some(&operand.id)
    })
}
