//! The wall clock of a run: `wall_clock.json` in the log directory of its captures, as written by
//! `stepscope.WallClock`. It is not part of a capture, so an invalid one is silently ignored.

use std::io::Read;
use std::path::Path;

use serde_json::Value;
use stepscope_model::WallClock;

use crate::host_file::HostFile;
use crate::regular::open_regular;

/// The file name.
const NAME: &str = "wall_clock.json";
/// A report has some kilobytes; anything larger is something else.
const MAX_BYTES: u64 = 4 << 20;

/// The wall clock next to a capture, found from one of its files.
pub(crate) fn of_run(file: &HostFile) -> Option<WallClock> {
    if file.entry.is_some() || stepscope_remote::is_url(&file.path) {
        return None;
    }
    let run = file.path.parent()?;
    let opened = open_regular(&log_directory(run)?.join(NAME)).ok()?;
    let mut text = String::new();
    opened.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    parse(&text)
}

/// `LOGS` of `LOGS/plugins/profile/RUN`.
fn log_directory(run: &Path) -> Option<&Path> {
    let profile = run
        .parent()
        .filter(|path| path.ends_with("plugins/profile"))?;
    profile.parent()?.parent()
}

fn parse(text: &str) -> Option<WallClock> {
    let value: Value = serde_json::from_str(text).ok()?;
    let seconds = |key: &str| {
        let seconds = value.get(key)?.as_f64()?;
        (seconds.is_finite() && seconds >= 0.0).then_some(seconds)
    };
    let clock = WallClock {
        total_seconds: seconds("total_seconds"),
        training_seconds: seconds("training_seconds"),
    };
    (clock != WallClock::default()).then_some(clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_anything_else_is_left_out() {
        let clock = parse(r#"{"total_seconds": 6.5, "training_seconds": 5, "epochs": []}"#);
        let expected = WallClock {
            total_seconds: Some(6.5),
            training_seconds: Some(5.0),
        };
        assert_eq!(clock, Some(expected));
        for text in [
            "",
            "[1]",
            "{}",
            r#"{"total_seconds": -1}"#,
            r#"{"total_seconds": "6"}"#,
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_a_run_directory_has_a_log_directory() {
        let of = |path: &'static str| log_directory(Path::new(path)).and_then(Path::to_str);
        assert_eq!(of("logs/plugins/profile/run"), Some("logs"));
        assert_eq!(of("logs/myplugins/profile/run"), None);
        assert_eq!(of("run"), None);
    }
}
