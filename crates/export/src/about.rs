//! What every report says about itself: who wrote it, when, and what was redacted.

use std::fmt::Write as _;

use serde::Serialize;

/// The version of Stepscope that writes it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a report says about itself.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// When it was written, in milliseconds since the Unix epoch; absent if unknown.
    pub written_epoch_ms: Option<u64>,
    /// What was redacted; absent if nothing was.
    pub redacted: Option<Redacted>,
    /// The reader's marks on the timeline, as in a link of the page; empty for none.
    pub marks: String,
}

/// What was redacted before the report was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Redacted {
    /// The number of different texts of each kind that were renamed, such as `("source files",
    /// 12)`.
    pub replaced: Vec<(String, usize)>,
    /// What was removed, a phrase each.
    pub removed: Vec<String>,
    /// The distinct words that were kept, by the kind of text that they are in, to be read before
    /// sending.
    pub kept: Vec<(String, Vec<String>)>,
}

impl Redacted {
    /// `Names were replaced: scopes (120), source files (12). Removed: manifests.`
    pub fn sentence(&self) -> String {
        let replaced: Vec<String> = self
            .replaced
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| format!("{kind} ({count})"))
            .collect();
        let mut text = if replaced.is_empty() {
            "No names had to be replaced.".to_owned()
        } else {
            format!("Names were replaced: {}.", replaced.join(", "))
        };
        if !self.removed.is_empty() {
            text.push_str(" Removed: ");
            text.push_str(&self.removed.join(", "));
            text.push('.');
        }
        let kept = self.kept_count();
        if kept > 0 {
            let _ = write!(
                text,
                " Kept: {kept} words of compilers, runtimes and chips."
            );
        }
        text
    }

    /// How many distinct words were kept.
    pub fn kept_count(&self) -> usize {
        self.kept.iter().map(|(_, words)| words.len()).sum()
    }

    /// The words that were kept, one line per kind: `names of events (2): fusion load`.
    pub fn kept_lines(&self) -> Vec<String> {
        let lines = self.kept.iter();
        lines
            .map(|(kind, words)| format!("{kind} ({}): {}", words.len(), words.join(" ")))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redaction_is_told_in_a_sentence() {
        let redacted = Redacted {
            replaced: vec![("ops".to_owned(), 3), ("hosts".to_owned(), 0)],
            removed: vec!["manifests".to_owned()],
            kept: vec![(
                "scopes".to_owned(),
                vec!["add".to_owned(), "while".to_owned()],
            )],
        };
        assert_eq!(
            redacted.sentence(),
            "Names were replaced: ops (3). Removed: manifests. Kept: 2 words of compilers, \
             runtimes and chips."
        );
        assert_eq!(redacted.kept_lines(), ["scopes (2): add while"]);
        assert_eq!(
            Redacted::default().sentence(),
            "No names had to be replaced."
        );
    }
}
