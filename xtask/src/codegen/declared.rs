//! The tables that the analyses declare, as a test of `stepscope-analysis` writes them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct Registry {
    analyses: Vec<Entry>,
    comparisons: Vec<Entry>,
    pub(super) words: Vec<Words>,
}

/// The values of an enum that people see.
#[derive(Debug, Deserialize)]
pub(super) struct Words {
    pub(super) name: String,
    pub(super) words: Vec<Word>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Word {
    pub(super) key: String,
    pub(super) title: String,
    pub(super) meaning: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) figures: Vec<Column>,
    pub(super) tables: Vec<Table>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Table {
    pub(super) key: String,
    pub(super) columns: Vec<Column>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Column {
    pub(super) key: String,
    pub(super) title: String,
    pub(super) unit: Option<String>,
    pub(super) meaning: String,
    pub(super) formula: String,
    pub(super) adds: String,
    pub(super) better: String,
    pub(super) identity: Option<String>,
    pub(super) is_essential: bool,
}

impl Registry {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no registry", path.display()))
    }

    /// Those of one session.
    pub(super) fn analyses(&self) -> &[Entry] {
        &self.analyses
    }

    /// Analyses, then comparisons.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.analyses.iter().chain(&self.comparisons)
    }
}
