//! What every report says about itself: who wrote it, when, and what was redacted.

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
}

/// What was redacted before the report was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Redacted {
    /// The number of different texts of each kind that were renamed, such as `("source files",
    /// 12)`.
    pub replaced: Vec<(String, usize)>,
    /// What was removed, a phrase each.
    pub removed: Vec<String>,
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
        text
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
        };
        assert_eq!(
            redacted.sentence(),
            "Names were replaced: ops (3). Removed: manifests."
        );
        assert_eq!(
            Redacted::default().sentence(),
            "No names had to be replaced."
        );
    }
}
