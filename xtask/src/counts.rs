//! How many tests passed, failed and were skipped, read from the lines that the test programs print.

use std::collections::BTreeSet;

/// Test counts of one or more test programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Passed, including those that say that they are skipped.
    ran: u64,
    failed: u64,
    /// Skipped by their runners.
    left_out: u64,
    /// Rust tests that ran but had nothing to check: they say so, and pass.
    skipped: BTreeSet<String>,
}

impl Counts {
    /// Counts with this many passed and failed.
    pub(crate) fn of(ran: u64, failed: u64) -> Self {
        Self {
            ran,
            failed,
            ..Self::default()
        }
    }

    /// Adds the results in one line of output; most lines contain none.
    ///
    /// Recognizes tests that say they are skipped (`skipped program::test: no corpus`), and the
    /// summaries of cargo test (`test result: ok. 3 passed; 0 failed; …`), Vitest (`Tests  1 failed
    /// | 3 passed (4)`), node's test runner (`# pass 3`), Playwright (`3 passed (2.1s)`), and
    /// pytest (`1 failed, 3 passed in 2.10s`).
    pub(crate) fn read_line(&mut self, line: &str) {
        let line = without_escapes(line);
        let line = line.trim();
        if let Some(said) = line.strip_prefix("skipped ") {
            // `skipped program::test: reason`, once for everything that the test does not find.
            let test = said.split(": ").next().filter(|test| test.contains("::"));
            self.skipped.extend(test.map(str::to_owned));
        } else if let Some(summary) = line.strip_prefix("test result:") {
            self.add_pairs(summary);
        } else if let Some(summary) = line.strip_prefix("Tests ") {
            self.add_pairs(summary);
        } else if let Some(summary) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))
        {
            self.add_node(summary);
        } else if is_playwright(line) {
            self.add_pairs(line);
        } else if let Some(summary) = pytest_summary(line) {
            self.add_pairs(summary);
        }
    }

    /// Adds other counts to these.
    pub(crate) fn add(&mut self, other: Self) {
        self.ran += other.ran;
        self.failed += other.failed;
        self.left_out += other.left_out;
        self.skipped.extend(other.skipped);
    }

    /// Tests that checked something and passed.
    pub(crate) fn passed(&self) -> u64 {
        self.ran.saturating_sub(self.skipped.len() as u64)
    }

    /// Tests that failed.
    pub(crate) fn failed(&self) -> u64 {
        self.failed
    }

    /// Tests that had nothing to check, or were skipped by their runner.
    pub(crate) fn skipped(&self) -> u64 {
        self.left_out + self.skipped.len() as u64
    }

    /// Reads pairs of a number and a word, such as `3 passed; 1 failed`.
    fn add_pairs(&mut self, summary: &str) {
        let words: Vec<&str> = summary
            .split(|letter: char| !letter.is_alphanumeric())
            .collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            if let Ok(count) = pair[0].parse() {
                self.add_word(pair[1], count);
            }
        }
    }

    /// Reads node's `pass 3` or `fail 1`.
    fn add_node(&mut self, summary: &str) {
        if let Some((word, count)) = summary.split_once(' ')
            && let Ok(count) = count.parse()
        {
            self.add_word(word, count);
        }
    }

    fn add_word(&mut self, word: &str, count: u64) {
        match word {
            // Playwright calls a test flaky if it failed first and passed when retried.
            "passed" | "pass" | "flaky" => self.ran += count,
            // Pytest calls a test an error if its setup failed.
            "failed" | "fail" | "error" | "errors" => self.failed += count,
            "skipped" | "ignored" => self.left_out += count,
            _ => {}
        }
    }
}

/// Whether the line is `<number> passed`, `failed` or `flaky`, optionally followed by a time in
/// parentheses.
fn is_playwright(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let starts = words.next().is_some_and(|word| word.parse::<u64>().is_ok())
        && words
            .next()
            .is_some_and(|word| matches!(word, "passed" | "failed" | "flaky" | "skipped"));
    starts && words.next().is_none_or(|word| word.starts_with('('))
}

/// The counts of `1 failed, 3 passed, 2 skipped in 65.10s (0:01:05)`, possibly between rules of
/// `=`.
fn pytest_summary(line: &str) -> Option<&str> {
    let (counts, time) = line.trim_matches(['=', ' ']).rsplit_once(" in ")?;
    let seconds = time.split(' ').next()?.strip_suffix('s')?;
    let is_count = |part: &str| {
        let mut words = part.split(' ');
        let is_number = words.next().is_some_and(|word| word.parse::<u64>().is_ok());
        is_number && words.next().is_some() && words.next().is_none()
    };
    let is_summary = seconds.parse::<f64>().is_ok() && counts.split(", ").all(is_count);
    is_summary.then_some(counts)
}

/// The line without terminal colors (`ESC [ … letter`).
fn without_escapes(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            letters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            text.push(letter);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &str, passed: u64, failed: u64) {
        check_all(lines, passed, failed, None);
    }

    fn check_all(lines: &str, passed: u64, failed: u64, skipped: Option<u64>) {
        let mut counts = Counts::default();
        for line in lines.lines() {
            counts.read_line(line);
        }
        assert_eq!(
            (counts.passed(), counts.failed()),
            (passed, failed),
            "in {lines:?}"
        );
        let skipped = skipped.unwrap_or_else(|| counts.skipped());
        assert_eq!(counts.skipped(), skipped, "in {lines:?}");
    }

    #[test]
    fn a_test_that_looks_at_nothing_did_not_pass() {
        check_all(
            "running 3 tests\nskipped ops-1f::every_capture: no captures, /c is absent\n\
             skipped ops-1f::every_capture: no answer /o\nskipped ops-1f::one: no capture a in /c\n\
             test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\n\
             4 passed, 2 skipped in 1.00s\n  2 skipped\n  12 passed (3.4s)\n",
            17,
            0,
            Some(7),
        );
    }

    #[test]
    fn cargo_test() {
        check(
            "running 3 tests\ntest a ... ok\n\
             test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s\n\
             test result: \u{1b}[32mok\u{1b}[m. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n",
            7,
            1,
        );
    }

    #[test]
    fn vitest_counts_tests_and_not_files() {
        check(
            " Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 11 passed | 1 skipped (14)\n",
            11,
            2,
        );
        check(
            "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m8 passed\u{1b}[39m\u{1b}[22m (8)",
            8,
            0,
        );
    }

    #[test]
    fn node_test_runner() {
        check(
            "# tests 6\n# pass 5\n# fail 1\nℹ pass 2\nℹ fail 0\n# passing the time 5\n",
            7,
            1,
        );
    }

    #[test]
    fn pytest() {
        check("12 passed in 3.21s", 12, 0);
        check(
            "==== 1 failed, 3 passed, 2 skipped, 1 warning in 65.10s (0:01:05) ====",
            3,
            1,
        );
        check("2 passed, 1 error in 0.10s\n3 deselected in 0.01s", 2, 1);
        check("100 steps in 2.5s on 3 hosts\n2 fish passed by in 3s", 0, 0);
    }

    #[test]
    fn playwright() {
        check(
            "  1 failed\n    [chromium] › a.spec.ts\n  1 flaky\n  2 skipped\n  12 passed (3.4s)\n",
            13,
            1,
        );
        check("3 passed by on the road", 0, 0);
    }
}
