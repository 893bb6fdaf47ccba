//! Words that the project does not use, from the last table of `GLOSSARY.md`: none of them stands in
//! the prose of the docs, or in what the program says.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::links;
use crate::tree::SourceFile;

const GLOSSARY: &str = "GLOSSARY.md";
const HEADING: &str = "## Words we do not use";

/// A phrase in lower case, and what to write instead.
struct Word {
    phrase: String,
    instead: String,
}

/// One sentence for each use.
pub(crate) fn violations(root: &Path, files: &[SourceFile]) -> Result<Vec<String>> {
    let path = root.join(GLOSSARY);
    let glossary =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let words = words(&glossary);
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.path != GLOSSARY) {
        let texts = match () {
            () if file.has_extension(&["md"]) => prose(&file.text),
            () if is_program(file) => literals(&file.text),
            () => continue,
        };
        for (line, text) in texts {
            found.extend(uses(&text.to_lowercase(), &words).map(|word| {
                let (phrase, instead) = (&word.phrase, &word.instead);
                format!("{}:{line} says “{phrase}”: write {instead}", file.path)
            }));
        }
    }
    Ok(found)
}

/// The phrases in code spans of the first column; rows without one are for people.
fn words(glossary: &str) -> Vec<Word> {
    let table = glossary.split_once(HEADING).map_or("", |(_, table)| table);
    let rows = table.lines().filter(|line| line.starts_with('|'));
    let words = rows.flat_map(|row| {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        let (phrases, instead) = (cells.next().unwrap_or(""), cells.next().unwrap_or(""));
        let spans = phrases.split('`').skip(1).step_by(2);
        spans.map(|phrase| Word {
            phrase: phrase.to_lowercase(),
            instead: instead.to_owned(),
        })
    });
    words.collect()
}

fn uses<'a>(text: &'a str, words: &'a [Word]) -> impl Iterator<Item = &'a Word> {
    words.iter().filter(|word| {
        text.match_indices(&word.phrase).any(|(start, _)| {
            let before = text[..start].chars().next_back();
            before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
        })
    })
}

/// What the program says to people: the crates but for their tests and those that only test.
fn is_program(file: &SourceFile) -> bool {
    file.path.starts_with("crates/")
        && file.is_below("src")
        && file.has_extension(&["rs"])
        && !file.path.contains("test")
}

/// Lines of Markdown without code; each with its number.
fn prose(text: &str) -> Vec<(usize, String)> {
    let lines = links::prose(text).filter(|(_, line)| !line.starts_with("    "));
    let outside_code = |line: &str| line.split('`').step_by(2).collect::<Vec<&str>>().join("`");
    lines
        .map(|(number, line)| (number, outside_code(line)))
        .collect()
}

/// The string literals of a file of Rust that read like words, up to its tests; each with the number
/// of the line it begins in.
fn literals(text: &str) -> Vec<(usize, String)> {
    let text = text.split("#[cfg(test)]").next().unwrap_or("");
    let mut found = Vec::new();
    let mut letters = text.chars().peekable();
    let mut line = 1;
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => line += 1,
            '/' if letters.peek() == Some(&'/') => {
                // The end of the line is counted with the next letter.
                while letters.next_if(|&next| next != '\n').is_some() {}
            }
            // A letter of its own may be a quotation mark.
            '\'' if letters.peek() == Some(&'"') => {
                letters.next();
            }
            '"' => {
                let (start, mut literal) = (line, String::new());
                while let Some(next) = letters.next() {
                    match next {
                        '"' => break,
                        '\\' => {
                            if letters.next() == Some('\n') {
                                line += 1;
                                while letters.next_if(|next| *next == ' ').is_some() {}
                            }
                        }
                        '\n' => {
                            line += 1;
                            literal.push(' ');
                        }
                        _ => literal.push(next),
                    }
                }
                if literal.contains(' ') {
                    found.push((start, literal));
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "## Words we do not use\n\n| instead of | write |\n|---|---|\n\
                         | `held against`, `hold against` | compared with |\n| begin (noun) | start |\n";

    fn said(texts: &[(usize, String)]) -> Vec<(usize, String)> {
        let words = words(TABLE);
        let said = texts.iter().flat_map(|(line, text)| {
            let text = text.to_lowercase();
            uses(&text, &words)
                .map(|word| (*line, word.phrase.clone()))
                .collect::<Vec<_>>()
        });
        said.collect()
    }

    #[test]
    fn prose_and_not_code() {
        let page =
            "Runs are Held against it.\n```\nheld against\n```\n`held against` upheld against\n";
        assert_eq!(said(&prose(page)), [(1, "held against".to_owned())]);
    }

    #[test]
    fn literals_and_not_comments() {
        let code = "// held against\nlet a = '\"'; let b = \"x\";\nlet c = \"hold \\\n    against it\";\n\
                    let d = \"two\n held against\";\n#[cfg(test)]\nlet e = \"held against \";";
        let expected = [
            (3, "hold against".to_owned()),
            (5, "held against".to_owned()),
        ];
        assert_eq!(said(&literals(code)), expected);
    }
}
