//! `stepscope env`: variables worth setting, what each one does, and whether it is set.

use clap::ArgMatches;
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::output::Output;

/// A variable worth setting.
struct Recommended {
    name: &'static str,
    /// As written in a shell.
    value: &'static str,
    purpose: &'static str,
}

const RECOMMENDED: [Recommended; 4] = [
    Recommended {
        name: "JAX_LOG_COMPILES",
        value: "1",
        purpose: "logs what is compiled and why: compilation during a capture distorts it",
    },
    Recommended {
        name: "JAX_COMPILATION_CACHE_DIR",
        value: "$HOME/tmp/jax_cache",
        purpose: "caches compiled programs, so that the next run warms up faster",
    },
    Recommended {
        name: "XLA_PYTHON_CLIENT_PREALLOCATE",
        value: "false",
        purpose: "allocates GPU memory on demand: less fragmentation, and room for the tracer",
    },
    Recommended {
        name: "TF_CPP_MIN_LOG_LEVEL",
        value: "0",
        purpose: "shows messages from XLA and CUPTI, which say why device rows are empty",
    },
];

/// Prints them in shell syntax: `eval "$(stepscope env)"` sets them.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let state = |variable: &Recommended| std::env::var(variable.name).ok();
    if arguments.get_flag("json") {
        let rows: Vec<_> = RECOMMENDED
            .iter()
            .map(|variable| {
                json!({
                    "name": variable.name,
                    "recommended": variable.value,
                    "value": state(variable),
                    "purpose": variable.purpose,
                })
            })
            .collect();
        output.json(&json!({ "variables": rows }).to_string())?;
        return Ok(Exit::Fine);
    }
    let mut text = String::new();
    for variable in &RECOMMENDED {
        let now = match state(variable) {
            Some(value) => format!("now: {}", value.escape_debug()),
            None => "not set".to_owned(),
        };
        text.push_str("# ");
        text.push_str(&[variable.purpose, " (", &now, ")"].concat());
        text.push('\n');
        text.push_str(&["export ", variable.name, "=", variable.value, "\n"].concat());
    }
    output.text(&text)?;
    Ok(Exit::Fine)
}
