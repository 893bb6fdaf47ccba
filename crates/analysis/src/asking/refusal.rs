//! Why options are invalid, as one sentence for HTTP and Python, which have no command line.

use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// What is wrong with the options, and which values are available.
pub(super) fn sentence(error: &Error, command: &Command) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    // Reduces `--limit <N>` to `--limit`.
    let option =
        text(ContextKind::InvalidArg).map(|usage| usage.split(' ').next().unwrap_or(usage));
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
    match (error.kind(), option) {
        (ErrorKind::UnknownArgument, Some(option)) => unknown(command, option),
        (ErrorKind::InvalidValue, Some(option)) if value.is_empty() => {
            format!("{option} needs a value")
        }
        (ErrorKind::InvalidValue, Some(option)) => match error.get(ContextKind::ValidValue) {
            Some(ContextValue::Strings(known)) if !known.is_empty() => {
                format!(
                    "invalid value for {option}: {value}; available: {}",
                    known.join(", ")
                )
            }
            _ => format!("invalid value for {option}: {value}"),
        },
        (ErrorKind::ValueValidation, Some(option)) => {
            format!("{option} {value}: {}", reason(error))
        }
        (ErrorKind::ArgumentConflict, Some(option)) => format!("{option} was given twice"),
        _ => first_line(&error.to_string()),
    }
}

/// The message for an unknown option, with the option that was probably meant.
fn unknown(command: &Command, option: &str) -> String {
    let options = command.get_arguments().filter_map(clap::Arg::get_long);
    let names: Vec<String> = options.map(|name| format!("--{name}")).collect();
    let name = command.get_name();
    if names.is_empty() {
        return format!("unknown option {option}: {name} has no options");
    }
    let known = names.join(", ");
    let wanted = option.trim_start_matches('-');
    let nearest = names
        .iter()
        .map(|name| (distance(name.trim_start_matches('-'), wanted), name))
        .min();
    match nearest {
        Some((edits, nearest)) if edits <= wanted.chars().count().div_ceil(3) => {
            format!("{name} has no {option}; did you mean {nearest}? Available: {known}")
        }
        _ => format!("{name} has no {option}; available: {known}"),
    }
}

/// Edit distance: letters to insert, remove or replace to turn one word into the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(100).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], line + 1);
        for (column, &wanted) in other.iter().enumerate() {
            let replaced = corner + usize::from(letter != wanted);
            corner = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(corner + 1);
        }
    }
    row[other.len()]
}

/// Why a value is invalid, in the parser's words, or in ours for numbers.
fn reason(error: &Error) -> String {
    let Some(source) = std::error::Error::source(error) else {
        return "invalid value".to_owned();
    };
    if let Some(whole) = source.downcast_ref::<ParseIntError>() {
        return match whole.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "the number is too large",
            _ => "must be a whole number, 0 or more",
        }
        .to_owned();
    }
    if source.is::<ParseFloatError>() {
        return "must be a number".to_owned();
    }
    match source.to_string() {
        text if text.contains("invalid digit") => "must be a whole number".to_owned(),
        text => text,
    }
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use crate::catalogue::{ANALYSES, find};

    fn refused(analysis: &str, name: &str, value: &str) -> String {
        let entry = find(analysis).expect("an analysis");
        let refusal = entry.matches([(name, value)]).expect_err("it is wrong");
        refusal.to_string()
    }

    #[test]
    fn the_nearest_option_is_named() {
        let text = refused("ops", "stesp", "3");
        assert!(
            text.starts_with("ops has no --stesp; did you mean --steps? Available: --"),
            "{text}"
        );
        let text = refused("ops", "astrology", "3");
        assert!(
            text.starts_with("ops has no --astrology; available: --steps, "),
            "{text}"
        );
        assert!(refused("verdict", "steps", "3").ends_with("verdict has no options"));
    }

    #[test]
    fn values_are_refused_in_plain_words() {
        let text = refused("ops", "by", "color");
        assert!(
            text.starts_with("invalid value for --by: color; available: "),
            "{text}"
        );
        for wrong in ["many", "-1", "1.5", ""] {
            let text = refused("ops", "limit", wrong);
            assert!(text.contains("--limit "), "{text}");
            assert!(!text.contains("digit") && !text.contains("Usage"), "{text}");
        }
    }

    #[test]
    fn flags_are_true_or_false_and_nothing_else() {
        let flags = ANALYSES.iter().flat_map(|entry| {
            let command = entry.command();
            let flags = command
                .get_arguments()
                .filter(|one| !one.get_action().takes_values());
            let names: Vec<String> = flags
                .filter_map(|one| one.get_long().map(str::to_owned))
                .collect();
            names.into_iter().map(move |name| (entry, name))
        });
        let mut count = 0;
        for (entry, flag) in flags {
            for fine in ["true", "1", "false", "0"] {
                assert!(
                    entry.matches([(flag.as_str(), fine)]).is_ok(),
                    "{flag}={fine}"
                );
            }
            for wrong in ["yes", "no", "True", ""] {
                let refusal = entry.matches([(flag.as_str(), wrong)]).expect_err(&flag);
                assert!(refusal.to_string().ends_with("must be true or false"));
            }
            count += 1;
        }
        assert!(count > 2, "{count} flags");
    }
}
