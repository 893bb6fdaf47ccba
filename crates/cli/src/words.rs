//! First words that people know from other tools, translated before the command line is parsed.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::command_tree::command;

/// The command line with `view` inserted if only a path is given, as in `stepscope ./logs` or, from
/// TensorBoard's users, `stepscope --logdir ./logs`; and with our command names instead of XProf's:
/// `server`, `get_overview`, `get_hlo_stats`.
pub(crate) fn with_view(given: Vec<OsString>) -> Vec<OsString> {
    with_view_where(given, |path| {
        let path = Path::new(path);
        stepscope_remote::is_url(path) || path.exists()
    })
}

fn with_view_where(mut given: Vec<OsString>, exists: impl Fn(&OsStr) -> bool) -> Vec<OsString> {
    let Some(first) = given.get(1) else {
        return given;
    };
    let all = command();
    let is_command = all.find_subcommand(first).is_some();
    if !is_command && !exists(first) {
        let xprofs = first.to_str().unwrap_or_default();
        let ours = match (xprofs, xprofs.strip_prefix("get_")) {
            ("server", _) => Some("view"),
            (_, Some(name)) => all.find_subcommand(name).map(|_| name),
            _ => None,
        };
        if let Some(ours) = ours.map(OsString::from) {
            given[1] = ours;
            return given;
        }
    }
    let is_logdir = first
        .to_str()
        .is_some_and(|text| text == "-l" || text.starts_with("--logdir"));
    if !is_command && (is_logdir || exists(first)) {
        given.insert(1, "view".into());
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_alone_is_viewed() {
        let with_view = |words: &[&str]| {
            let words = words.iter().map(OsString::from).collect();
            with_view_where(words, |path| path == "logs" || path == "ops").len()
        };
        assert_eq!(with_view(&["stepscope", "logs"]), 3);
        assert_eq!(with_view(&["stepscope", "--logdir=logs"]), 3);
        assert_eq!(with_view(&["stepscope", "--logdir", "logs"]), 4);
        assert_eq!(with_view(&["stepscope", "-l", "logs"]), 4);
        assert_eq!(with_view(&["stepscope", "ops", "logs"]), 3);
        assert_eq!(with_view(&["stepscope", "elsewhere"]), 2);
        assert_eq!(with_view(&["stepscope", "--version"]), 2);
        assert_eq!(with_view(&["stepscope"]), 1);
    }

    #[test]
    fn words_of_xprofs_command_are_understood() {
        let second = |word: &str| {
            let words = ["stepscope", word, "logs"].map(OsString::from).to_vec();
            with_view_where(words, |path| path == "logs" || path == "get_steps")[1].clone()
        };
        for (word, ours) in [
            ("server", "view"),
            ("get_overview", "overview"),
            ("get_hlo_stats", "hlo_stats"),
            ("get_memory_profile", "memory_profile"),
            ("get_llo_analysis", "get_llo_analysis"),
            ("get_steps", "view"), // a folder with this name
        ] {
            assert_eq!(second(word), ours, "{word}");
        }
    }
}
