//! Manifests: what the program that captured wrote about itself, beside the profile of its host.
//!
//! A profile says what ran; a manifest says of which program, with which versions and options, and
//! what the program meant to capture. `docs/reference/manifest.md` describes the file. Everything
//! is optional.

use crate::session::Session;
use crate::warning::{Warning, WarningKind};

/// What the manifest of one host says, as far as it says it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manifest {
    /// Name that the person gave the capture.
    pub name: Option<String>,
    /// What began the capture, such as a slow step.
    pub trigger: Option<String>,
    /// The profiled code and the profiler ended well.
    pub success: Option<bool>,
    /// What went wrong.
    pub error: Option<String>,
    /// Number of this process and of all processes of the job.
    pub process: Option<(i64, i64)>,
    /// When the capture began and ended, nanoseconds since the Unix epoch.
    pub captured_epoch_ns: Option<(u64, u64)>,
    /// How long the profiler took to stop, in seconds.
    pub stop_seconds: Option<f64>,
    /// Steps that were captured, the end excluded.
    pub steps: Option<(i64, i64)>,
    /// Duration of each step by the program's own clock, in nanoseconds.
    pub step_durations_ns: Vec<u64>,
    /// Software by name and version.
    pub versions: Vec<(String, String)>,
    /// Devices by kind, with how many there are of each.
    pub devices: Vec<(String, usize)>,
    /// Options of the profiler.
    pub options: Vec<(String, String)>,
    /// Commit of the program.
    pub git_commit: Option<String>,
    /// Branch of the program.
    pub git_branch: Option<String>,
    /// The program differed from its commit.
    pub is_git_dirty: Option<bool>,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Variables of the environment that matter to JAX and to captures.
    pub environment: Vec<(String, String)>,
    /// Wall times of the run, from `wall_clock.json` in the log directory.
    pub wall_clock: Option<WallClock>,
    /// What was there and not understood, a phrase each.
    pub problems: Vec<String>,
}

/// Wall times of the run that a capture is of, as `stepscope.WallClock` writes them, seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WallClock {
    /// From the begin of the run to its end.
    pub total_seconds: Option<f64>,
    /// All epochs.
    pub training_seconds: Option<f64>,
}

/// A manifest as it was read, or why it could not be.
#[derive(Debug, Clone)]
pub struct ManifestInput {
    /// Host whose profile it lies beside.
    pub host: String,
    /// The manifest, or the reason in a phrase.
    pub manifest: Result<Manifest, String>,
}

impl Manifest {
    /// What it says as names and values, as people read them.
    pub fn facts(&self) -> Vec<(String, String)> {
        let mut facts = Vec::new();
        let mut push = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                facts.push((name.to_owned(), value));
            }
        };
        push("capture_name", self.name.clone());
        push("capture_trigger", self.trigger.clone());
        push(
            "capture_success",
            self.success.map(|success| success.to_string()),
        );
        push("capture_error", self.error.clone());
        push("capture_steps", self.steps_text());
        let stop_seconds = self.stop_seconds;
        push(
            "capture_stop_seconds",
            stop_seconds.map(|seconds| format!("{seconds:.3}")),
        );
        let process = self.process.filter(|&(_, count)| count > 1);
        push(
            "process",
            process.map(|(index, count)| format!("{index} of {count}")),
        );
        push("git_commit", self.git_text());
        let devices = self.devices.iter();
        let devices: Vec<String> = devices
            .map(|(kind, count)| format!("{count} × {kind}"))
            .collect();
        push(
            "jax_devices",
            (!devices.is_empty()).then(|| devices.join(", ")),
        );
        let arguments = self.arguments.join(" ");
        push("arguments", (!arguments.is_empty()).then_some(arguments));
        let versions = self.versions.iter();
        facts.extend(versions.map(|(name, value)| (format!("{name}_version"), value.clone())));
        let options = self.options.iter();
        facts.extend(options.map(|(name, value)| (format!("option_{name}"), value.clone())));
        facts.extend(self.environment.iter().cloned());
        facts
    }

    fn steps_text(&self) -> Option<String> {
        let (first, end) = self.steps?;
        let count = self.step_durations_ns.len();
        if count == 0 {
            return Some(format!("{first}..{end}"));
        }
        let total_ns: u64 = self
            .step_durations_ns
            .iter()
            .copied()
            .fold(0, u64::saturating_add);
        let mean_ms = total_ns as f64 / count as f64 / 1e6;
        Some(format!(
            "{first}..{end}, {mean_ms:.3} ms each by the program's clock"
        ))
    }

    fn git_text(&self) -> Option<String> {
        let commit = self.git_commit.as_ref()?;
        let mut remarks: Vec<&str> = self.git_branch.iter().map(String::as_str).collect();
        if self.is_git_dirty == Some(true) {
            remarks.push("with uncommitted changes");
        }
        Some(match remarks.as_slice() {
            [] => commit.clone(),
            remarks => format!("{commit} ({})", remarks.join(", ")),
        })
    }
}

impl Session {
    /// Gives hosts their manifests. One that could not be read, or not wholly, becomes a warning that
    /// no figure depends on it.
    #[must_use]
    pub fn with_manifests(mut self, manifests: Vec<ManifestInput>) -> Self {
        for ManifestInput { host, manifest } in manifests {
            let problem = match manifest {
                Err(problem) => problem,
                Ok(manifest) => {
                    let problem = manifest.problems.join(", ");
                    if let Some(found) = self.hosts.iter_mut().find(|known| known.name == host) {
                        found.manifest = Some(manifest);
                    }
                    problem
                }
            };
            if !problem.is_empty() {
                self.warnings.push(Warning {
                    kind: WarningKind::Missing,
                    message: format!(
                        "the manifest beside the profile ({host}.stepscope.json) could not be read \
                         wholly: {problem}; figures do not depend on it"
                    ),
                    hint: String::new(),
                    host,
                });
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::Manifest;

    #[test]
    fn a_manifest_reads_as_names_and_values() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let manifest = Manifest {
            steps: Some((3, 5)),
            step_durations_ns: vec![2_000_000, 4_000_000],
            versions: vec![pair("jax", "0.10.2")],
            devices: vec![("cpu".to_owned(), 4)],
            options: vec![pair("host_tracer_level", "2")],
            git_commit: Some("abc".to_owned()),
            git_branch: Some("main".to_owned()),
            is_git_dirty: Some(true),
            process: Some((0, 1)),
            ..Manifest::default()
        };
        let expected = [
            pair(
                "capture_steps",
                "3..5, 3.000 ms each by the program's clock",
            ),
            pair("git_commit", "abc (main, with uncommitted changes)"),
            pair("jax_devices", "4 × cpu"),
            pair("jax_version", "0.10.2"),
            pair("option_host_tracer_level", "2"),
        ];
        assert_eq!(manifest.facts(), expected);
        assert!(Manifest::default().facts().is_empty());
    }
}
