//! Manifests next to profiles: `<host>.stepscope.json`, read as far as they are valid.
//!
//! A manifest is never a reason to reject a capture. Invalid keys are dropped and reported.

use serde_json::{Map, Value};
use stepscope_model::manifest::{CaptureCost, Manifest, ManifestInput};

use crate::host_file::HostFile;
use crate::open::open;
use crate::progress::NoProgress;
use crate::wall_clock;

/// The newest format that is fully supported.
const VERSION: i64 = 1;
/// A manifest has some kilobytes; anything larger is something else.
const MAX_BYTES: usize = 4 << 20;
/// Maximum number of tags that are kept.
const MAX_TAGS: usize = 32;
/// Maximum characters kept of one value.
const MAX_CHARACTERS: usize = 4000;

/// Reads a manifest, valid or not.
pub(crate) fn read(file: &HostFile) -> ManifestInput {
    let mut manifest = match open(file, &NoProgress) {
        Ok(bytes) => parse(bytes.as_ref()),
        Err(error) => Err(error.to_string()),
    };
    if let Ok(manifest) = &mut manifest {
        manifest.wall_clock = wall_clock::of_run(file);
    }
    ManifestInput {
        host: file.host.clone(),
        manifest,
    }
}

fn parse(bytes: &[u8]) -> Result<Manifest, String> {
    if bytes.len() > MAX_BYTES {
        return Err(format!(
            "it is too large for a manifest: {} bytes",
            bytes.len()
        ));
    }
    // Windows editors add a byte order mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("it is not valid JSON ({error})"))?;
    let Value::Object(keys) = value else {
        return Err("it is JSON, but not an object".to_owned());
    };
    let version = keys.get("stepscope_manifest").and_then(Value::as_i64);
    let Some(version) = version.filter(|&version| version >= 1) else {
        return Err("it has no key stepscope_manifest with its format version".to_owned());
    };
    let mut reader = Reader {
        keys: &keys,
        problems: Vec::new(),
    };
    let mut manifest = reader.manifest();
    manifest.problems = reader.problems;
    if version > VERSION {
        let problem = format!("its format {version} is newer than the supported format {VERSION}");
        manifest.problems.insert(0, problem);
    }
    Ok(manifest)
}

/// Reads keys with the expected types, and reports the others.
struct Reader<'a> {
    keys: &'a Map<String, Value>,
    problems: Vec<String>,
}

impl<'a> Reader<'a> {
    fn manifest(&mut self) -> Manifest {
        let none = Map::new();
        let mut git = Reader {
            keys: self.object("git").unwrap_or(&none),
            problems: Vec::new(),
        };
        let git_commit = git.text("commit");
        let git_branch = git.text("branch");
        let is_git_dirty = git.flag("dirty");
        let git_problems = std::mem::take(&mut git.problems).into_iter();
        self.problems
            .extend(git_problems.map(|problem| format!("git: {problem}")));
        let (process_index, process_count) =
            (self.whole("process_index"), self.whole("process_count"));
        let (step_first, step_end) = (self.whole("step_first"), self.whole("step_end"));
        let started = self.take("started_unix_ns", "a time", Value::as_u64);
        let stopped = self.take("stopped_unix_ns", "a time", Value::as_u64);
        Manifest {
            name: self.text("name"),
            tags: self.tags(),
            trigger: self.text("trigger"),
            success: self.flag("success"),
            error: self.text("error"),
            process: process_index.zip(process_count),
            captured_epoch_ns: started.zip(stopped),
            stop_seconds: self.number("stop_seconds"),
            steps: step_first.zip(step_end),
            mean_step_ns: self.mean_step_ns(),
            cost: self.cost(),
            versions: self.pairs("versions"),
            devices: self.devices(),
            options: self.pairs("options"),
            git_commit,
            git_branch,
            is_git_dirty,
            arguments: self.list("arguments").iter().map(text_of).collect(),
            environment: self.pairs("environment"),
            wall_clock: None,
            problems: Vec::new(),
        }
    }

    /// The key's value, if it exists, is not null, and has the expected type.
    fn take<T>(
        &mut self,
        key: &str,
        expected: &str,
        convert: impl Fn(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.keys.get(key).filter(|value| !value.is_null())?;
        let converted = convert(value);
        if converted.is_none() {
            self.problems.push(format!("{key} is not {expected}"));
        }
        converted
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let text = self.take(key, "a string", Value::as_str)?;
        Some(shortened(text)).filter(|text| !text.is_empty())
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        self.take(key, "true or false", Value::as_bool)
    }

    fn number(&mut self, key: &str) -> Option<f64> {
        self.take(key, "a number", Value::as_f64)
    }

    fn whole(&mut self, key: &str) -> Option<i64> {
        self.take(key, "an integer", Value::as_i64)
    }

    fn object(&mut self, key: &str) -> Option<&'a Map<String, Value>> {
        self.take(key, "an object", Value::as_object)
    }

    fn list(&mut self, key: &str) -> &'a [Value] {
        let list = self.take(key, "a list", Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }

    /// The object's keys with their values as text, without nulls.
    fn pairs(&mut self, key: &str) -> Vec<(String, String)> {
        let keys = self.object(key).into_iter().flatten();
        let known = keys.filter(|(_, value)| !value.is_null());
        known
            .map(|(name, value)| (shortened(name), text_of(value)))
            .collect()
    }

    fn cost(&mut self) -> Option<CaptureCost> {
        let mut cost = Reader {
            keys: self.object("cost")?,
            problems: Vec::new(),
        };
        let read = CaptureCost {
            step_ns: cost.number("step_ns"),
            step_before_ns: cost.number("step_before_ns"),
            steps_before: cost.whole("steps_before"),
            python_call_ns: cost.number("python_call_ns"),
        };
        let problems = cost.problems.into_iter();
        self.problems
            .extend(problems.map(|problem| format!("cost: {problem}")));
        Some(read)
    }

    /// The tags that are texts, each once.
    fn tags(&mut self) -> Vec<String> {
        let mut tags: Vec<String> = Vec::new();
        for tag in self.list("tags").iter().filter_map(Value::as_str) {
            let tag = shortened(tag.trim());
            if !tag.is_empty() && !tags.contains(&tag) && tags.len() < MAX_TAGS {
                tags.push(tag);
            }
        }
        tags
    }

    /// Manifests without the key are from versions whose steps all waited for their results.
    fn mean_step_ns(&mut self) -> Option<f64> {
        if self.keys.contains_key("mean_step_ns") {
            return self.number("mean_step_ns");
        }
        let steps = self.list("steps").iter();
        let durations_ns = steps.filter_map(|step| step.get("duration_ns")?.as_f64());
        let (count, sum_ns) = durations_ns.fold((0u32, 0.0), |(count, sum_ns), duration_ns| {
            (count + 1, sum_ns + duration_ns)
        });
        (count > 0).then(|| sum_ns / f64::from(count))
    }

    /// Devices by their kind, in the order of first appearance.
    fn devices(&mut self) -> Vec<(String, usize)> {
        let mut counts: Vec<(String, usize)> = Vec::new();
        for device in self.list("devices") {
            let named = device.get("kind").or_else(|| device.get("platform"));
            let kind = named.map_or_else(|| "unknown".to_owned(), text_of);
            match counts.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1,
                None => counts.push((kind, 1)),
            }
        }
        counts
    }
}

/// A string unchanged, anything else as JSON.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => shortened(text),
        other => shortened(&other.to_string()),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_manifest_is_understood() {
        let text = r#"{"stepscope_manifest": 1, "session_id": "2026", "name": "first", "host": "vm",
            "process_index": 1, "process_count": 4, "started_unix_ns": 5, "stopped_unix_ns": 9,
            "stop_seconds": 0.25, "step_first": 3, "step_end": 5, "success": true, "error": null,
            "steps": [{"step": 3, "started_unix_ns": 5, "duration_ns": 2}, {"step": 4}],
            "versions": {"jax": "0.10.2", "flax": null}, "trigger": "manual",
            "devices": [{"id": 0, "kind": "cpu"}, {"id": 1, "kind": "cpu"}, {"platform": "gpu"}],
            "options": {"host_tracer_level": 2, "advanced": {"a": [1]}},
            "git": {"commit": "abc", "branch": "main", "dirty": false},
            "tags": ["baseline", " bf16 ", "", 3, "baseline"],
            "arguments": ["train.py", "--profile"], "environment": {"XLA_FLAGS": "--xla_a=1"},
            "cost": {"step_ns": 9, "step_before_ns": 6, "steps_before": 4, "step_ratio": 0.5},
            "something new": {"is": "left alone"}}"#;
        let manifest = parse(text.as_bytes()).unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = Manifest {
            name: Some("first".to_owned()),
            tags: vec!["baseline".to_owned(), "bf16".to_owned()],
            trigger: Some("manual".to_owned()),
            success: Some(true),
            error: None,
            process: Some((1, 4)),
            captured_epoch_ns: Some((5, 9)),
            stop_seconds: Some(0.25),
            steps: Some((3, 5)),
            mean_step_ns: Some(2.0),
            cost: Some(CaptureCost {
                step_ns: Some(9.0),
                step_before_ns: Some(6.0),
                steps_before: Some(4),
                python_call_ns: None,
            }),
            versions: vec![pair("jax", "0.10.2")],
            devices: vec![("cpu".to_owned(), 2), ("gpu".to_owned(), 1)],
            options: vec![
                pair("advanced", r#"{"a":[1]}"#),
                pair("host_tracer_level", "2"),
            ],
            git_commit: Some("abc".to_owned()),
            git_branch: Some("main".to_owned()),
            is_git_dirty: Some(false),
            arguments: vec!["train.py".to_owned(), "--profile".to_owned()],
            environment: vec![pair("XLA_FLAGS", "--xla_a=1")],
            wall_clock: None,
            problems: Vec::new(),
        };
        assert_eq!(manifest, expected);
    }

    #[test]
    fn keys_of_another_form_are_left_out_and_named() {
        let text = r#"{"stepscope_manifest": 7, "name": 3, "success": "yes", "versions": [],
            "devices": {}, "git": {"commit": 1}, "arguments": "train.py", "steps": 4,
            "step_first": 1.5, "step_end": 4, "started_unix_ns": -1, "options": {"a": 1}}"#;
        let manifest = parse(text.as_bytes()).unwrap();
        assert_eq!(manifest.options, [("a".to_owned(), "1".to_owned())]);
        assert_eq!(manifest.steps, None);
        let problems = manifest.problems.join(", ");
        assert!(problems.starts_with("its format 7 is newer"), "{problems}");
        let wrong = [
            "name",
            "success",
            "versions",
            "devices",
            "git: commit",
            "arguments",
            "steps",
            "step_first",
            "started_unix_ns",
        ];
        for key in wrong {
            assert!(
                problems.contains(&format!("{key} is not")),
                "{key} in {problems}"
            );
        }
        assert_eq!(manifest.problems.len(), wrong.len() + 1, "{problems}");
    }

    #[test]
    fn what_is_no_manifest_has_a_reason() {
        let deep = "[".repeat(100_000);
        let cases: [&[u8]; 7] = [
            b"",
            b"\xff\xfe\x00",
            b"[1]",
            b"{}",
            br#"{"stepscope_manifest": "1"}"#,
            br#"{"stepscope_manifest": 1"#,
            deep.as_bytes(),
        ];
        for case in cases {
            assert!(parse(case).is_err());
        }
        assert!(
            parse(&vec![b' '; MAX_BYTES + 1])
                .unwrap_err()
                .contains("bytes")
        );
        assert!(parse(b"\xef\xbb\xbf{\"stepscope_manifest\": 1}").is_ok());
        let long = format!(
            r#"{{"stepscope_manifest": 1, "name": "{}"}}"#,
            "é".repeat(9000)
        );
        let name = parse(long.as_bytes()).unwrap().name.unwrap();
        assert_eq!(name.chars().count(), MAX_CHARACTERS + 1);
    }
}
