//! The lists of analyses and comparisons as JSON, for `cargo xtask codegen`: written by a test, as
//! ts-rs writes types.

use std::any::TypeId;

use clap::{Arg, ArgAction};
use serde_json::{Value, json};

use stepscope_analysis::asking::{Asks, Declaration};
use stepscope_analysis::catalogue::{ANALYSES, COMPARISONS, words};
use stepscope_analysis::telling::{
    Adds, Better, Declared, DeclaredColumn, Identity, Unit, Word, Words,
};

/// Names the file to write; without it nothing is written.
const VARIABLE: &str = "STEPSCOPE_REGISTRY_EXPORT";

fn entry(entry: &Declaration) -> Value {
    let command = entry.command();
    let options = command.get_arguments().filter_map(option);
    json!({
        "name": entry.name,
        "aliases": entry.aliases,
        "summary": entry.summary,
        "options": options.collect::<Vec<_>>(),
        "figures": entry.figures().iter().map(column).collect::<Vec<_>>(),
        "tables": entry.tables().iter().map(table).collect::<Vec<_>>(),
    })
}

fn kind_of_words(kind: &Words) -> Value {
    let word = |word: &Word| {
        let meaning: Vec<&str> = word.meaning.split_whitespace().collect();
        json!({ "key": word.key, "title": word.title, "meaning": meaning.join(" ") })
    };
    let words: Vec<Value> = kind.words.iter().map(word).collect();
    json!({ "name": kind.name, "words": words })
}

fn table(table: &Declared) -> Value {
    let columns = table.columns.iter().map(column);
    json!({ "key": table.key, "columns": columns.collect::<Vec<_>>() })
}

fn column(declared: &DeclaredColumn) -> Value {
    let column = &declared.column;
    json!({
        "key": column.key,
        "title": column.header,
        "unit": unit(column.unit),
        "meaning": declared.meaning,
        "formula": column.formula,
        "adds": match column.adds {
            Adds::OverSteps => "over_steps",
            Adds::OverRows => "over_rows",
            Adds::No => "no",
        },
        "better": match column.better {
            Better::Less => "less",
            Better::More => "more",
            Better::Neither => "neither",
            Better::Incomparable => "incomparable",
        },
        "identity": match column.identity {
            Identity::None => None,
            Identity::Same => Some("same"),
            Identity::Unnumbered => Some("unnumbered"),
            Identity::Op => Some("op"),
            Identity::Step => Some("step"),
            Identity::Order => Some("order"),
        },
        "is_essential": column.is_essential,
    })
}

/// The unit as the page names it; null for what is no number.
fn unit(unit: Unit) -> Option<&'static str> {
    Some(match unit {
        Unit::Text | Unit::Flag => return None,
        Unit::Count => "count",
        Unit::Picos => "duration",
        Unit::Bytes => "bytes",
        Unit::Ratio => "ratio",
        Unit::Flops => "flops",
        Unit::FlopRate => "flop_rate",
        Unit::ByteRate => "bandwidth",
    })
}

fn option(argument: &Arg) -> Option<Value> {
    let name = argument.get_long()?;
    let help = argument.get_help().map(ToString::to_string);
    let defaults = argument.get_default_values().first();
    let values = argument.get_possible_values();
    let values: Vec<&str> = values
        .iter()
        .map(clap::builder::PossibleValue::get_name)
        .collect();
    Some(json!({
        "name": name,
        "help": help.unwrap_or_default(),
        "default": defaults.map(|value| value.to_string_lossy()),
        "values": if kind(argument) == "flag" { Vec::new() } else { values },
        "kind": kind(argument),
    }))
}

/// What values the option takes, in one word.
fn kind(argument: &Arg) -> &'static str {
    let parsed = argument.get_value_parser().type_id();
    let is_one_of = |types: &[TypeId]| types.iter().any(|&of| parsed == of);
    let whole = [
        TypeId::of::<usize>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<i64>(),
    ];
    match argument.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => "flag",
        _ if is_one_of(&whole) => "whole",
        _ if is_one_of(&[TypeId::of::<f64>()]) => "number",
        _ if argument.get_long() == Some("steps") => "steps",
        _ => "text",
    }
}

#[test]
fn export_bindings_of_the_registry() {
    let analyses: Vec<Value> = ANALYSES.iter().map(|one| entry(one)).collect();
    let comparisons = COMPARISONS.iter().map(|one| {
        let mut value = entry(one);
        value["asks_every_session"] = json!(one.asks == Asks::EverySession);
        value["least_sessions"] = json!(one.least_sessions);
        value
    });
    let comparisons: Vec<Value> = comparisons.collect();
    assert!(!analyses.is_empty() && !comparisons.is_empty());
    if let Some(path) = std::env::var_os(VARIABLE) {
        let all = json!({
            "analyses": analyses,
            "comparisons": comparisons,
            "words": words().iter().map(kind_of_words).collect::<Vec<_>>(),
        });
        let text = all.to_string();
        std::fs::write(&path, text).expect("the folder exists and can be written");
    }
}
