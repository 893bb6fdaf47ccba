//! Commands in our own sentences, so that they can be pasted: with the path that was typed.
//!
//! Reports do not know where their session comes from, so their commands have the word PATH:
//! `` `stepscope ops PATH --match '^dot$'` ``. JSON, CSV and pages keep it.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::ArgMatches;
use stepscope_analysis::telling::shell;
use stepscope_analysis::{Cell, Note, Table};
use stepscope_storage::hide_credentials;

use crate::format::{self, Charset};

const PROGRAM: &str = "stepscope ";
const PLACEHOLDER: &str = " PATH";

/// What stands for PATH; nothing if it is unknown, several, or unfit to print.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pasted(Option<Typed>);

#[derive(Debug, Clone)]
struct Typed {
    path: String,
    /// The same and the session.
    whole: String,
}

/// The command that lists sessions takes none.
const LISTS: &str = "sessions";

impl Pasted {
    /// The one path of a command line, and its session.
    pub(crate) fn of(arguments: &ArgMatches) -> Self {
        let typed = |name: &str| -> Option<String> {
            if let Ok(Some(mut many)) = arguments.try_get_many::<PathBuf>(name) {
                let first = many.next()?.to_str()?.to_owned();
                return many.next().is_none().then_some(first);
            }
            let mut many = arguments.try_get_many::<String>(name).ok()??;
            let first = many.next()?.clone();
            many.next().is_none().then_some(first)
        };
        let is_given = |name: &str| {
            let values = arguments.try_get_raw(name).ok().flatten();
            values.is_some_and(|mut values| values.next().is_some())
        };
        let path = typed("path").and_then(|path| printable(&path));
        if !is_given("session") {
            return Self(path.map(Typed::alone));
        }
        let session = typed("session").and_then(|session| printable(&session));
        Self(path.zip(session).map(|(path, session)| Typed {
            whole: format!("{path} --session {session}"),
            path,
        }))
    }

    /// The sentence with the path in its commands.
    pub(crate) fn sentence<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some(typed) = &self.0 else {
            return Cow::Borrowed(text);
        };
        let mut whole = String::new();
        let mut done = 0;
        for (at, _) in text.match_indices(PROGRAM) {
            let command = &text[at + PROGRAM.len()..];
            let word = command
                .find(|letter: char| !letter.is_ascii_lowercase() && letter != '_')
                .unwrap_or(command.len());
            let Some(rest) = command[word..].strip_prefix(PLACEHOLDER) else {
                continue;
            };
            // `PATH@NAME` and the like are explanations.
            if word == 0 || rest.starts_with(|next: char| next.is_alphanumeric() || next == '@') {
                continue;
            }
            let end = text.len() - rest.len();
            whole.push_str(&text[done..=end - PLACEHOLDER.len()]);
            let lists = &command[..word] == LISTS;
            whole.push_str(if lists { &typed.path } else { &typed.whole });
            done = end;
        }
        if done == 0 {
            return Cow::Borrowed(text);
        }
        whole.push_str(&text[done..]);
        Cow::Owned(whole)
    }

    /// `text` with a command such as `advice` at its end. That is not cut: a longer line can be pasted.
    pub(crate) fn line(&self, text: &str, command: &str) -> String {
        let whole = format!("{text} `stepscope {command} PATH`");
        self.sentence(&whole).into_owned()
    }

    /// The same of several sentences.
    pub(crate) fn sentences(&self, lines: &[String]) -> Vec<String> {
        let lines = lines.iter();
        lines.map(|line| self.sentence(line).into_owned()).collect()
    }

    /// The same of notes and their hints.
    pub(crate) fn notes(&self, notes: &[Note]) -> Vec<Note> {
        let mut notes = notes.to_vec();
        for note in &mut notes {
            for text in [&mut note.text, &mut note.hint] {
                if let Cow::Owned(pasted) = self.sentence(text) {
                    *text = pasted;
                }
            }
        }
        notes
    }

    /// The same of the cells of a table.
    pub(crate) fn table(&self, table: &mut Table) {
        for cell in table.rows.iter_mut().flatten() {
            if let Cell::Text(text) = cell
                && let Cow::Owned(pasted) = self.sentence(text)
            {
                *text = pasted;
            }
        }
    }
}

impl Typed {
    fn alone(path: String) -> Self {
        Self {
            whole: path.clone(),
            path,
        }
    }
}

/// A word as a shell reads it; none if printing changes it, or if it holds what must not be shown.
fn printable(word: &str) -> Option<String> {
    let is_safe = !word.contains('`')
        && hide_credentials(word) == word
        && Charset::Ascii.text(&format::one_line(word)) == word;
    is_safe.then(|| shell::word(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pasted(path: &str) -> Pasted {
        Pasted(printable(path).map(Typed::alone))
    }

    #[test]
    fn a_list_of_sessions_is_asked_for_without_one() {
        let typed = Pasted(Some(Typed {
            path: "logs".to_owned(),
            whole: "logs --session 7".to_owned(),
        }));
        assert_eq!(
            typed.sentence("`stepscope ops PATH`, `stepscope sessions PATH`"),
            "`stepscope ops logs --session 7`, `stepscope sessions logs`"
        );
    }

    #[test]
    fn commands_have_the_path_that_was_typed() {
        let text = "x (`stepscope ops PATH --match '^a$'`); `stepscope heap PATH` too";
        assert_eq!(
            pasted("./my logs").sentence(text),
            "x (`stepscope ops './my logs' --match '^a$'`); `stepscope heap './my logs'` too"
        );
        assert_eq!(
            pasted("it's").sentence("stepscope ops PATH"),
            r"stepscope ops 'it'\''s'"
        );
        assert_eq!(
            pasted("gs://b/x").sentence("stepscope ops PATH"),
            "stepscope ops gs://b/x"
        );
    }

    #[test]
    fn other_words_stay() {
        for text in [
            "a session of PATH",
            "`stepscope doctor --python PATH`",
            "stepscope compare PATH@NAME",
            "stepscope view ssh://HOST/PATH",
            "stepscope PATH",
        ] {
            assert_eq!(pasted("logs").sentence(text), text);
        }
    }

    #[test]
    fn what_cannot_be_printed_as_it_is_stays_a_word() {
        for path in ["a`b", "a\nb", "https://me:secret@host/x"] {
            assert_eq!(
                pasted(path).sentence("stepscope ops PATH"),
                "stepscope ops PATH"
            );
        }
    }
}
