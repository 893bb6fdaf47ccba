//! Why options were refused, in a sentence for those who have no command line: HTTP and Python.

use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// What is wrong with the options, and what there is instead.
pub(super) fn sentence(error: &Error, command: &Command) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    // `--limit <N>` is the option `--limit`.
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
                    "{option} {value} does not exist; available: {}",
                    known.join(", ")
                )
            }
            _ => format!("{option} {value} is not understood"),
        },
        (ErrorKind::ValueValidation, Some(option)) => {
            format!("{option} {value}: {}", reason(error))
        }
        (ErrorKind::ArgumentConflict, Some(option)) => format!("{option} is given twice"),
        _ => first_line(&error.to_string()),
    }
}

/// An option that the command does not have, and the one that was probably meant.
fn unknown(command: &Command, option: &str) -> String {
    let options = command.get_arguments().filter_map(clap::Arg::get_long);
    let names: Vec<String> = options.map(|name| format!("--{name}")).collect();
    let name = command.get_name();
    if names.is_empty() {
        return format!("{name} has no options, and no {option}");
    }
    let known = names.join(", ");
    let wanted = option.trim_start_matches('-');
    let nearest = names
        .iter()
        .map(|name| (distance(name.trim_start_matches('-'), wanted), name))
        .min();
    match nearest {
        Some((edits, nearest)) if edits <= wanted.chars().count().div_ceil(3) => {
            format!("{name} has no {option}; did you mean {nearest}? There are: {known}")
        }
        _ => format!("{name} has no {option}; available: {known}"),
    }
}

/// Letters to insert, remove or replace to make one word of another.
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

/// Why a value was refused, by those who parse it; numbers in our words.
fn reason(error: &Error) -> String {
    let Some(source) = std::error::Error::source(error) else {
        return "it is not understood".to_owned();
    };
    if let Some(whole) = source.downcast_ref::<ParseIntError>() {
        return match whole.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "the number is too large",
            _ => "a whole number from 0 on is needed",
        }
        .to_owned();
    }
    if source.is::<ParseFloatError>() {
        return "a number is needed".to_owned();
    }
    match source.to_string() {
        text if text.contains("invalid digit") => "a whole number is needed".to_owned(),
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
            text.starts_with("ops has no --stesp; did you mean --steps? There are: --"),
            "{text}"
        );
        let text = refused("ops", "astrology", "3");
        assert!(
            text.starts_with("ops has no --astrology; available: --steps, "),
            "{text}"
        );
        assert!(refused("verdict", "steps", "3").starts_with("verdict has no "));
    }

    #[test]
    fn values_are_refused_in_plain_words() {
        let text = refused("ops", "by", "color");
        assert!(
            text.starts_with("--by color does not exist; available: "),
            "{text}"
        );
        for wrong in ["many", "-1", "1.5", ""] {
            let text = refused("ops", "limit", wrong);
            assert!(text.starts_with("--limit "), "{text}");
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
                assert!(refusal.to_string().ends_with("true or false is needed"));
            }
            count += 1;
        }
        assert!(count > 2, "{count} flags");
    }
}
