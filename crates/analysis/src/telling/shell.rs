//! Words of commands as a shell reads them.

/// The word, in quotes where a shell would read it otherwise.
///
/// ```
/// use stepscope_analysis::telling::shell;
/// assert_eq!(shell::word("step_time=+2%"), "step_time=+2%");
/// assert_eq!(shell::word("step_time<=150ms"), "'step_time<=150ms'");
/// assert_eq!(shell::word("it's"), r"'it'\''s'");
/// ```
#[must_use]
pub fn word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:=@%+,~".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) && !text.starts_with('~') {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_them() {
        assert_eq!(word("./logs/run 1"), "'./logs/run 1'");
        assert_eq!(word("~me"), "'~me'");
        assert_eq!(word(r"^dot\.3$"), r"'^dot\.3$'");
        assert_eq!(word(""), "''");
    }
}
