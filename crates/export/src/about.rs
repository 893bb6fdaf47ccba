//! What every report says of itself: by whom it was written, when, and what was taken out of it.

use serde::Serialize;

/// The version of Stepscope that writes.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a report says of itself.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// When it is written, milliseconds since the Unix epoch; absent where nobody looked.
    pub written_epoch_ms: Option<u64>,
    /// What was taken out of the session before; absent where nothing was.
    pub redacted: Option<Redacted>,
}

/// What was taken out of a session before it was reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Redacted {
    /// How many different texts of each kind stand under another name, such as `("source files", 12)`.
    pub replaced: Vec<(String, usize)>,
    /// What is gone, a phrase each.
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
