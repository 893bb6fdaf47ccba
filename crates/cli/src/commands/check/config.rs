//! `stepscope.toml`: what a project checks, so that neither people nor the pipeline have to type
//! it.
//!
//! ```toml
//! [check]
//! baseline = "main@latest"
//! [check.budgets]
//! step_time = "+2%"
//! memory_peak = ["+1%", "<=14GiB"]
//! [targets.v5e.budgets]        # with --target v5e: added to those above, or replacing them
//! step_time = "<=120ms"
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde::Deserialize;
use serde_json::{Value, json};
use toml::Spanned;

use crate::args::MAX_SETTINGS_BYTES;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::refusal::Refusal;

const FILE: &str = "stepscope.toml";

/// The value of `--baseline` that selects the runs of `--history`.
pub(super) const HISTORY: &str = "history";

/// Settings from the file that the command line does not give.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) baselines: Vec<String>,
    pub(super) baseline_runs: Option<usize>,
    pub(super) history: Option<PathBuf>,
    pub(super) confidence: Option<f64>,
    pub(super) run_noise: Option<f64>,
    pub(super) allow_unknown: bool,
    pub(super) steps: Option<String>,
    pub(super) time: Option<String>,
    pub(super) device: Option<String>,
    pub(super) host: Option<String>,
    /// Budgets of the file.
    pub(super) budgets: Vec<Placed>,
    /// The file, if it was named, and the target.
    pub(super) config: Option<PathBuf>,
    pub(super) target: Option<String>,
}

/// A budget and its location.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) text: String,
    pub(super) metric: String,
    pub(super) file: PathBuf,
    pub(super) line: usize,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    check: Section,
    #[serde(default)]
    targets: BTreeMap<String, Section>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    baseline: Option<OneOrMore>,
    baseline_runs: Option<usize>,
    history: Option<PathBuf>,
    confidence: Option<f64>,
    run_noise: Option<f64>,
    allow_unknown: Option<bool>,
    steps: Option<String>,
    time: Option<String>,
    device: Option<String>,
    host: Option<String>,
    #[serde(default)]
    budgets: BTreeMap<String, Spanned<OneOrMore>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a string or a list of strings")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn into_list(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::More(texts) => texts,
        }
    }
}

impl Settings {
    /// The settings from the command line, or else from the file.
    pub(super) fn of(arguments: &ArgMatches, output: &Output) -> Result<Self, Failure> {
        let named = arguments.get_one::<PathBuf>("config");
        let target = arguments.get_one::<String>("target");
        let file = named.cloned().or_else(find);
        if let Some(path) = file.as_ref().filter(|_| named.is_none()) {
            output.remark(&format!("settings of {}", path.display()));
        }
        let mut settings = Self::of_file(file.as_deref(), target.map(String::as_str))?;
        settings.config = named.cloned();
        settings.target = target.cloned();
        let baselines = arguments.get_many::<String>("baseline");
        let runs = arguments.get_one::<usize>("baseline-runs").copied();
        if baselines.is_some() || runs.is_some() {
            settings.baselines = baselines.into_iter().flatten().cloned().collect();
            settings.baseline_runs = runs;
        }
        if let Some(history) = arguments.get_one::<PathBuf>("history") {
            settings.history = Some(history.clone());
        }
        Ok(settings)
    }

    /// The settings of a file; none if there is no file.
    fn of_file(file: Option<&Path>, target: Option<&str>) -> Result<Self, Failure> {
        match (file, target) {
            (Some(path), target) => read(path, target),
            (None, Some(target)) => {
                let message = format!("--target {target} requires a {FILE}, and none was found");
                Err(Failure::new(Exit::Usage, message).hint("give its path with --config FILE"))
            }
            (None, None) => Ok(Self::default()),
        }
    }

    /// Whether the baseline is the runs of the history.
    pub(super) fn is_history_baseline(&self) -> bool {
        self.baselines.iter().any(|baseline| baseline == HISTORY)
    }
}

/// The settings of a file, or of the nearest `stepscope.toml` if none is named, for callers that
/// run `check` themselves: baselines, the history, and options of the comparison by name.
pub fn gate_settings(file: Option<&Path>, target: Option<&str>) -> Result<Value, Refusal> {
    let file = file.map(Path::to_owned).or_else(find);
    let settings = Settings::of_file(file.as_deref(), target)?;
    let budgets = settings.budgets.iter().map(|budget| budget.text.as_str());
    Ok(json!({
        "file": file,
        "baselines": settings.baselines,
        "baseline_runs": settings.baseline_runs,
        "history": settings.history,
        "options": {
            "budget": budgets.collect::<Vec<_>>(),
            "confidence": settings.confidence,
            "run_noise": settings.run_noise,
            "allow_unknown": settings.allow_unknown,
            "steps": settings.steps,
            "time": settings.time,
            "device": settings.device,
            "host": settings.host,
        },
    }))
}

/// The file in this folder, or in the nearest parent that has one.
fn find() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let mut files = here.ancestors().map(|folder| folder.join(FILE));
    files.find(|path| path.is_file())
}

fn read(path: &Path, target: Option<&str>) -> Result<Settings, Failure> {
    let text = stepscope_storage::read_text(path, MAX_SETTINGS_BYTES).map_err(|error| {
        let message = format!("cannot read the settings ({error}): {}", path.display());
        Failure::new(Exit::Path, message)
    })?;
    parse(&text, path, target)
}

fn parse(text: &str, path: &Path, target: Option<&str>) -> Result<Settings, Failure> {
    let file: File = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        let message = format!("{}:{line}: {}", path.display(), error.message());
        Failure::new(Exit::Usage, message).hint(
            "docs/guides/gate.md lists the keys of [check], [check.budgets] and [targets.NAME]",
        )
    })?;
    let mut settings = Settings::default();
    settings.add(file.check, text, path);
    let Some(target) = target else {
        return Ok(settings);
    };
    let mut targets = file.targets;
    let Some(section) = targets.remove(target) else {
        let names: Vec<&str> = targets.keys().map(String::as_str).collect();
        let message = format!("no [targets.{target}] in {}", path.display());
        let hint = if names.is_empty() {
            "it has no [targets.NAME] sections".to_owned()
        } else {
            format!("its targets: {}", names.join(", "))
        };
        return Err(Failure::new(Exit::Usage, message).hint(hint));
    };
    settings.add(section, text, path);
    Ok(settings)
}

impl Settings {
    /// What a section says replaces what earlier sections said; budgets are replaced per metric.
    fn add(&mut self, section: Section, text: &str, path: &Path) {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut budgets: Vec<(String, Spanned<OneOrMore>)> = section.budgets.into_iter().collect();
        budgets.sort_by_key(|(_, limits)| limits.span().start);
        let replaced: Vec<&String> = budgets.iter().map(|(metric, _)| metric).collect();
        self.budgets
            .retain(|known| !replaced.contains(&&known.metric));
        for (metric, limits) in budgets {
            let line = line_of(text, limits.span().start);
            for limit in limits.into_inner().into_list() {
                self.budgets.push(Placed {
                    text: written(&metric, &limit),
                    metric: metric.clone(),
                    file: path.to_owned(),
                    line,
                });
            }
        }
        if section.baseline.is_some() || section.baseline_runs.is_some() {
            let baselines = section.baseline.map_or_else(Vec::new, OneOrMore::into_list);
            self.baselines = baselines.iter().map(|one| beside(folder, one)).collect();
            self.baseline_runs = section.baseline_runs;
        }
        if let Some(history) = section.history {
            self.history = Some(folder.join(history));
        }
        self.confidence = section.confidence.or(self.confidence);
        self.run_noise = section.run_noise.or(self.run_noise);
        self.allow_unknown = section.allow_unknown.unwrap_or(self.allow_unknown);
        for (own, given) in [
            (&mut self.steps, section.steps),
            (&mut self.time, section.time),
            (&mut self.device, section.device),
            (&mut self.host, section.host),
        ] {
            if given.is_some() {
                *own = given;
            }
        }
    }
}

/// A limit in the file, as a budget of the command line.
fn written(metric: &str, limit: &str) -> String {
    let limit = limit.trim();
    if limit.starts_with(['<', '>']) {
        format!("{metric}{limit}")
    } else {
        format!("{metric}={limit}")
    }
}

/// A path in the file is relative to its folder; a name such as `latest~1` stays as it is.
fn beside(folder: &Path, baseline: &str) -> String {
    let path = baseline.rsplit_once('@').map_or(baseline, |(path, _)| path);
    let is_here =
        baseline != HISTORY && (folder.join(path).exists() || folder.join(baseline).exists());
    if is_here && !folder.as_os_str().is_empty() {
        folder.join(baseline).display().to_string()
    } else {
        baseline.to_owned()
    }
}

fn line_of(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
[check]
baseline = ['latest~1', \"history\"]
confidence = 0.9
history = \"runs.jsonl\"

[check.budgets]
step_time = \"+2%\"
memory_peak = [\"+1%\", \"<=14GiB\"]
\"op:dot.1\" = \"+5%\"

[targets.v5e]
run_noise = 0.005
[targets.v5e.budgets]
step_time = \"<=120ms\"
";

    fn settings(text: &str, target: Option<&str>) -> Result<Settings, String> {
        parse(text, Path::new("project/stepscope.toml"), target)
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn budgets_stand_in_the_order_of_the_file_with_their_lines() {
        let found = settings(TEXT, None).expect("settings");
        let budgets: Vec<(&str, usize)> = found
            .budgets
            .iter()
            .map(|budget| (budget.text.as_str(), budget.line))
            .collect();
        let expected = [
            ("step_time=+2%", 7),
            ("memory_peak=+1%", 8),
            ("memory_peak<=14GiB", 8),
            ("op:dot.1=+5%", 9),
        ];
        assert_eq!(budgets, expected);
        assert_eq!(found.baselines, ["latest~1", "history"]);
        assert!(found.is_history_baseline());
        assert_eq!(found.history, Some(PathBuf::from("project/runs.jsonl")));
        assert_eq!((found.confidence, found.run_noise), (Some(0.9), None));
    }

    #[test]
    fn a_target_takes_the_place_of_what_it_names() {
        let found = settings(TEXT, Some("v5e")).expect("settings");
        let budgets: Vec<&str> = found.budgets.iter().map(|one| one.text.as_str()).collect();
        let expected = [
            "memory_peak=+1%",
            "memory_peak<=14GiB",
            "op:dot.1=+5%",
            "step_time<=120ms",
        ];
        assert_eq!(budgets, expected);
        assert_eq!(
            (found.confidence, found.run_noise),
            (Some(0.9), Some(0.005))
        );
        assert!(settings(TEXT, Some("v6e")).is_err_and(|error| error.contains("[targets.v6e]")));
    }

    #[test]
    fn unknown_keys_are_errors_that_name_what_exists() {
        let error = settings("[check]\nbaselin = \"x\"\n", None).expect_err("an error");
        assert!(
            error.contains("stepscope.toml:2: unknown field `baselin`"),
            "{error}"
        );
        assert!(error.contains("`baseline_runs`"), "{error}");
        let error = settings("[chek]\n", None).expect_err("an error");
        assert!(
            error.contains("`check`") && error.contains("`targets`"),
            "{error}"
        );
        let error = settings("[check.budgets]\nstep_time = 2\n", None).expect_err("an error");
        assert!(error.contains("stepscope.toml:2:"), "{error}");
        assert!(error.contains("a string or a list of strings"), "{error}");
    }
}
