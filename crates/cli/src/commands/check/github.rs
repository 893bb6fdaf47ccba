//! A result as workflow commands of GitHub Actions, which appear in the checks and next to the
//! code.
//!
//! ```text
//! ::error file=train.py,line=29,title=stepscope%3A step_time=+2%25 is broken::5.9 ms instead of …
//! ```

use std::fmt::Write;

use stepscope_analysis::comparing::check::CheckVerdict;

use super::told::Told;

/// Maximum number of causes in an annotation.
const CAUSES: usize = 5;

/// One line per budget that does not pass, or one line saying that all pass.
pub(super) fn text(result: &Told<'_>) -> String {
    let report = result.report;
    let mut text = String::new();
    for row in &report.rows {
        let command = match row.verdict {
            CheckVerdict::Passed => continue,
            CheckVerdict::Unknown if report.is_passed => "warning",
            CheckVerdict::WithinNoise => "warning",
            CheckVerdict::Broken | CheckVerdict::Unknown => "error",
        };
        let place = result.places.find(row, &report.causes);
        let place = place.map_or_else(String::new, |place| {
            format!("file={},line={},", property(&place.file), place.line)
        });
        let title = format!("stepscope: {} is {}", row.budget, row.verdict.name());
        let mut message = row.text.clone();
        if row.verdict == CheckVerdict::Broken {
            for cause in report.causes.iter().take(CAUSES) {
                let _ = write!(message, "\n{}", cause.text);
            }
        }
        let (title, message) = (property(&title), data(&message));
        let _ = writeln!(text, "::{command} {place}title={title}::{message}");
    }
    if text.is_empty() {
        let _ = writeln!(
            text,
            "::notice title=stepscope::{}",
            data(&report.conclusion)
        );
    }
    text
}

/// The message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A value before the message.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn what_ends_a_command_is_escaped() {
        assert_eq!(data("+2%: a,\r\nb"), "+2%25: a,%0D%0Ab");
        assert_eq!(property("+2%: a,\nb"), "+2%25%3A a%2C%0Ab");
    }
}
