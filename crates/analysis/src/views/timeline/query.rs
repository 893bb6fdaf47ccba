//! What a search looks for: a regular expression, and conditions between spaces.
//!
//! | condition | slices |
//! |---|---|
//! | `dur>1ms`, `dur<=20us` | of this duration: `ps`, `ns`, `us`, `ms`, `s` |
//! | `name:REGEX` | whose own name matches, whatever their op says |
//! | `scope:REGEX` | whose scope matches |
//! | `track:REGEX` | on tracks whose title matches, such as `TPU:0 / XLA Ops` |
//! | `kind:WORD` | of this kind or class: `kernel`, `transfer`, `collective`, … |
//!
//! `duration` and `class` mean the same as `dur` and `kind`, and spaces may surround what compares.
//! Conditions that are still being typed are left out.

use regex::Regex;
use stepscope_model::{Label, Session, TrackId};

use crate::asking::AnalysisError;
use crate::measuring::selection::{compile_pattern, parse_length};
use crate::telling::places::track_title;

/// Conditions, for whoever wrote another.
const CONDITIONS: &str = "Conditions: dur, name, scope, track, kind";

/// A parsed search. Conditions that were not given match everything.
#[derive(Default)]
pub(super) struct Query {
    /// Examined in names, scopes, sources and HLO texts.
    pub(super) text: Option<Regex>,
    name: Option<Regex>,
    scope: Option<Regex>,
    track: Option<Regex>,
    kind: Option<String>,
    shortest_ps: Option<i64>,
    longest_ps: Option<i64>,
    /// What a condition that is not complete lacks.
    unfinished: Option<&'static str>,
    /// The first word that looks like a condition and is none.
    unknown: Option<String>,
}

impl Query {
    pub(super) fn parse(query: &str) -> Result<Self, AnalysisError> {
        let mut found = Self::default();
        let mut text = Vec::new();
        let words: Vec<&str> = query.split(' ').collect();
        let mut at = 0;
        while at < words.len() {
            let count = found.add(&words[at..])?;
            if count == 0 {
                text.push(words[at]);
            }
            at += count.max(1);
        }
        let has_conditions = text.len() < words.len();
        let text = text.join(" ");
        found.unknown = text.split(' ').find_map(unknown_condition);
        if !has_conditions {
            found.text = Some(compile_pattern(query)?);
        } else if !text.trim().is_empty() {
            found.text = Some(compile_pattern(text.trim())?);
        }
        Ok(found)
    }

    /// Adds what these words begin with if it is a condition. Returns how many words it has.
    fn add(&mut self, words: &[&str]) -> Result<usize, AnalysisError> {
        if let Some((bound, count)) = bound_of(words) {
            self.bound(&bound)?;
            return Ok(count);
        }
        let Some((key, value)) = words[0].split_once(':') else {
            return Ok(0);
        };
        if !["name", "scope", "track", "kind", "class"].contains(&key) {
            return Ok(0);
        }
        let (value, count) = match value {
            "" => word_after(words, 1).unwrap_or(("", words.len())),
            value => (value, 1),
        };
        if value.is_empty() {
            self.unfinished = Some(match key {
                "kind" | "class" => "kind: needs a word, such as kind:collective.",
                _ => "name:, scope: and track: need a text or a regular expression.",
            });
            return Ok(count);
        }
        match key {
            "name" => self.name = Some(compile_pattern(value)?),
            "scope" => self.scope = Some(compile_pattern(value)?),
            "track" => self.track = Some(compile_pattern(value)?),
            _ => self.kind = Some(value.to_lowercase()),
        }
        Ok(count)
    }

    /// `>1ms`, `<=20us`.
    fn bound(&mut self, bound: &str) -> Result<(), AnalysisError> {
        let is_lower = bound.starts_with('>');
        let rest = bound.trim_start_matches(['<', '>']);
        let (beyond, text) = match rest.strip_prefix('=') {
            Some(text) => (0, text),
            None => (1, rest),
        };
        if is_unfinished(text) {
            self.unfinished = Some("dur needs a time with a unit, such as dur>1ms.");
            return Ok(());
        }
        let duration_ps = parse_length(text)?;
        if is_lower {
            self.shortest_ps = Some(duration_ps.saturating_add(beyond));
        } else {
            self.longest_ps = Some(duration_ps.saturating_sub(beyond));
        }
        Ok(())
    }

    /// Whether nothing is to be found: what was typed so far says nothing yet.
    pub(super) const fn is_empty(&self) -> bool {
        let has_pattern = self.text.is_some() || self.name.is_some() || self.scope.is_some();
        let has_word = self.kind.is_some();
        self.unfinished.is_some() && !has_pattern && !has_word && !self.limits_slices()
    }

    /// What to say about how the search was read.
    pub(super) fn remark(&self, match_count: i64) -> Option<String> {
        if let Some(unfinished) = self.unfinished {
            return Some(unfinished.to_owned());
        }
        // A colon may be a part of a name, which then finds something.
        let unknown = self.unknown.as_deref().filter(|_| match_count == 0)?;
        Some(format!("Unknown condition {unknown:?}. {CONDITIONS}."))
    }

    /// Whether slices with the same label may differ in whether they are found.
    pub(super) const fn limits_slices(&self) -> bool {
        self.track.is_some() || self.shortest_ps.is_some() || self.longest_ps.is_some()
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

    pub(super) fn admits_duration(&self, duration_ps: i64) -> bool {
        self.shortest_ps.is_none_or(|least| least <= duration_ps)
            && self.longest_ps.is_none_or(|most| duration_ps <= most)
    }
}

/// The first word at or after a position that is not empty, and how many words end with it.
fn word_after<'a>(words: &[&'a str], from: usize) -> Option<(&'a str, usize)> {
    let mut rest = words.iter().enumerate().skip(from);
    let found = rest.find(|(_, word)| !word.is_empty());
    found.map(|(at, word)| (*word, at + 1))
}

/// A bound of the duration with which these words begin, without its spaces: `dur > 1 ms`.
fn bound_of(words: &[&str]) -> Option<(String, usize)> {
    let compares = |text: &str| text.starts_with(['<', '>']);
    let rest = words[0].strip_prefix("dur")?;
    let rest = rest.strip_prefix("ation").unwrap_or(rest);
    let (sign, mut count) = match rest {
        "" => word_after(words, 1)?,
        rest => (rest, 1),
    };
    if !compares(sign) {
        return None;
    }
    let mut bound = sign.to_owned();
    let mut append = |bound: &mut String, is_part: fn(&str) -> bool| {
        if let Some((word, end)) = word_after(words, count).filter(|(word, _)| is_part(word)) {
            bound.push_str(word);
            count = end;
        }
    };
    if bound.trim_start_matches(['<', '>', '=']).is_empty() {
        append(&mut bound, |_| true);
    }
    if bound.ends_with(|last: char| last.is_ascii_digit()) {
        append(&mut bound, |word| {
            ["ps", "ns", "us", "µs", "ms", "s"].contains(&word)
        });
    }
    Some((bound, count))
}

/// Whether more of a time has to follow: no number yet, or no whole unit. Zero needs none.
fn is_unfinished(text: &str) -> bool {
    let unit = text.trim_start_matches(|each: char| each.is_ascii_digit() || each == '.');
    let is_number = unit.len() < text.len();
    text.is_empty() || text != "0" && is_number && ["", "p", "n", "u", "µ", "m"].contains(&unit)
}

/// The first part of a word that looks like a condition: `step:` of `step:4`, `count>` of `count>3`.
fn unknown_condition(word: &str) -> Option<String> {
    let end = word.find(|each: char| !each.is_ascii_lowercase() && each != '_')?;
    let mark = word[end..].chars().next()?;
    let is_condition = end > 0 && [':', '<', '>'].contains(&mark) && end + 1 < word.len();
    // `std::sort`, `dot->add`.
    let is_other = word[end + 1..].starts_with([':', '-']);
    (is_condition && !is_other).then(|| word[..=end].to_owned())
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
        for text in [
            "end: dot",
            "a:b",
            "durable",
            "duration",
            "dot  add",
            "std::sort",
        ] {
            let query = Query::parse(text).expect("a query");
            assert_eq!(query.text.as_ref().map(Regex::as_str), Some(text), "{text}");
        }
        assert!(Query::parse("dur>soon").is_err());
        assert!(Query::parse("track:(").is_err());
    }

    #[test]
    fn spaces_and_longer_words_mean_the_same() {
        for text in [
            "dur > 10ns dot",
            "dot dur >10ns",
            "duration>10ns dot",
            "dur> 10 ns dot",
            "dot duration  >  10  ns",
        ] {
            let query = Query::parse(text).expect("a query");
            assert_eq!(
                query.text.as_ref().map(Regex::as_str),
                Some("dot"),
                "{text}"
            );
            let admitted = [10_000, 10_001].map(|ps| query.admits_duration(ps));
            assert_eq!(admitted, [false, true], "{text}");
            assert_eq!(query.remark(0), None, "{text}");
        }
        let query = Query::parse("scope: attn class:matmul").expect("a query");
        assert_eq!(query.kind.as_deref(), Some("matmul"));
        assert!(query.text.is_none() && query.scope.is_some());
    }

    #[test]
    fn what_is_still_typed_is_left_out_and_said() {
        for text in [
            "dur>", "dur >", "dur>1", "dur>1.5m", "dur > 1", "scope:", "kind:",
        ] {
            let query = Query::parse(text).expect("a query");
            assert!(query.is_empty(), "{text}");
            assert!(query.remark(0).is_some(), "{text}");
        }
        let query = Query::parse("dot dur>1").expect("a query");
        assert!(!query.is_empty() && query.admits_duration(0));
        assert_eq!(query.text.as_ref().map(Regex::as_str), Some("dot"));
    }

    #[test]
    fn unknown_conditions_are_named_where_nothing_is_found() {
        let remark = |text: &str, count| Query::parse(text).expect("a query").remark(count);
        let said = "Unknown condition \"step:\". Conditions: dur, name, scope, track, kind.";
        assert_eq!(remark("step:4", 0).as_deref(), Some(said));
        assert_eq!(remark("dot step:4", 0).as_deref(), Some(said));
        assert_eq!(remark("step:4", 2), None);
        assert!(remark("count>3", 0).is_some());
        for text in [
            "TPU:0",
            "train.py:7",
            "std::sort",
            "a->b",
            "end: dot",
            "dot",
        ] {
            assert_eq!(remark(text, 0), None, "{text}");
        }
    }
}
