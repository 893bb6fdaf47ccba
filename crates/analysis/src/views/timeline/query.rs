//! What a search looks for: a regular expression, and conditions between spaces.
//!
//! | condition | slices |
//! |---|---|
//! | `dur>1ms`, `dur<=20us` | of this duration: `ps`, `ns`, `us`, `ms`, `s` |
//! | `name:REGEX` | whose own name matches, whatever their op says |
//! | `scope:REGEX` | whose scope matches |
//! | `track:REGEX` | on tracks whose title matches, such as `TPU:0 / XLA Ops` |
//! | `kind:WORD` | of this kind or class: `kernel`, `transfer`, `collective`, … |

use regex::Regex;
use stepscope_model::{Label, Session, TrackId};

use crate::asking::AnalysisError;
use crate::measuring::selection::{compile_pattern, parse_length};
use crate::telling::places::track_title;

/// A parsed search. Conditions that were not given match everything.
pub(super) struct Query {
    /// Examined in names, scopes, sources and HLO texts.
    pub(super) text: Option<Regex>,
    name: Option<Regex>,
    scope: Option<Regex>,
    track: Option<Regex>,
    kind: Option<String>,
    shortest_ps: i64,
    longest_ps: i64,
}

impl Query {
    pub(super) fn parse(query: &str) -> Result<Self, AnalysisError> {
        let mut found = Self {
            text: None,
            name: None,
            scope: None,
            track: None,
            kind: None,
            shortest_ps: i64::MIN,
            longest_ps: i64::MAX,
        };
        let mut words = Vec::new();
        for word in query.split(' ') {
            if !found.add(word)? {
                words.push(word);
            }
        }
        let text = words.join(" ");
        let has_conditions = words.len() < query.split(' ').count();
        if !has_conditions {
            found.text = Some(compile_pattern(query)?);
        } else if !text.trim().is_empty() {
            found.text = Some(compile_pattern(text.trim())?);
        }
        Ok(found)
    }

    /// Adds a word if it is a condition.
    fn add(&mut self, word: &str) -> Result<bool, AnalysisError> {
        let bound = word.strip_prefix("dur");
        if let Some(bound) = bound.filter(|rest| rest.starts_with(['<', '>'])) {
            self.bound(bound)?;
            return Ok(true);
        }
        let Some((key, value)) = word.split_once(':').filter(|(_, value)| !value.is_empty()) else {
            return Ok(false);
        };
        match key {
            "name" => self.name = Some(compile_pattern(value)?),
            "scope" => self.scope = Some(compile_pattern(value)?),
            "track" => self.track = Some(compile_pattern(value)?),
            "kind" => self.kind = Some(value.to_lowercase()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `>1ms`, `<=20us`.
    fn bound(&mut self, bound: &str) -> Result<(), AnalysisError> {
        let is_lower = bound.starts_with('>');
        let rest = bound.trim_start_matches(['<', '>']);
        let (beyond, text) = match rest.strip_prefix('=') {
            Some(text) => (0, text),
            None => (1, rest),
        };
        let duration_ps = parse_length(text)?;
        if is_lower {
            self.shortest_ps = duration_ps.saturating_add(beyond);
        } else {
            self.longest_ps = duration_ps.saturating_sub(beyond);
        }
        Ok(())
    }

    /// Whether slices with the same label may differ in whether they are found.
    pub(super) const fn limits_slices(&self) -> bool {
        self.track.is_some() || self.shortest_ps > i64::MIN || self.longest_ps < i64::MAX
    }

    /// Everything about a label except the text.
    pub(super) fn admits_label(&self, session: &Session, label: &Label) -> bool {
        let kind = self.kind.as_deref();
        let is_kind =
            kind.is_none_or(|kind| [label.kind.name(), label.class.name()].contains(&kind));
        let name = self.name.as_ref();
        let is_named = name.is_none_or(|regex| regex.is_match(session.text(label.name)));
        let scopes = [label.op.map(|op| session.op(op).scope), label.framework_op];
        let scope = self.scope.as_ref();
        let is_in_scope = scope.is_none_or(|regex| {
            let mut scopes = scopes.into_iter().flatten();
            scopes.any(|id| regex.is_match(session.text(id)))
        });
        is_kind && is_named && is_in_scope
    }

    pub(super) fn admits_track(&self, session: &Session, id: TrackId) -> bool {
        let track = self.track.as_ref();
        track.is_none_or(|regex| regex.is_match(&track_title(session, id)))
    }

    pub(super) const fn admits_duration(&self, duration_ps: i64) -> bool {
        self.shortest_ps <= duration_ps && duration_ps <= self.longest_ps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_words_of_their_own() {
        let query = Query::parse("dur>10ps dot dur<=20ps").expect("a query");
        assert_eq!(query.text.as_ref().map(Regex::as_str), Some("dot"));
        assert!(query.limits_slices());
        let admitted = [10, 11, 20, 21].map(|ps| query.admits_duration(ps));
        assert_eq!(admitted, [false, true, true, false]);
        let query = Query::parse("scope:attn kind:Kernel").expect("a query");
        assert!(query.text.is_none() && !query.limits_slices());
    }

    #[test]
    fn other_words_are_text() {
        for text in ["end: dot", "a:b", "scope:", "duration", "dot  add"] {
            let query = Query::parse(text).expect("a query");
            assert_eq!(query.text.as_ref().map(Regex::as_str), Some(text), "{text}");
        }
        assert!(Query::parse("dur>soon").is_err());
        assert!(Query::parse("track:(").is_err());
    }
}
