//! Selecting slices: the selection of every analysis, and properties of timeline rows.

use stepscope_analysis::measuring::selection::Parts;
use stepscope_analysis::{AnalysisError, Selection};
use stepscope_model::{Class, LabelId, Session, SliceKind, TrackId};

use crate::Pairs;

/// Selects slices. Each part narrows the others; an empty list does not.
#[derive(Debug, Clone, Default)]
pub struct SliceQuery {
    /// Steps, times, devices, hosts, programs, and a pattern for names.
    pub selection: Selection,
    /// Tracks by number or by part of their name, case-insensitive.
    pub tracks: Vec<String>,
    /// Kinds of slices.
    pub kinds: Vec<SliceKind>,
    /// Classes of slices.
    pub classes: Vec<Class>,
    /// Leave out host threads, which belong to no device.
    pub is_of_devices_only: bool,
}

/// A query resolved against a session.
pub(super) struct Wanted {
    pub(super) parts: Parts,
    /// For each track, whether it is selected.
    pub(super) tracks: Vec<bool>,
}

impl SliceQuery {
    /// From options as name and value: those of a [`Selection`], and `track`, `kind`, `class`, each
    /// with one or several comma-separated words. With `device`, host threads are left out.
    ///
    /// # Errors
    ///
    /// An unknown option or word.
    pub fn of_pairs(options: &Pairs) -> Result<Self, AnalysisError> {
        let mut query = Self {
            selection: crate::selection(options),
            is_of_devices_only: options.iter().any(|(name, _)| name == "device"),
            ..Self::default()
        };
        for (name, value) in options {
            let words = || {
                value
                    .split(',')
                    .map(str::trim)
                    .filter(|word| !word.is_empty())
            };
            match name.as_str() {
                "steps" | "time" | "device" | "host" | "program" | "match" => {}
                "track" => query.tracks = words().map(str::to_lowercase).collect(),
                "kind" => query.kinds = known(name, words(), &SliceKind::ALL, SliceKind::name)?,
                "class" => query.classes = known(name, words(), &Class::ALL, Class::name)?,
                _ => return Err(AnalysisError::Options(format!("slices have no --{name}"))),
            }
        }
        Ok(query)
    }

    pub(super) fn resolve(&self, session: &Session) -> Result<Wanted, AnalysisError> {
        let mut parts = self.selection.parts(session)?;
        if self.is_of_devices_only {
            parts.hosts.fill(None);
        }
        if !self.kinds.is_empty() || !self.classes.is_empty() {
            let labels = (0..session.labels.len()).map(|index| {
                let label = session.label(LabelId::from_index(index));
                let is_selected = parts.labels.as_ref().is_none_or(|labels| labels[index]);
                is_selected
                    && (self.kinds.is_empty() || self.kinds.contains(&label.kind))
                    && (self.classes.is_empty() || self.classes.contains(&label.class))
            });
            parts.labels = Some(labels.collect());
        }
        Ok(Wanted {
            tracks: self.wanted_tracks(session)?,
            parts,
        })
    }

    fn wanted_tracks(&self, session: &Session) -> Result<Vec<bool>, AnalysisError> {
        let is_wanted = |id: TrackId| {
            let name = session.text(session.track(id).name).to_lowercase();
            let by_word = |word: &String| match word.parse::<u32>() {
                Ok(number) => number == id.0,
                Err(_) => name.contains(word),
            };
            self.tracks.is_empty() || self.tracks.iter().any(by_word)
        };
        let tracks: Vec<bool> = session.track_ids().map(is_wanted).collect();
        if tracks.contains(&true) || tracks.is_empty() {
            return Ok(tracks);
        }
        let named = session.track_ids().take(40);
        let named = named.map(|id| format!("{} {}", id.0, session.text(session.track(id).name)));
        let mut available: Vec<String> = named.collect();
        if session.tracks.len() > available.len() {
            available.push("…".to_owned());
        }
        Err(AnalysisError::NothingSelected {
            what: format!("--track {}", self.tracks.join(",")),
            available: available.join(", "),
        })
    }
}

/// The values with these names; an error lists all of them.
fn known<'w, T: Copy>(
    option: &str,
    words: impl Iterator<Item = &'w str>,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<Vec<T>, AnalysisError> {
    let found = words.map(|word| {
        let mut values = all.iter().copied();
        values.find(|&value| name(value) == word).ok_or_else(|| {
            let names: Vec<&str> = all.iter().copied().map(&name).collect();
            AnalysisError::Options(format!(
                "--{option} {word} does not exist; available: {}",
                names.join(", ")
            ))
        })
    });
    found.collect()
}
