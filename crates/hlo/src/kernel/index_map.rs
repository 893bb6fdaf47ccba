//! Which block a step of the grid works on: the function of a block, as a formula.

use crate::mlir::{Attribute, Module, Op};

/// Letters of a formula; longer ones are cut, since a value may be used many times.
const MAX_LETTERS: usize = 80;
/// The dimensions of the grid, outermost first.
const DIMENSIONS: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

/// `(i, 2 * j + 1)`. None if the function has another form.
pub(super) fn read(module: &Module<'_>, function: &Op, grid_rank: usize) -> Option<String> {
    let [block] = function.regions.first()?.as_slice() else {
        return None;
    };
    let argument = |position: usize| match position.checked_sub(grid_rank) {
        Some(number) => format!("scalars{number}"),
        None => dimension(position),
    };
    // Values are numbered from the first argument.
    let mut values: Vec<String> = (0..block.arguments.len()).map(argument).collect();
    for op in &block.ops {
        if module.name(op).ends_with("func.return") {
            let results = op.operands.iter().map(|&value| of(&values, value));
            let results: Vec<&str> = results.collect();
            return Some(format!("({})", results.join(", ")));
        }
        let result = op.first_result as usize;
        let text = formula(module, op, &values);
        if result >= values.len() && result - values.len() <= op.operands.len() + 1 {
            values.resize(result, "unknown".to_owned());
            values.push(text.unwrap_or_else(|| "unknown".to_owned()));
        }
    }
    None
}

fn dimension(position: usize) -> String {
    let name = DIMENSIONS.get(position);
    name.map_or_else(|| format!("g{position}"), |name| (*name).to_owned())
}

fn of(values: &[String], value: u32) -> &str {
    values.get(value as usize).map_or("unknown", String::as_str)
}

/// What an op computes. None if it is not arithmetic on whole numbers.
fn formula(module: &Module<'_>, op: &Op, values: &[String]) -> Option<String> {
    let name = module.name(op);
    let name = name.strip_prefix("stable_mosaic.").unwrap_or(name);
    let one = of(values, *op.operands.first().unwrap_or(&u32::MAX));
    let other = of(values, *op.operands.get(1).unwrap_or(&u32::MAX));
    let text = match name {
        "arith.constant" => match module.attribute(op, "value")? {
            Attribute::Integer(value) => value.to_string(),
            _ => return None,
        },
        "arith.index_cast" | "arith.extsi" | "arith.extui" | "arith.trunci" => one.to_owned(),
        "arith.addi" => format!("{one} + {other}"),
        "arith.subi" => format!("{one} - {}", in_brackets(other)),
        "arith.muli" => format!("{} * {}", in_brackets(one), in_brackets(other)),
        "arith.divsi" | "arith.divui" | "arith.floordivsi" => {
            format!("{} / {}", in_brackets(one), in_brackets(other))
        }
        "arith.remsi" | "arith.remui" => {
            format!("{} % {}", in_brackets(one), in_brackets(other))
        }
        "arith.minsi" => format!("min({one}, {other})"),
        "arith.maxsi" => format!("max({one}, {other})"),
        "memref.load" => {
            let indices = op.operands.iter().skip(1).map(|&value| of(values, value));
            format!("{one}[{}]", indices.collect::<Vec<_>>().join(", "))
        }
        _ => return None,
    };
    (text.len() <= MAX_LETTERS).then_some(text)
}

/// Whatever is not a single name or number gets brackets within a product.
fn in_brackets(text: &str) -> String {
    if text.contains(' ') {
        return format!("({text})");
    }
    text.to_owned()
}
