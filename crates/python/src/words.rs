//! Messages in Python terms: options are keywords, `--steps 3` is `steps=3`.

use std::fmt::Write as _;

/// Python keywords that are also names of our options.
const RESERVED: [&str; 2] = ["class", "from"];

/// Options whose keyword has another name.
const RENAMED: [(&str, &str); 1] = [("max-size", "max_bytes")];

/// What replaces documentation pages in an installed package.
const PAGES: [(&str, &str); 1] = [("docs/guides/gate.md", "help(stepscope.gate)")];

/// The keyword of an option.
pub(crate) fn keyword(option: &str) -> String {
    let option = option.trim_start_matches('-');
    if let Some((_, renamed)) = RENAMED.iter().find(|(name, _)| *name == option) {
        return (*renamed).to_owned();
    }
    let mut keyword = option.replace('-', "_");
    if RESERVED.contains(&keyword.as_str()) {
        keyword.push('_');
    }
    keyword
}

/// A message in which options are keywords. Values are shown for the options that were given. Text
/// in backticks that starts with `stepscope` is a command and stays unchanged.
pub(crate) fn in_python(text: &str, given: &[(String, String)]) -> String {
    let mut text = text.to_owned();
    for (page, help) in PAGES {
        text = text.replace(page, help);
    }
    let mut told = String::with_capacity(text.len());
    for (position, part) in text.split('`').enumerate() {
        if position > 0 {
            told.push('`');
        }
        if position % 2 == 1 && part.starts_with("stepscope ") {
            told.push_str(part);
        } else {
            push_keywords(&mut told, part, given);
        }
    }
    told
}

fn push_keywords(told: &mut String, text: &str, given: &[(String, String)]) {
    let mut rest = text;
    while let Some(start) = rest.find("--") {
        let (before, found) = rest.split_at(start);
        told.push_str(before);
        let after = &found[2..];
        let length = after
            .find(|letter: char| !letter.is_ascii_lowercase() && letter != '-')
            .unwrap_or(after.len());
        let name = after[..length].trim_end_matches('-');
        let follows = &after[name.len()..];
        let is_word =
            before.ends_with(|letter: char| letter.is_alphanumeric() || "=\"-".contains(letter));
        if name.is_empty()
            || is_word
            || follows.starts_with(|next: char| next == '_' || next.is_ascii_digit())
        {
            told.push_str("--");
            rest = after;
            continue;
        }
        told.push_str(&keyword(name));
        rest = push_value(told, name, follows, given);
    }
    told.push_str(rest);
}

/// Appends `=` and the value of the option, if there is one; returns the rest.
fn push_value<'t>(
    told: &mut String,
    name: &str,
    follows: &'t str,
    given: &[(String, String)],
) -> &'t str {
    told.push('=');
    let after_colon = follows.strip_prefix(": ");
    let Some(value_and_more) = after_colon.or_else(|| follows.strip_prefix(' ')) else {
        return follows;
    };
    let values = given.iter().filter(|(option, _)| option == name);
    let value = values.map(|(_, value)| value.as_str()).find(|value| {
        let more = value_and_more.strip_prefix(value);
        !value.is_empty() && more.is_some_and(|more| !more.starts_with(char::is_alphanumeric))
    });
    if let Some(value) = value {
        let is_number = value.parse::<i64>().is_ok();
        if is_number {
            told.push_str(value);
        } else {
            let _ = write!(told, "{value:?}");
        }
        return &value_and_more[value.len()..];
    }
    // A placeholder such as FILE, or a quoted text, belongs to the option.
    let is_placeholder = |next: char| next.is_ascii_uppercase() || next == '"';
    if after_colon.is_none() && value_and_more.starts_with(is_placeholder) {
        return value_and_more;
    }
    follows
}
