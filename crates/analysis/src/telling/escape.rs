//! Texts of a profile made harmless for where they are shown: one function each for a line of
//! plain text, Markdown, HTML and a cell of CSV.
//!
//! Names come from programs and files, so they may contain anything: markup, formulas, escape
//! sequences of terminals, signs that reverse the text around them.

use std::borrow::Cow;
use std::fmt::Write;

/// A text on one line in which every character can be seen: line breaks and tabs are spaces,
/// other control characters and those that change the direction of text are written as
/// `\u{202e}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(|letter: char| is_blank(letter) || is_hidden(letter)) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if is_blank(letter) {
            line.push(' ');
        } else {
            push_visible(&mut line, letter);
        }
    }
    Cow::Owned(line)
}

/// Text on one line in which nothing is Markdown or HTML, and that mentions nobody.
pub fn markdown(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in visible(text).chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => {
                line.push('\\');
                line.push(letter);
            }
            '<' => line.push_str("&lt;"),
            '>' => line.push_str("&gt;"),
            '&' => line.push_str("&amp;"),
            // So that no user is mentioned in the issue.
            '@' => line.push_str("&#64;"),
            letter => line.push(letter),
        }
    }
    line
}

/// Text of an element or an attribute of HTML and XML.
pub fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in visible(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// The text of a cell of CSV before it is quoted. A spreadsheet would compute a text that begins
/// like a formula, so an apostrophe precedes it; a number stays one. Line breaks stay.
pub(super) fn cell(text: &str) -> Cow<'_, str> {
    let is_formula = text.len() > 1
        && text.starts_with(['=', '+', '-', '@', '\t', '\r'])
        && text.parse::<f64>().is_err();
    let is_odd = |letter: char| is_hidden(letter) || letter == '\r';
    if !is_formula && !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    if is_formula {
        out.push('\'');
    }
    for letter in text.chars() {
        push_visible(&mut out, letter);
    }
    Cow::Owned(out)
}

fn push_visible(out: &mut String, letter: char) {
    if is_hidden(letter) || letter == '\r' {
        let written = write!(out, "\\u{{{:x}}}", u32::from(letter));
        debug_assert!(written.is_ok(), "a String takes everything");
    } else {
        out.push(letter);
    }
}

const fn is_blank(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\t')
}

/// Control characters other than blanks, and signs without a shape that move or hide text.
fn is_hidden(letter: char) -> bool {
    letter.is_control() && !is_blank(letter)
        || matches!(
            letter,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        assert_eq!(visible("dot.1"), "dot.1");
        assert_eq!(visible("a\nb\tc"), "a b c");
        assert_eq!(visible("\u{1b}[31mred\u{7}"), "\\u{1b}[31mred\\u{7}");
        assert_eq!(visible("gnp.\u{202e}exe"), "gnp.\\u{202e}exe");
    }

    #[test]
    fn markup_reads_literally() {
        assert_eq!(
            markdown("a|b_*<i>@me\u{1b}"),
            "a\\|b\\_\\*&lt;i&gt;&#64;me\\\\u{1b}"
        );
        assert_eq!(
            html("<a href=\"x\">'&\u{202e}"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\\u{202e}"
        );
    }

    #[test]
    fn a_cell_is_never_a_formula() {
        for formula in [
            "=1+1",
            "+cmd|' /C calc'!A0",
            "-2+3",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
        ] {
            assert!(cell(formula).starts_with('\''), "{formula:?}");
        }
        for number in ["-5", "+1.5", "-1e-9", "-", "a=b", ""] {
            assert_eq!(cell(number), number);
        }
        assert_eq!(cell("a\u{1b}\u{202e}b\nc"), "a\\u{1b}\\u{202e}b\nc");
    }
}
