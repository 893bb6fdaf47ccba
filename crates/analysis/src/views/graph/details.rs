//! Everything about one instruction.

use stepscope_model::hlo::{Instruction, Outline, Program, TextForm};

use super::neighborhood::{Users, callers};
use super::report::GraphDetails;

/// Maximum number of names in a list.
const MAX_NAMES: usize = 200;

pub(super) fn details(
    program: &Program,
    outline: &Outline<'_>,
    instruction: &Instruction,
) -> GraphDetails {
    let rest = program.details(outline, instruction);
    let kernel = rest.kernel_body();
    let own = Users::of(program, instruction);
    let users = own.users(instruction.index).iter();
    let stack = instruction.source.iter().flat_map(|source| &source.stack);
    let names = |list: Vec<&Instruction>| -> Vec<String> {
        let names = list.into_iter().take(MAX_NAMES);
        names.map(|instruction| instruction.name.clone()).collect()
    };
    GraphDetails {
        text: program.instruction_text(outline, instruction, TextForm::Short),
        long_text: program.instruction_text(outline, instruction, TextForm::Long),
        backend_config: indented(&rest.backend_config),
        frontend_attributes: rest
            .frontend_attributes
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect(),
        kernel_form: kernel.as_ref().map_or("", |kernel| kernel.form).to_owned(),
        kernel_text: kernel.map(|kernel| kernel.text).unwrap_or_default(),
        stack: stack
            .map(|frame| format!("{} ({}:{})", frame.function, frame.file, frame.line))
            .collect(),
        callers: names(callers(program, instruction)),
        operands: names(program.operands(instruction).collect()),
        users: names(
            users
                .filter_map(|&index| program.instruction_at(index))
                .collect(),
        ),
    }
}

/// JSON with indentation; anything else unchanged.
fn indented(config: &str) -> String {
    let value: Result<serde_json::Value, _> = serde_json::from_str(config);
    let pretty = value
        .ok()
        .and_then(|value| serde_json::to_string_pretty(&value).ok());
    pretty.unwrap_or_else(|| config.to_owned())
}
