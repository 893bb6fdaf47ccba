//! Benchmarks: times that other programs wrote, as JSON.
//!
//! | Form | Devices | Method |
//! |---|---|---|
//! | an object with `execution_time` | `device_count`, else the file's name | `name`, else the file's |
//! | an object of such objects | `environment.device_count`, else the file's name | its key |
//! | an object with `runs` (by device count) | the key in `runs` | the key in the run |
//! | an object without `runs`, with rows in `scaling` | `device_count` | `method` |

use serde_json::{Map, Value};

use super::measure::Measured;
use super::naming::{count_in, without_marks};
use crate::asking::NamedText;
use crate::telling::Note;

/// Reads one file.
struct Reader<'a> {
    /// The file's name, for messages.
    file: &'a str,
    measured: Vec<Measured>,
    notes: Vec<Note>,
}

/// Measurements in the files, each only once, and notes on what could not be used.
pub(super) fn measured(files: &[NamedText]) -> (Vec<Measured>, Vec<Note>) {
    let (mut all, mut notes): (Vec<Measured>, Vec<Note>) = Default::default();
    let mut repeated = 0usize;
    for file in files {
        let mut reader = Reader {
            file: &file.name,
            measured: Vec::new(),
            notes: Vec::new(),
        };
        match serde_json::from_str::<Value>(&file.text) {
            Ok(Value::Object(content)) => reader.file(&content),
            Ok(_) => reader.warn("not a JSON object"),
            Err(error) => reader.warn(&format!("invalid JSON ({error})")),
        }
        if reader.measured.is_empty() && reader.notes.is_empty() {
            reader.warn("no times: missing `execution_time`");
        }
        notes.append(&mut reader.notes);
        for one in reader.measured {
            // A summary repeats the runs in the files next to it.
            if all.iter().any(|known| known.is_same(&one)) {
                repeated += 1;
            } else {
                all.push(one);
            }
        }
    }
    if repeated > 0 {
        let times = crate::telling::format::counted(repeated, "benchmark");
        notes.push(Note::info(
            "benchmark-duplicates",
            format!("{times} in more than one file, counted once."),
        ));
    }
    (all, notes)
}

impl Reader<'_> {
    fn file(&mut self, content: &Map<String, Value>) {
        if let Some(Value::Object(runs)) = content.get("runs") {
            for (count, run) in runs {
                if let (Ok(count), Value::Object(run)) = (count.parse(), run) {
                    self.results(run, Some(count));
                }
            }
        } else if let Some(Value::Array(rows)) = content.get("scaling") {
            for row in rows.iter().filter_map(Value::as_object) {
                let method = row.get("method").and_then(Value::as_str);
                self.time(method, row, None);
            }
        } else {
            self.results(content, None);
        }
    }

    /// One benchmark, or several by name.
    fn results(&mut self, content: &Map<String, Value>, count: Option<usize>) {
        let environment = content.get("environment").and_then(Value::as_object);
        let count = count.or_else(|| environment.and_then(device_count));
        let is_virtual = environment
            .and_then(|facts| facts.get("virtual_devices"))
            .and_then(Value::as_bool)
            .unwrap_or(false);
        let before = self.measured.len();
        if content.contains_key("execution_time") {
            self.time(None, content, count);
        } else {
            for (key, value) in content {
                if let Value::Object(result) = value
                    && (result.contains_key("execution_time") || result.contains_key("success"))
                {
                    self.time(Some(key), result, count);
                }
            }
        }
        for one in &mut self.measured[before..] {
            one.is_virtual = is_virtual;
        }
    }

    fn time(&mut self, name: Option<&str>, result: &Map<String, Value>, count: Option<usize>) {
        let text = |key: &str| result.get(key).and_then(Value::as_str);
        let stem = self.file.rsplit('/').next().unwrap_or(self.file);
        let stem = without_marks(stem.strip_suffix(".json").unwrap_or(stem));
        let method = name.or_else(|| text("name")).unwrap_or(&stem);
        if result.get("success") == Some(&Value::Bool(false)) {
            let error = text("error").unwrap_or("no error message");
            return self.warn(&format!("{method} failed: {error}"));
        }
        let Some(step_ps) = time_ps(result) else {
            return self.warn(&format!("{method} has an invalid `execution_time`"));
        };
        let count = count.or_else(|| device_count(result));
        let Some(device_count) = count.or_else(|| count_in(self.file)).filter(|&n| n > 0) else {
            return self.warn(&format!(
                "{method} has no device count: missing `device_count`, and no count such as 4gpu in the \
                 file's name"
            ));
        };
        let calls = result.get("samples").and_then(Value::as_array);
        let measured = Measured {
            name: format!("{}: {method}", self.file),
            method: Some(method.to_owned()),
            device_count,
            devices: text("device").unwrap_or_default().to_owned(),
            program: String::new(),
            // Files name a device together with its count, if at all.
            chips: String::new(),
            is_virtual: false,
            step_count: calls.map_or(1, Vec::len).max(1),
            step_ps,
            session: None,
            work: None,
        };
        self.measured.push(measured);
    }

    fn warn(&mut self, what: &str) {
        let text = format!("{}: {what}.", self.file);
        self.notes.push(Note::warning("benchmark-problem", text));
    }
}

fn device_count(facts: &Map<String, Value>) -> Option<usize> {
    let count = facts.get("device_count").or_else(|| facts.get("devices"))?;
    usize::try_from(count.as_u64()?).ok()
}

/// The mean time of a call, in picoseconds.
fn time_ps(result: &Map<String, Value>) -> Option<f64> {
    let time = result.get("execution_time")?.as_f64()?;
    let unit = result.get("execution_time_unit").and_then(Value::as_str);
    let picos = match unit.unwrap_or("ms").to_lowercase().as_str() {
        "s" | "sec" | "second" | "seconds" => 1e12,
        "ms" | "millisecond" | "milliseconds" => 1e9,
        "us" | "µs" | "microsecond" | "microseconds" => 1e6,
        "ns" | "nanosecond" | "nanoseconds" => 1e3,
        _ => return None,
    };
    Some(time * picos).filter(|&time| time.is_finite() && time > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> (Vec<(String, usize, f64)>, Vec<String>) {
        let (measured, notes) = measured(&[NamedText {
            name: name.to_owned(),
            text: text.to_owned(),
        }]);
        let rows = measured.into_iter().map(|one| {
            let method = one.method.unwrap_or_default();
            (method, one.device_count, one.step_ps)
        });
        (
            rows.collect(),
            notes.into_iter().map(|note| note.text).collect(),
        )
    }

    #[test]
    fn every_form_of_our_examples_is_read() {
        let plain = r#"{"execution_time": 2.5, "execution_time_unit": "us"}"#;
        let row = |method: &str, count, time| (method.to_owned(), count, time);
        assert_eq!(
            read("out/matmul_4gpu.json", plain).0,
            [row("matmul", 4, 2.5e6)]
        );
        let results = r#"{"lcam": {"execution_time": 3, "execution_time_unit": "ms"},
            "tad": {"success": false, "error": "out of memory", "execution_time": null},
            "gradient_difference_ratio": 1e-6, "environment": {"device_count": 2}}"#;
        let (rows, notes) = read("results.json", results);
        assert_eq!(rows, [row("lcam", 2, 3e9)]);
        assert_eq!(notes, ["results.json: tad failed: out of memory."]);
        let summary = format!(r#"{{"runs": {{"2": {results}}}, "scaling": []}}"#);
        assert_eq!(read("scaling_1.json", &summary).0, [row("lcam", 2, 3e9)]);
        let rows_alone = r#"{"scaling": [{"method": "lcam", "device_count": 8,
            "execution_time": 1, "execution_time_unit": "s"}]}"#;
        assert_eq!(read("scaling_1.json", rows_alone).0, [row("lcam", 8, 1e12)]);
    }

    #[test]
    fn what_cannot_be_used_is_told() {
        for (text, expected) in [
            ("[]", "not a JSON object"),
            ("{", "invalid JSON"),
            ("{}", "no times"),
            (r#"{"execution_time": 1}"#, "no device count"),
            (r#"{"execution_time": "x"}"#, "invalid `execution_time`"),
            (
                r#"{"execution_time": 1, "execution_time_unit": "days"}"#,
                "invalid `execution_time`",
            ),
        ] {
            let (rows, notes) = read("file.json", text);
            assert!(rows.is_empty(), "{text}");
            assert!(notes[0].contains(expected), "{text}: {notes:?}");
        }
    }

    #[test]
    fn a_summary_beside_its_runs_counts_once() {
        let run = r#"{"a": {"execution_time": 3}, "environment": {"device_count": 2}}"#;
        let files = [
            ("results_2gpu.json", run.to_owned()),
            ("scaling_1.json", format!(r#"{{"runs": {{"2": {run}}}}}"#)),
        ];
        let files = files.map(|(name, text)| NamedText {
            name: name.to_owned(),
            text,
        });
        let (measured, notes) = measured(&files);
        assert_eq!(measured.len(), 1);
        assert!(notes[0].text.starts_with("1 benchmark in"), "{notes:?}");
    }
}
