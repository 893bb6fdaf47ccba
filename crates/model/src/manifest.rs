//! Manifests: what the capturing program wrote about itself, next to the profile of its host.
//!
//! A profile says what ran; a manifest says which program it was, with which versions and options,
//! and what the program meant to capture. `docs/reference/manifest.md` describes the file.
//! Everything is optional.

/// The manifest of one host, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manifest {
    /// Name that the user gave the capture.
    pub name: Option<String>,
    /// Tags that the program gave the capture, in its order.
    pub tags: Vec<String>,
    /// What started the capture, such as a slow step.
    pub trigger: Option<String>,
    /// Whether the profiled code and the profiler ended without errors.
    pub success: Option<bool>,
    /// What went wrong.
    pub error: Option<String>,
    /// Number of this process, and number of processes of the job.
    pub process: Option<(i64, i64)>,
    /// When the capture started and ended, in nanoseconds since the Unix epoch.
    pub captured_epoch_ns: Option<(u64, u64)>,
    /// How long the profiler took to stop, in seconds.
    pub stop_seconds: Option<f64>,
    /// Captured steps, without the end.
    pub steps: Option<(i64, i64)>,
    /// Mean wall time of a captured step by the program's own clock, from its start until its
    /// results were available, in nanoseconds.
    pub mean_step_ns: Option<f64>,
    /// What the capture cost the steps that it covers.
    pub cost: Option<CaptureCost>,
    /// Software by name and version.
    pub versions: Vec<(String, String)>,
    /// Devices by kind, with the number of each.
    pub devices: Vec<(String, usize)>,
    /// Options of the profiler.
    pub options: Vec<(String, String)>,
    /// Commit of the program.
    pub git_commit: Option<String>,
    /// Branch of the program.
    pub git_branch: Option<String>,
    /// Whether the program differed from its commit.
    pub is_git_dirty: Option<bool>,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Environment variables that matter to JAX and to captures.
    pub environment: Vec<(String, String)>,
    /// Wall times of the run, from `wall_clock.json` in the log directory.
    pub wall_clock: Option<WallClock>,
    /// What was present but invalid, a phrase each.
    pub problems: Vec<String>,
}

/// What a capture cost the program, as measured by the program, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CaptureCost {
    /// Captured step: the median, or the mean where the loop ran ahead.
    pub step_ns: Option<f64>,
    /// Step before the capture: the median.
    pub step_before_ns: Option<f64>,
    /// The number of steps it is based on.
    pub steps_before: Option<i64>,
    /// What the Python tracer adds to a call.
    pub python_call_ns: Option<f64>,
}

impl CaptureCost {
    /// How much longer captured steps were: 0.25 is 25 % longer.
    pub fn step_ratio(&self) -> Option<f64> {
        let before_ns = self.step_before_ns.filter(|&before_ns| before_ns > 0.0)?;
        Some(self.step_ns? / before_ns - 1.0)
    }
}

/// Wall times of the captured run, as written by `stepscope.WallClock`, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WallClock {
    /// From the start of the run to its end.
    pub total_seconds: Option<f64>,
    /// All epochs.
    pub training_seconds: Option<f64>,
}

/// A manifest as read, or why it could not be read.
#[derive(Debug, Clone)]
pub struct ManifestInput {
    /// Host of the profile next to it.
    pub host: String,
    /// The manifest, or the reason in a phrase.
    pub manifest: Result<Manifest, String>,
}

impl Manifest {
    /// Its contents as names and values, formatted for people.
    pub fn facts(&self) -> Vec<(String, String)> {
        let mut facts = Vec::new();
        let mut push = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                facts.push((name.to_owned(), value));
            }
        };
        push("capture_name", self.name.clone());
        let tags = self.tags.join(", ");
        push("capture_tags", (!tags.is_empty()).then_some(tags));
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
        let steps = format!("{first}..{end}");
        Some(match self.mean_step_ns {
            Some(mean_ns) => format!(
                "{steps}, mean {:.3} ms by the program's clock",
                mean_ns / 1e6
            ),
            None => steps,
        })
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

#[cfg(test)]
mod tests {
    use super::Manifest;

    #[test]
    fn a_manifest_reads_as_names_and_values() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let manifest = Manifest {
            steps: Some((3, 5)),
            mean_step_ns: Some(3_000_000.0),
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
                "3..5, mean 3.000 ms by the program's clock",
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
