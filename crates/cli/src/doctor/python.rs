//! The Python environment of the program to profile, as reported by a probe that runs in it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The probe, the same file as in the Python package.
const PROBE: &str = include_str!("../../../../python/stepscope/_probe.py");

/// What the probe found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Python {
    pub(crate) version: String,
    pub(crate) executable: String,
    /// Versions by normalized name; more than one if an installation is broken.
    pub(crate) distributions: BTreeMap<String, Vec<String>>,
    /// Distributions that provide a profile plugin for TensorBoard.
    pub(crate) profile_plugins: Vec<String>,
    pub(crate) cupti_libraries: Vec<PathBuf>,
    /// Files in the working directory that hide packages.
    pub(crate) shadows: Vec<String>,
}

impl Python {
    /// Runs the probe in the requested Python.
    pub(crate) fn ask(program: &Path) -> Result<Self, String> {
        let shown = program.display();
        let mut child = Command::new(program)
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run {shown} ({error})"))?;
        if let Some(mut stdin) = child.stdin.take() {
            // If Python ended early, its own message says more.
            let _ = stdin.write_all(PROBE.as_bytes());
        }
        let output = child
            .wait_with_output()
            .map_err(|error| format!("cannot run {shown} ({error})"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let line = said.lines().last().unwrap_or_default();
        let answer: Option<Value> = serde_json::from_str(line).ok();
        answer.as_ref().map(Self::from_json).ok_or_else(|| {
            let error = String::from_utf8_lossy(&output.stderr);
            let last = error.lines().last().unwrap_or("no output");
            format!("{shown} gave no answer ({last})")
        })
    }

    /// Parses the probe's answer; what is missing is empty.
    pub(crate) fn from_json(answer: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |value: &Value| -> Vec<String> {
            let items = value.as_array().into_iter().flatten();
            items.map(text).collect()
        };
        let distributions = answer["distributions"].as_object().into_iter().flatten();
        let paths = list(&answer["cupti_libraries"]).into_iter();
        Self {
            version: text(&answer["version"]),
            executable: text(&answer["executable"]),
            distributions: distributions
                .map(|(name, versions)| (name.clone(), list(versions)))
                .collect(),
            profile_plugins: list(&answer["profile_plugins"]),
            cupti_libraries: paths.map(PathBuf::from).collect(),
            shadows: list(&answer["shadows"]),
        }
    }

    /// The version of a distribution.
    pub(crate) fn of(&self, name: &str) -> Option<&str> {
        self.distributions
            .get(name)
            .and_then(|versions| versions.first())
            .map(String::as_str)
    }

    /// Distributions whose name matches, with their version.
    pub(crate) fn find(&self, test: impl Fn(&str) -> bool) -> Vec<(&str, &str)> {
        let all = self.distributions.iter();
        all.filter(|(name, _)| test(name))
            .filter_map(|(name, versions)| Some((name.as_str(), versions.first()?.as_str())))
            .collect()
    }
}

/// The Python to use: the given one, the one in `$VIRTUAL_ENV`, else `python3` on the PATH.
pub(crate) fn chosen(given: Option<&Path>, virtual_environment: Option<&str>) -> PathBuf {
    if let Some(given) = given {
        // A virtual environment may be given instead of its interpreter.
        let inside = given.join("bin/python");
        return if inside.is_file() {
            inside
        } else {
            given.to_owned()
        };
    }
    let inside = virtual_environment.map(|folder| Path::new(folder).join("bin/python"));
    inside
        .filter(|python| python.is_file())
        .unwrap_or_else(|| PathBuf::from("python3"))
}

/// The leading numbers of a version: `0.10.2.dev1` is 0, 10, 2.
pub(crate) fn numbers(version: &str) -> Vec<u32> {
    let parts = version.split('.').map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    });
    parts.map_while(|part| part).collect()
}
