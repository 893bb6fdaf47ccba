//! What differs between two programs of a function whose arguments have the same shapes, in words.

use stepscope_model::Program;
use stepscope_model::hlo::{ChangedValue, Difference, Side, difference};

use crate::telling::format;
use crate::telling::places::line_of;

/// How a change begins that is none of shapes or types.
pub(crate) const SAME_SHAPES: &str = "same shapes";

/// How it begins if the programs are the same.
pub(crate) const SAME_PROGRAM: &str = "same shapes and the same program";

/// What it is if the program made JAX forget the first one.
pub(crate) const FORGOTTEN: &str =
    "same shapes and the same program: the program had cleared JAX's caches (jax.clear_caches)";

/// How it begins if only values within the program differ.
pub(crate) const OTHER_VALUES: &str = "same shapes, other values in the program";

/// Maximum number of changed values that are listed.
const MOST_VALUES: usize = 2;

/// Larger programs take too long to compare.
const MOST_INSTRUCTIONS: usize = 200_000;

/// What differs, beginning with [`SAME_SHAPES`].
pub(super) fn change(before: &Program, after: &Program, has_many_devices: bool) -> String {
    let Some(found) = compared(before, after) else {
        return format!("{SAME_SHAPES}; the programs are too large to be compared");
    };
    match found {
        Difference::None => {
            let sharding = if has_many_devices { "a sharding, " } else { "" };
            format!(
                "{SAME_PROGRAM}: {sharding}a Python number instead of an array, arguments of another \
                 structure (pytree), or a re-created function"
            )
        }
        Difference::Values(values) => format!(
            "{OTHER_VALUES}: {}; a static argument, or what the function takes from outside",
            values_in_words(&values)
        ),
        Difference::Ops { changed, source } => {
            let line = source.as_deref().map(line_of);
            let first = line.map_or_else(String::new, |line| format!(", first at {line}"));
            format!(
                "{SAME_SHAPES}, another program ({}{first}): a static argument, what the function takes \
                 from outside, or an `if` in Python",
                format::counted(changed, "other instruction")
            )
        }
    }
}

fn compared(before: &Program, after: &Program) -> Option<Difference> {
    let [old, new] = [before, after].map(|program| {
        let hlo = program.hlo.as_ref()?;
        let is_small = hlo.instructions().len() <= MOST_INSTRUCTIONS;
        is_small.then(|| Side {
            program: hlo,
            bytes: program.hlo_bytes(),
        })
    });
    Some(difference(old?, new?))
}

/// `3 → 4 (train.py:12) and 1 more`
fn values_in_words(values: &[ChangedValue]) -> String {
    let told: Vec<String> = values
        .iter()
        .take(MOST_VALUES)
        .map(value_in_words)
        .collect();
    let more = values.len() - told.len();
    let told = told.join(", ");
    if more == 0 {
        return told;
    }
    format!("{told} and {more} more")
}

fn value_in_words(value: &ChangedValue) -> String {
    let line = value.source.as_deref().map(line_of);
    let place = line.map_or_else(String::new, |line| format!(" ({line})"));
    match &value.values {
        Some((before, after)) => format!("{before} → {after}{place}"),
        None => format!("an array {}{place}", without_layout(value.shape.clone())),
    }
}

/// `f32[32,64]` for `f32[32,64]{1,0}`.
pub(super) fn without_layout(text: String) -> String {
    match text.split_once('{') {
        Some((head, _)) if !text.starts_with('(') => head.to_owned(),
        _ => text,
    }
}
