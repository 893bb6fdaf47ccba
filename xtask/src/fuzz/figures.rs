//! What a fuzz target says about itself while it runs, and the table of all of them.

/// Figures of one run of a target.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Inputs that were run.
    pub(crate) runs: u64,
    /// Places of the program that the corpus reached at first.
    pub(crate) coverage_before: Option<u64>,
    /// Places of the program that were reached in the end.
    pub(crate) coverage: u64,
    /// Inputs in the corpus.
    pub(crate) corpus: u64,
    /// Files with inputs that broke a promise.
    pub(crate) inputs: Vec<String>,
    /// Whether the run ended with an error.
    pub(crate) has_failed: bool,
}

impl Figures {
    /// Takes the figures of a line such as `#8192 pulse  cov: 812 ft: 1203 corp: 97/45Kb …`.
    pub(crate) fn read_line(&mut self, line: &str) {
        if let Some(runs) = line.strip_prefix("stat::number_of_executed_units:") {
            self.runs = runs.trim().parse().unwrap_or(self.runs);
        }
        if let Some((_, path)) = line.split_once("Test unit written to ") {
            self.inputs.push(path.trim().to_owned());
        }
        let Some(rest) = line.strip_prefix('#') else {
            return;
        };
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next();
        let runs = digits.and_then(|digits| digits.parse().ok());
        self.runs = runs.unwrap_or(self.runs).max(self.runs);
        if let Some(coverage) = number_after(rest, "cov: ") {
            if rest.contains("INITED") {
                self.coverage_before = Some(coverage);
            }
            self.coverage = coverage;
        }
        self.corpus = number_after(rest, "corp: ").unwrap_or(self.corpus);
    }

    fn cells(&self) -> [String; 4] {
        let before = self.coverage_before.unwrap_or(self.coverage);
        [
            self.runs.to_string(),
            format!("+{}", self.coverage.saturating_sub(before)),
            self.corpus.to_string(),
            self.inputs
                .len()
                .max(usize::from(self.has_failed))
                .to_string(),
        ]
    }
}

fn number_after(line: &str, label: &str) -> Option<u64> {
    let (_, rest) = line.split_once(label)?;
    rest.split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// Whether a line tells of one more input of the corpus; there are thousands.
pub(crate) fn is_step(line: &str) -> bool {
    let words = ["\tNEW ", "\tREDUCE ", "\tRELOAD "];
    line.starts_with('#') && words.iter().any(|word| line.contains(word))
}

/// One row per target.
pub(crate) fn table(rows: &[(&str, Figures)]) -> String {
    let mut text = line("target", &["runs", "new coverage", "corpus", "crashes"]);
    for (target, figures) in rows {
        let cells = figures.cells();
        text.push('\n');
        text.push_str(&line(target, &cells.each_ref().map(String::as_str)));
    }
    text
}

fn line(target: &str, [runs, coverage, corpus, crashes]: &[&str; 4]) -> String {
    format!("{target:<12}{runs:>12}{coverage:>14}{corpus:>9}{crashes:>9}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
INFO: Running with entropic power schedule (0xFF, 100).
#5\tINITED cov: 800 ft: 900 corp: 4/1Kb exec/s: 0 rss: 60Mb
#120\tNEW    cov: 812 ft: 930 corp: 5/2Kb lim: 21 exec/s: 0 rss: 61Mb L: 12/12 MS: 1 EraseBytes-
#8192\tpulse  cov: 820 ft: 1203 corp: 97/45Kb lim: 80 exec/s: 4096 rss: 70Mb
artifact_prefix='/x/fuzz/artifacts/hlo/'; Test unit written to /x/fuzz/artifacts/hlo/crash-1
stat::number_of_executed_units: 9001
stat::average_exec_per_sec:     900
";

    #[test]
    fn figures_are_those_that_were_said_last() {
        let mut figures = Figures::default();
        SAID.lines().for_each(|line| figures.read_line(line));
        let expected = Figures {
            runs: 9001,
            coverage_before: Some(800),
            coverage: 820,
            corpus: 97,
            inputs: vec!["/x/fuzz/artifacts/hlo/crash-1".to_owned()],
            has_failed: false,
        };
        assert_eq!(figures, expected);
        let steps = SAID.lines().filter(|line| is_step(line));
        assert_eq!(steps.count(), 1);
    }

    #[test]
    fn the_table_has_a_row_for_each_target() {
        let failed = Figures {
            has_failed: true,
            ..Figures::default()
        };
        let text = table(&[("hlo", Figures::default()), ("xplane", failed)]);
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(
            rows,
            [
                "target              runs  new coverage   corpus  crashes",
                "hlo                    0            +0        0        0",
                "xplane                 0            +0        0        1",
            ]
        );
    }
}
