//! Source location of a broken budget: the line of an op, else the line of the budget itself.

use std::path::{Path, PathBuf};

use stepscope_analysis::comparing::check::{CheckVerdict, CheckedBudget, CheckedCause, FigureUnit};

use super::config::{Placed, Settings};

/// A file below the current folder, with a line number starting at 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: usize,
}

/// Where budgets and sources are.
pub(super) struct Places<'a> {
    budgets: &'a [Placed],
    folder: PathBuf,
}

impl<'a> Places<'a> {
    pub(super) fn of(settings: &'a Settings) -> Self {
        Self {
            budgets: &settings.budgets,
            folder: std::env::current_dir().unwrap_or_default(),
        }
    }

    /// The line of the budget's op. For a broken time or memory budget, the line of the first cause
    /// that has one. If that file is not below this folder: the line of the budget in
    /// `stepscope.toml`, else the recorded line.
    pub(super) fn find(&self, row: &CheckedBudget, causes: &[CheckedCause]) -> Option<Place> {
        let explains = |cause: &&CheckedCause| match row.unit {
            FigureUnit::Picos | FigureUnit::Ratio => cause.difference_bytes.is_none(),
            FigureUnit::Bytes => row.metric == "memory_peak" && cause.difference_bytes.is_some(),
            // Counts have no single location.
            FigureUnit::Count => false,
        };
        let is_broken = row.verdict == CheckVerdict::Broken;
        let causes = causes.iter().filter(|_| is_broken).filter(explains);
        let sources: Vec<&str> = std::iter::once(row.source.as_str())
            .chain(causes.map(|cause| cause.source.as_str()))
            .collect();
        let here = sources.iter().find_map(|source| self.of_source(source));
        let recorded = || sources.iter().find_map(|source| recorded(source));
        here.or_else(|| self.of_budget(row)).or_else(recorded)
    }

    fn of_budget(&self, row: &CheckedBudget) -> Option<Place> {
        let found = self
            .budgets
            .iter()
            .find(|budget| budget.text == row.budget)?;
        let file = found.file.strip_prefix(&self.folder).unwrap_or(&found.file);
        Some(Place {
            file: file.display().to_string(),
            line: found.line,
        })
    }

    /// A line as recorded in a profile. It may have been recorded on another machine; then the file
    /// is the one below this folder whose path is a suffix of the recorded path.
    fn of_source(&self, source: &str) -> Option<Place> {
        let Place { file: path, line } = recorded(source)?;
        let parts: Vec<&str> = path
            .split(['/', '\\'])
            .filter(|part| !part.is_empty())
            .collect();
        let here = (0..parts.len())
            .map(|skipped| parts[skipped..].join("/"))
            .find(|end| is_within(end) && self.folder.join(end).is_file());
        let file = match here {
            Some(file) => file,
            None if Path::new(&path).is_relative() && is_within(&path) => path,
            None => return None,
        };
        Some(Place { file, line })
    }
}

/// A line as it was recorded.
fn recorded(source: &str) -> Option<Place> {
    let (path, line) = source.rsplit_once(':')?;
    let line: usize = line.parse().ok().filter(|&line| line > 0)?;
    let file = path.to_owned();
    (!path.is_empty() && !path.starts_with('<')).then_some(Place { file, line })
}

fn is_within(path: &str) -> bool {
    !path.split(['/', '\\']).any(|part| part == "..") && !path.starts_with('<')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_line_is_found_in_this_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("model")).expect("a folder");
        std::fs::write(folder.path().join("model/train.py"), "").expect("a file");
        let places = Places {
            budgets: &[],
            folder: folder.path().to_owned(),
        };
        let of = |source| {
            places
                .of_source(source)
                .map(|place| (place.file, place.line))
        };
        let expected = Some(("model/train.py".to_owned(), 29));
        assert_eq!(of("/builder/project/model/train.py:29"), expected);
        assert_eq!(of("model/train.py:29"), expected);
        assert_eq!(of("other/step.py:7"), Some(("other/step.py".to_owned(), 7)));
        for nowhere in [
            "/elsewhere/step.py:7",
            "../step.py:7",
            "<stdin>:1",
            "step.py",
            "",
        ] {
            assert_eq!(of(nowhere), None, "{nowhere}");
        }
    }
}
