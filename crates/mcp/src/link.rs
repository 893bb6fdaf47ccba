//! Where a person sees the evidence: the address of the page, or the command that serves it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use stepscope_storage::shown;

use crate::roots::Chosen;

/// As in `ui/src/shell/hash.ts`.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b',')
    .remove(b':')
    .remove(b'/')
    .remove(b'@')
    .remove(b'$')
    .remove(b';')
    .remove(b'[')
    .remove(b']');

/// Options of analyses that the page has as parameters of the same name.
const SELECTION: [&str; 7] = [
    "steps", "series", "time", "device", "host", "program", "match",
];

/// A view of a session with the selection among these options. `page` is the address of the server
/// of the pages.
pub(crate) fn open(
    page: Option<&str>,
    chosen: &Chosen<'_>,
    view: &str,
    options: &[(String, String)],
) -> String {
    let hash = place(chosen, view, options);
    match page {
        Some(page) => format!("{}/{hash}", page.trim_end_matches('/')),
        None => format!(
            "`stepscope view {}` prints an address; add {hash}",
            quoted(&shown(&chosen.root.path))
        ),
    }
}

/// A view of a session within the pages: what follows their address.
pub(crate) fn place(chosen: &Chosen<'_>, view: &str, options: &[(String, String)]) -> String {
    let mut given: Vec<&(String, String)> = options
        .iter()
        .filter(|(name, value)| SELECTION.contains(&name.as_str()) && !value.is_empty())
        .collect();
    given.sort();
    let given: Vec<String> = given
        .iter()
        .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, ESCAPED)))
        .collect();
    let question = if given.is_empty() { "" } else { "?" };
    format!(
        "#/s/{}/{view}{question}{}",
        chosen.summary.key,
        given.join("&")
    )
}

/// A word of a shell.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-~:@+=,".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The address of the server of the pages, without what follows its path: a token has no place in
/// answers.
pub(crate) fn base(page: &str) -> String {
    let end = page.find(['?', '#']).unwrap_or(page.len());
    page[..end].trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_left_out() {
        assert_eq!(
            base("http://127.0.0.1:6006/?token=x#/s"),
            "http://127.0.0.1:6006"
        );
        assert_eq!(base("http://lab/stepscope/"), "http://lab/stepscope");
    }

    #[test]
    fn paths_are_words_of_a_shell() {
        assert_eq!(quoted("/logs/a-b"), "/logs/a-b");
        assert_eq!(quoted("/my logs/$(x)'"), r"'/my logs/$(x)'\'''");
    }
}
